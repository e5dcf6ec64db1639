#compdef pagewatch
# Completion of pagewatch for zsh. Made by "make man" from the program's tables.

# The targets of the running service; none where none answers.
_pagewatch_targets() {
  local -a names socket
  [[ -n ${opt_args[--socket]} ]] && socket=(--socket ${(Q)opt_args[--socket]//\\:/:})
  names=(${(f)"$(pagewatch status --names $socket 2>/dev/null)"})
  (( $#names )) || return 1
  local expl
  _wanted targets expl target compadd -a names
}

_pagewatch_commands() {
  local -a commands=(
    'check:Loads each page once and tells its title, as a browser would show it.'
    'daemon:Watches the targets of the configuration, in the foreground, and tells their title changes.'
    'verify:Reads the configuration as the service would, and tells every mistake in it.'
    'status:Tells how the running service and its targets are, or all about one target.'
    'tail:Follows what the running service tells, for ever, over its restarts too.'
    'history:Prints what became of a target, oldest first, from the store in a state folder.'
    'reload:Checks a target now; a page that a user has gone to is only shown anew.'
    'stop:Stops what a target loads; a check that is stopped does not count.'
    'load:Shows another page in a target; the next check loads its own again.'
    'back:Shows the page before the current one in a target'\''s back-forward list.'
    'forward:Shows the page after the current one in a target'\''s back-forward list.'
    'go:Shows the page so many places away in a target'\''s back-forward list.'
    'pause:Stops checking a target, until it is resumed or for a while.'
    'resume:Checks a paused target again.'
    'reconfigure:Has the service read its configuration again; returns when that is in force.'
    'forget:Removes all that is known of a target, and overwrites it in the file.'
    'backup:Copies the store to a new file, as it is at one moment.'
    'help:Tells about a command.'
  )
  _describe -t commands command commands
}

_pagewatch_topics() {
  local -a topics=('keys:Lists the keys of the configuration.')
  _pagewatch_commands
  _describe -t topics topic topics
}

_pagewatch() {
  local curcontext=$curcontext state line
  typeset -A opt_args
  _arguments -C \
    '(- *)'{-h,--help}'[the commands]' \
    '(- *)'{-V,--version}'[the version]' \
    '1:command:_pagewatch_commands' \
    '*::argument:->arguments' && return
  [[ $state == arguments ]] || return 1
  curcontext=${curcontext%:*}:pagewatch-$words[1]:
  case $words[1] in
    check)
      _arguments -s -S \
        '--from=[more URLs, one a line; - is standard input]:FILE:_files' \
        '--no-refresh[do not follow a page'\''s own refresh]' \
        '--target=[load this target of the configuration as the service would, and tell what would be told of it; nothing is kept]:NAME:_pagewatch_targets' \
        '--config=[the main file]:FILE:_files' \
        '--state=[the state folder to go on from]:DIR:_files -/' \
        '--json[one JSON object a page, as it completes]' \
        '--events[every change while pages load, as JSON lines]' \
        '--plugin[one line with figures for a monitoring system]' \
        '(-q --quiet)'{-q,--quiet}'[tell only what is not fine; --plugin does so anyway]' \
        '--no-progress[no progress bar, even on a terminal]' \
        '--expect-title=[a title without a match of RE is exit code 1]:RE: ' \
        '--changed=[compare with the titles kept in FILE, and keep the new ones; a change is exit code 1]:FILE:_files' \
        '--title-limit=[cut titles behind N UTF-16 units; 0 keeps them whole (default 1000)]:N: ' \
        '--encoding=[read pages in this encoding, whatever they say]:LABEL:(big5 euc-jp euc-kr gb18030 gbk ibm866 iso-2022-jp iso-8859-10 iso-8859-13 iso-8859-14 iso-8859-15 iso-8859-16 iso-8859-2 iso-8859-3 iso-8859-4 iso-8859-5 iso-8859-6 iso-8859-7 iso-8859-8 iso-8859-8-i koi8-r koi8-u macintosh replacement shift_jis utf-16be utf-16le utf-8 windows-1250 windows-1251 windows-1252 windows-1253 windows-1254 windows-1255 windows-1256 windows-1257 windows-1258 windows-874 x-mac-cyrillic x-user-defined)' \
        '(-m --timeout)'{-m+,--timeout=}'[the whole load of a page (default 30s)]:DUR: ' \
        '--resolve-timeout=[looking up a host'\''s name (default 10s)]:DUR: ' \
        '--connect-timeout=[opening a connection (default 10s)]:DUR: ' \
        '--tls-timeout=[the TLS handshake (default 10s)]:DUR: ' \
        '--first-byte-timeout=[from the request to the end of the answer'\''s head (default 20s)]:DUR: ' \
        '--stall-timeout=[without a byte within a body (default 20s)]:DUR: ' \
        '--concurrency=[pages loading at a time (default 64)]:N: ' \
        '--per-host=[of these, from one host and port (default 6)]:N: ' \
        '--max-redirects=[redirects to follow (default 20)]:N: ' \
        '--max-bytes=[the most that a body may have (default 64MiB)]:SIZE: ' \
        '*'{-H+,--header=}'[send this header line, to the given URL'\''s origin only; may be repeated]:LINE: ' \
        '(-A --user-agent)'{-A+,--user-agent=}'[send this as User-Agent]:TEXT: ' \
        '(-u --user)'{-u+,--user=}'[log in with these, at the given URL'\''s origin only]:NAME\:PASSWORD: ' \
        '(-x --proxy)'{-x+,--proxy=}'[go through this proxy]:URL: ' \
        '(-k --insecure)'{-k,--insecure}'[do not verify certificates and their names]' \
        '--cacert=[trust the authorities in this PEM file, not the system'\''s]:FILE:_files' \
        '*--resolve=[connect to ADDR for HOST and PORT; may be repeated]:HOST\:PORT\:ADDR: ' \
        '(-4 --ipv4)'{-4,--ipv4}'[use IPv4 addresses only]' \
        '(-6 --ipv6)'{-6,--ipv6}'[use IPv6 addresses only]' \
        '--http2-prior-knowledge[HTTP/2 without TLS, unasked]' \
        '(-h --help)'{-h,--help}'[this text]' \
        '(-V --version)'{-V,--version}'[the version]' \
        '*:URL: '
      ;;
    daemon)
      _arguments -s -S \
        '--config=[the main file; targets.d/*.yaml beside it are read too (default $PAGEWATCH_CONFIG, or else /etc/pagewatch/pagewatch.yaml)]:FILE:_files' \
        '--state=[the folder of the history (default $PAGEWATCH_STATE, $STATE_DIRECTORY, or else /var/lib/pagewatch)]:DIR:_files -/' \
        '--socket=[the socket where the service is asked (default $PAGEWATCH_SOCKET, or else /run/pagewatch/control.sock or $XDG_RUNTIME_DIR/pagewatch/control.sock)]:PATH:_files' \
        '--force[retire the targets of targets.d though that is missing]' \
        '--no-progress[no progress bars, even on a terminal]' \
        '(-h --help)'{-h,--help}'[this text]' \
        '(-V --version)'{-V,--version}'[the version]'
      ;;
    verify)
      _arguments -s -S \
        '--config=[the main file; targets.d/*.yaml beside it are read too (default $PAGEWATCH_CONFIG, or else /etc/pagewatch/pagewatch.yaml)]:FILE:_files' \
        '(-h --help)'{-h,--help}'[this text]' \
        '(-V --version)'{-V,--version}'[the version]'
      ;;
    status)
      _arguments -s -S \
        '--socket=[the service'\''s socket]:PATH:_files' \
        '--json[the answer in JSON]' \
        '--utc[times in UTC instead of the service'\''s zone]' \
        '--watch[show it again each second, until q is pressed]' \
        '--names[the names of the targets alone, one a line]' \
        '(-h --help)'{-h,--help}'[this text]' \
        '(-V --version)'{-V,--version}'[the version]' \
        '1:TARGET:_pagewatch_targets'
      ;;
    tail)
      _arguments -s -S \
        '--since=[begin with the events since then]:T:(today yesterday now)' \
        '*--event=[events of that kind (docs/EVENTS.md lists them); may be repeated]:KIND:(durable all firstSeen titleChanged failing recovered oscillating settled unstable rebased encodingChanged gap service estimatedProgress url isLoading title canGoForward canGoBack navigation)' \
        '--durable[those that the history keeps]' \
        '--json[one JSON object a line]' \
        '--utc[times in UTC instead of the service'\''s zone]' \
        '--no-progress[no bars on a terminal]' \
        '--exec=[run CMD for each event instead of printing it]:CMD:_command_names -e' \
        '--cursor-file=[where it is kept how far events are handled]:FILE:_files' \
        '--socket=[the service'\''s socket]:PATH:_files' \
        '(-h --help)'{-h,--help}'[this text]' \
        '(-V --version)'{-V,--version}'[the version]' \
        '*:TARGET:_pagewatch_targets'
      ;;
    history)
      _arguments -s -S \
        '--limit=[only the newest N (default all)]:N: ' \
        '--since=[only those since then]:TIME:(today yesterday now)' \
        '--at=[instead, the title at that time and the loads around it]:TIME:(today yesterday now)' \
        '--json[one JSON object a line]' \
        '--utc[times in UTC instead of the local zone]' \
        '--state=[the state folder]:DIR:_files -/' \
        '(-h --help)'{-h,--help}'[this text]' \
        '(-V --version)'{-V,--version}'[the version]' \
        '1:TARGET:_pagewatch_targets'
      ;;
    reload)
      _arguments -s -S \
        '--socket=[the service'\''s socket]:PATH:_files' \
        '--json[the answer in JSON]' \
        '--utc[times in UTC instead of the service'\''s zone]' \
        '--no-wait[do not wait for the load to end]' \
        '(-h --help)'{-h,--help}'[this text]' \
        '(-V --version)'{-V,--version}'[the version]' \
        '1:TARGET:_pagewatch_targets'
      ;;
    stop)
      _arguments -s -S \
        '--socket=[the service'\''s socket]:PATH:_files' \
        '--json[the answer in JSON]' \
        '--utc[times in UTC instead of the service'\''s zone]' \
        '(-h --help)'{-h,--help}'[this text]' \
        '(-V --version)'{-V,--version}'[the version]' \
        '1:TARGET:_pagewatch_targets'
      ;;
    load)
      _arguments -s -S \
        '--socket=[the service'\''s socket]:PATH:_files' \
        '--json[the answer in JSON]' \
        '--utc[times in UTC instead of the service'\''s zone]' \
        '--no-wait[do not wait for the load to end]' \
        '(-h --help)'{-h,--help}'[this text]' \
        '(-V --version)'{-V,--version}'[the version]' \
        '1:TARGET:_pagewatch_targets' \
        '2:URL: '
      ;;
    back)
      _arguments -s -S \
        '--socket=[the service'\''s socket]:PATH:_files' \
        '--json[the answer in JSON]' \
        '--utc[times in UTC instead of the service'\''s zone]' \
        '--no-wait[do not wait for the load to end]' \
        '(-h --help)'{-h,--help}'[this text]' \
        '(-V --version)'{-V,--version}'[the version]' \
        '1:TARGET:_pagewatch_targets'
      ;;
    forward)
      _arguments -s -S \
        '--socket=[the service'\''s socket]:PATH:_files' \
        '--json[the answer in JSON]' \
        '--utc[times in UTC instead of the service'\''s zone]' \
        '--no-wait[do not wait for the load to end]' \
        '(-h --help)'{-h,--help}'[this text]' \
        '(-V --version)'{-V,--version}'[the version]' \
        '1:TARGET:_pagewatch_targets'
      ;;
    go)
      _arguments -s -S \
        '--socket=[the service'\''s socket]:PATH:_files' \
        '--json[the answer in JSON]' \
        '--utc[times in UTC instead of the service'\''s zone]' \
        '--no-wait[do not wait for the load to end]' \
        '(-h --help)'{-h,--help}'[this text]' \
        '(-V --version)'{-V,--version}'[the version]' \
        '1:TARGET:_pagewatch_targets' \
        '2:INDEX: '
      ;;
    pause)
      _arguments -s -S \
        '--socket=[the service'\''s socket]:PATH:_files' \
        '--json[the answer in JSON]' \
        '--utc[times in UTC instead of the service'\''s zone]' \
        '--for=[how long (default until it is resumed)]:DUR: ' \
        '(-h --help)'{-h,--help}'[this text]' \
        '(-V --version)'{-V,--version}'[the version]' \
        '1:TARGET:_pagewatch_targets'
      ;;
    resume)
      _arguments -s -S \
        '--socket=[the service'\''s socket]:PATH:_files' \
        '--json[the answer in JSON]' \
        '--utc[times in UTC instead of the service'\''s zone]' \
        '(-h --help)'{-h,--help}'[this text]' \
        '(-V --version)'{-V,--version}'[the version]' \
        '1:TARGET:_pagewatch_targets'
      ;;
    reconfigure)
      _arguments -s -S \
        '--socket=[the service'\''s socket]:PATH:_files' \
        '--json[the answer in JSON]' \
        '--utc[times in UTC instead of the service'\''s zone]' \
        '--force[also if more than half of the targets, or targets.d, are gone]' \
        '(-q --quiet)'{-q,--quiet}'[leave what changed, and mistakes, to the service'\''s log]' \
        '(-h --help)'{-h,--help}'[this text]' \
        '(-V --version)'{-V,--version}'[the version]'
      ;;
    forget)
      _arguments -s -S \
        '--state=[the state folder]:DIR:_files -/' \
        '--socket=[the service'\''s socket]:PATH:_files' \
        '(-h --help)'{-h,--help}'[this text]' \
        '(-V --version)'{-V,--version}'[the version]' \
        '1:TARGET:_pagewatch_targets'
      ;;
    backup)
      _arguments -s -S \
        '--state=[the state folder]:DIR:_files -/' \
        '(-h --help)'{-h,--help}'[this text]' \
        '(-V --version)'{-V,--version}'[the version]' \
        '1:FILE:_files'
      ;;
    help)
      _arguments '1:command:_pagewatch_topics' '2:key:->keys' && return
      [[ $state == keys && $words[2] == keys ]] || return 1
      compadd url enabled interval backoff_max timeout resolve_timeout connect_timeout tls_timeout first_byte_timeout stall_timeout confirm confirm_interval failures retry_interval headers user_agent basic_auth bearer cookies ca_file client_certificate insecure proxy ip follow_redirects max_redirects follow_refresh max_bytes title_limit encoding tags ignore expect_title reject_title expect_url ok_status concurrency per_host connection_age file events listen metrics_only rows age newest size state
      ;;
    *) return 1 ;;
  esac
}

_pagewatch "$@"
