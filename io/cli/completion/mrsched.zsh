#compdef mrsched
# zsh completion of mrsched:  source <(mrsched completion zsh), or as the file _mrsched in a folder of $fpath

_mrsched() {
    local line text about files current=${(Q)words[CURRENT]}
    local -a described
    for line in "${(@f)$(${(Q)~words[1]} __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
        text=${line%%$'\t'*}
        about=${line#$text}
        if [[ $text == ":files" ]]; then
            files=1
        elif [[ -n $text ]]; then
            described+=("${text//:/\\:}${about/$'\t'/:}")
        fi
    done
    (( $#described )) && _describe -V 'mrsched' described
    if [[ -n $files ]]; then
        [[ $current == --*=* ]] && compset -P '*='
        _files
    fi
}
if [[ ${funcstack[1]} == _mrsched ]]; then
    _mrsched "$@"
else
    compdef _mrsched mrsched
fi
