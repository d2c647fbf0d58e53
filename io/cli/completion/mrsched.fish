# fish completion of mrsched:  mrsched completion fish | source

function __mrsched_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] __complete $words[2..] "$current" 2>/dev/null)
        if test "$line" = ":files"
            # Behind --flag= only the path is completed.
            set -l prefix (string match -r -- '^--[^=]*=' "$current")
            for path in (__fish_complete_path (string replace -r -- '^--[^=]*=' '' "$current"))
                echo -- "$prefix$path"
            end
        else
            echo -- $line
        end
    end
end
complete -c mrsched -f -a '(__mrsched_complete)'
