# bash completion of mrsched:  source <(mrsched completion bash)

_mrsched() {
    local i n=0 glue= text line files= prefix=
    local -a words=()
    # Readline breaks words at "=": put --flag=value together again.
    for ((i = 1; i <= COMP_CWORD; i++)); do
        if [[ ${COMP_WORDS[i]} == "=" && n -gt 0 ]]; then
            words[n - 1]+="="
            glue=1
        elif [[ -n $glue ]]; then
            words[n - 1]+=${COMP_WORDS[i]}
            glue=
        else
            words[n++]=${COMP_WORDS[i]}
        fi
    done
    local current=${words[n - 1]}
    [[ $current == --*=* ]] && prefix=${current%%=*}=
    COMPREPLY=()
    while IFS= read -r line; do
        text=${line%%$'\t'*}
        if [[ $text == ":files" ]]; then
            files=1
        else
            COMPREPLY+=("${text#"$prefix"}")
        fi
    done < <("${COMP_WORDS[0]/#\~\//$HOME/}" __complete "${words[@]}" 2>/dev/null)
    if [[ -n $files ]]; then
        compopt -o filenames 2>/dev/null
        while IFS= read -r line; do
            COMPREPLY+=("$line")
        done < <(compgen -f -- "${current#"$prefix"}")
    fi
}
complete -F _mrsched mrsched
