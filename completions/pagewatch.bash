# Completion of pagewatch for bash. Made by "make man" from the program's tables.

_pagewatch_words() {
    local word
    for word; do
        [[ $word == "$cur"* ]] && COMPREPLY+=("$word")
    done
}

# The targets of the running service; none where none answers.
_pagewatch_targets() {
    local name
    while IFS= read -r name; do
        [[ -n $name && $name == "$cur"* ]] || continue
        printf -v name %q "$name"
        COMPREPLY+=("$name")
    done < <(pagewatch status --names ${socket:+--socket "$socket"} 2>/dev/null)
}

# What the value of an option is: sets kind and choices; kind is empty for a flag.
_pagewatch_value() {
    kind='' choices=()
    case "$1 $2" in
    'check --from') kind=file ;;
    'check --target') kind=target ;;
    'check --config') kind=file ;;
    'check --state') kind=folder ;;
    'check --expect-title') kind=free ;;
    'check --changed') kind=file ;;
    'check --title-limit') kind=free ;;
    'check --encoding') kind=words choices=(big5 euc-jp euc-kr gb18030 gbk ibm866 iso-2022-jp iso-8859-10 iso-8859-13 iso-8859-14 iso-8859-15 iso-8859-16 iso-8859-2 iso-8859-3 iso-8859-4 iso-8859-5 iso-8859-6 iso-8859-7 iso-8859-8 iso-8859-8-i koi8-r koi8-u macintosh replacement shift_jis utf-16be utf-16le utf-8 windows-1250 windows-1251 windows-1252 windows-1253 windows-1254 windows-1255 windows-1256 windows-1257 windows-1258 windows-874 x-mac-cyrillic x-user-defined) ;;
    'check -m' | 'check --timeout') kind=free ;;
    'check --resolve-timeout') kind=free ;;
    'check --connect-timeout') kind=free ;;
    'check --tls-timeout') kind=free ;;
    'check --first-byte-timeout') kind=free ;;
    'check --stall-timeout') kind=free ;;
    'check --concurrency') kind=free ;;
    'check --per-host') kind=free ;;
    'check --max-redirects') kind=free ;;
    'check --max-bytes') kind=free ;;
    'check -H' | 'check --header') kind=free ;;
    'check -A' | 'check --user-agent') kind=free ;;
    'check -u' | 'check --user') kind=free ;;
    'check -x' | 'check --proxy') kind=free ;;
    'check --cacert') kind=file ;;
    'check --resolve') kind=free ;;
    'daemon --config') kind=file ;;
    'daemon --state') kind=folder ;;
    'daemon --socket') kind=file ;;
    'verify --config') kind=file ;;
    'status --socket') kind=file ;;
    'tail --since') kind=words choices=(today yesterday now) ;;
    'tail --event') kind=words choices=(durable all firstSeen titleChanged failing recovered oscillating settled unstable rebased encodingChanged gap service estimatedProgress url isLoading title canGoForward canGoBack navigation) ;;
    'tail --exec') kind=program ;;
    'tail --cursor-file') kind=file ;;
    'tail --socket') kind=file ;;
    'history --limit') kind=free ;;
    'history --since') kind=words choices=(today yesterday now) ;;
    'history --at') kind=words choices=(today yesterday now) ;;
    'history --state') kind=folder ;;
    'reload --socket') kind=file ;;
    'stop --socket') kind=file ;;
    'load --socket') kind=file ;;
    'back --socket') kind=file ;;
    'forward --socket') kind=file ;;
    'go --socket') kind=file ;;
    'pause --socket') kind=file ;;
    'pause --for') kind=free ;;
    'resume --socket') kind=file ;;
    'reconfigure --socket') kind=file ;;
    'forget --state') kind=folder ;;
    'forget --socket') kind=file ;;
    'backup --state') kind=folder ;;
    esac
}

_pagewatch_options() {
    case $1 in
    check) _pagewatch_words --from --no-refresh --target --config --state --json --events --plugin -q --quiet --no-progress --expect-title --changed --title-limit --encoding -m --timeout --resolve-timeout --connect-timeout --tls-timeout --first-byte-timeout --stall-timeout --concurrency --per-host --max-redirects --max-bytes -H --header -A --user-agent -u --user -x --proxy -k --insecure --cacert --resolve -4 --ipv4 -6 --ipv6 --http2-prior-knowledge -h --help -V --version ;;
    daemon) _pagewatch_words --config --state --socket --force --no-progress -h --help -V --version ;;
    verify) _pagewatch_words --config -h --help -V --version ;;
    status) _pagewatch_words --socket --json --utc --watch --names -h --help -V --version ;;
    tail) _pagewatch_words --since --event --durable --json --utc --no-progress --exec --cursor-file --socket -h --help -V --version ;;
    history) _pagewatch_words --limit --since --at --json --utc --state -h --help -V --version ;;
    reload) _pagewatch_words --socket --json --utc --no-wait -h --help -V --version ;;
    stop) _pagewatch_words --socket --json --utc -h --help -V --version ;;
    load) _pagewatch_words --socket --json --utc --no-wait -h --help -V --version ;;
    back) _pagewatch_words --socket --json --utc --no-wait -h --help -V --version ;;
    forward) _pagewatch_words --socket --json --utc --no-wait -h --help -V --version ;;
    go) _pagewatch_words --socket --json --utc --no-wait -h --help -V --version ;;
    pause) _pagewatch_words --socket --json --utc --for -h --help -V --version ;;
    resume) _pagewatch_words --socket --json --utc -h --help -V --version ;;
    reconfigure) _pagewatch_words --socket --json --utc --force -q --quiet -h --help -V --version ;;
    forget) _pagewatch_words --state --socket -h --help -V --version ;;
    backup) _pagewatch_words --state -h --help -V --version ;;
    esac
}

# What the operand behind so many others is.
_pagewatch_operand() {
    kind='' choices=()
    case "$1 $2" in
    "check "*) kind=free ;;
    "status 0") kind=target ;;
    "tail "*) kind=target ;;
    "history 0") kind=target ;;
    "reload 0") kind=target ;;
    "stop 0") kind=target ;;
    "load 0") kind=target ;;
    "load 1") kind=free ;;
    "back 0") kind=target ;;
    "forward 0") kind=target ;;
    "go 0") kind=target ;;
    "go 1") kind=free ;;
    "pause 0") kind=target ;;
    "resume 0") kind=target ;;
    "forget 0") kind=target ;;
    "backup 0") kind=file ;;
    esac
}

_pagewatch() {
    local cur=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}
    local word kind choices option='' socket='' takes_options=yes
    local -i index operands=0
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        _pagewatch_words check daemon verify status tail history reload stop load back forward go pause resume reconfigure forget backup help -h --help -V --version
        return
    elif [[ $command == help ]]; then
        if ((COMP_CWORD == 2)); then
            _pagewatch_words check daemon verify status tail history reload stop load back forward go pause resume reconfigure forget backup help keys
        elif ((COMP_CWORD == 3)) && [[ ${COMP_WORDS[2]} == keys ]]; then
            _pagewatch_words url enabled interval backoff_max timeout resolve_timeout connect_timeout tls_timeout first_byte_timeout stall_timeout confirm confirm_interval failures retry_interval headers user_agent basic_auth bearer cookies ca_file client_certificate insecure proxy ip follow_redirects max_redirects follow_refresh max_bytes title_limit encoding tags ignore expect_title reject_title expect_url ok_status concurrency per_host connection_age file events listen metrics_only rows age newest size state
        fi
        return
    fi
    for ((index = 2; index < COMP_CWORD; index++)); do
        word=${COMP_WORDS[index]}
        if [[ -n $option ]]; then
            # bash takes --option=value apart.
            [[ $word == = ]] && continue
            [[ $option == --socket ]] && socket=$word
            option=''
        elif [[ -n $takes_options && $word == -- ]]; then
            takes_options=''
        elif [[ -n $takes_options && $word == -?* ]]; then
            _pagewatch_value "$command" "$word"
            [[ -n $kind ]] && option=$word
        else
            operands+=1
        fi
    done
    if [[ -n $option ]]; then
        [[ $cur == = ]] && cur=''
        _pagewatch_value "$command" "$option"
    elif [[ -n $takes_options && $cur == -* ]]; then
        _pagewatch_options "$command"
        return
    else
        _pagewatch_operand "$command" "$operands"
    fi
    case $kind in
    # readline itself knows best how names of files are quoted.
    file) compopt -o default 2>/dev/null ;;
    folder) compopt -o dirnames 2>/dev/null ;;
    program) mapfile -t COMPREPLY < <(compgen -c -- "$cur") ;;
    target) _pagewatch_targets ;;
    words) _pagewatch_words "${choices[@]}" ;;
    esac
}

complete -F _pagewatch pagewatch
