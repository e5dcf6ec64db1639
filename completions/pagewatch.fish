# Completion of pagewatch for fish. Made by "make man" from the program's tables.

# The targets of the running service; none where none answers.
function __pagewatch_targets
    set -l words (commandline -opc)
    set -l socket
    for index in (seq (count $words))
        if string match -q -- '--socket=*' $words[$index]
            set socket $words[$index]
        else if test "$words[$index]" = --socket; and set -q words[(math $index + 1)]
            set socket --socket $words[(math $index + 1)]
        end
    end
    pagewatch status --names $socket 2>/dev/null
end

# Whether the command is not there yet.
function __pagewatch_wants_command
    test (count (commandline -opc)) -eq 1
end

# Whether it is the command of that name.
function __pagewatch_is
    set -l words (commandline -opc)
    test (count $words) -ge 2; and test "$words[2]" = $argv[1]
end

# Whether so many operands stand behind the command of that name; without a number, any.
function __pagewatch_operand
    __pagewatch_is $argv[1]; or return 1
    set -l words (commandline -opc)
    set -l count 0
    set -l is_value 0
    for word in $words[3..]
        if test $is_value -eq 1
            set is_value 0
        else if contains -- $word --from --target --config --state --expect-title --changed --title-limit --encoding -m --timeout --resolve-timeout --connect-timeout --tls-timeout --first-byte-timeout --stall-timeout --concurrency --per-host --max-redirects --max-bytes -H --header -A --user-agent -u --user -x --proxy --cacert --resolve --socket --since --event --exec --cursor-file --limit --at --for
            set is_value 1
        else if not string match -q -- '-?*' $word
            set count (math $count + 1)
        end
    end
    test $is_value -eq 0; and begin
        not set -q argv[2]; or test $count -eq $argv[2]
    end
end

complete -c pagewatch -f
complete -c pagewatch -n __pagewatch_wants_command -s h -l help -d 'the commands'
complete -c pagewatch -n __pagewatch_wants_command -s V -l version -d 'the version'
complete -c pagewatch -n '__pagewatch_wants_command' -a check -d 'Loads each page once and tells its title, as a browser would show it.'
complete -c pagewatch -n '__pagewatch_wants_command' -a daemon -d 'Watches the targets of the configuration, in the foreground, and tells their title changes.'
complete -c pagewatch -n '__pagewatch_wants_command' -a verify -d 'Reads the configuration as the service would, and tells every mistake in it.'
complete -c pagewatch -n '__pagewatch_wants_command' -a status -d 'Tells how the running service and its targets are, or all about one target.'
complete -c pagewatch -n '__pagewatch_wants_command' -a tail -d 'Follows what the running service tells, for ever, over its restarts too.'
complete -c pagewatch -n '__pagewatch_wants_command' -a history -d 'Prints what became of a target, oldest first, from the store in a state folder.'
complete -c pagewatch -n '__pagewatch_wants_command' -a reload -d 'Checks a target now; a page that a user has gone to is only shown anew.'
complete -c pagewatch -n '__pagewatch_wants_command' -a stop -d 'Stops what a target loads; a check that is stopped does not count.'
complete -c pagewatch -n '__pagewatch_wants_command' -a load -d 'Shows another page in a target; the next check loads its own again.'
complete -c pagewatch -n '__pagewatch_wants_command' -a back -d 'Shows the page before the current one in a target\'s back-forward list.'
complete -c pagewatch -n '__pagewatch_wants_command' -a forward -d 'Shows the page after the current one in a target\'s back-forward list.'
complete -c pagewatch -n '__pagewatch_wants_command' -a go -d 'Shows the page so many places away in a target\'s back-forward list.'
complete -c pagewatch -n '__pagewatch_wants_command' -a pause -d 'Stops checking a target, until it is resumed or for a while.'
complete -c pagewatch -n '__pagewatch_wants_command' -a resume -d 'Checks a paused target again.'
complete -c pagewatch -n '__pagewatch_wants_command' -a reconfigure -d 'Has the service read its configuration again; returns when that is in force.'
complete -c pagewatch -n '__pagewatch_wants_command' -a forget -d 'Removes all that is known of a target, and overwrites it in the file.'
complete -c pagewatch -n '__pagewatch_wants_command' -a backup -d 'Copies the store to a new file, as it is at one moment.'
complete -c pagewatch -n '__pagewatch_wants_command' -a help -d 'Tells about a command.'
complete -c pagewatch -n '__pagewatch_operand help 0' -a check -d 'Loads each page once and tells its title, as a browser would show it.'
complete -c pagewatch -n '__pagewatch_operand help 0' -a daemon -d 'Watches the targets of the configuration, in the foreground, and tells their title changes.'
complete -c pagewatch -n '__pagewatch_operand help 0' -a verify -d 'Reads the configuration as the service would, and tells every mistake in it.'
complete -c pagewatch -n '__pagewatch_operand help 0' -a status -d 'Tells how the running service and its targets are, or all about one target.'
complete -c pagewatch -n '__pagewatch_operand help 0' -a tail -d 'Follows what the running service tells, for ever, over its restarts too.'
complete -c pagewatch -n '__pagewatch_operand help 0' -a history -d 'Prints what became of a target, oldest first, from the store in a state folder.'
complete -c pagewatch -n '__pagewatch_operand help 0' -a reload -d 'Checks a target now; a page that a user has gone to is only shown anew.'
complete -c pagewatch -n '__pagewatch_operand help 0' -a stop -d 'Stops what a target loads; a check that is stopped does not count.'
complete -c pagewatch -n '__pagewatch_operand help 0' -a load -d 'Shows another page in a target; the next check loads its own again.'
complete -c pagewatch -n '__pagewatch_operand help 0' -a back -d 'Shows the page before the current one in a target\'s back-forward list.'
complete -c pagewatch -n '__pagewatch_operand help 0' -a forward -d 'Shows the page after the current one in a target\'s back-forward list.'
complete -c pagewatch -n '__pagewatch_operand help 0' -a go -d 'Shows the page so many places away in a target\'s back-forward list.'
complete -c pagewatch -n '__pagewatch_operand help 0' -a pause -d 'Stops checking a target, until it is resumed or for a while.'
complete -c pagewatch -n '__pagewatch_operand help 0' -a resume -d 'Checks a paused target again.'
complete -c pagewatch -n '__pagewatch_operand help 0' -a reconfigure -d 'Has the service read its configuration again; returns when that is in force.'
complete -c pagewatch -n '__pagewatch_operand help 0' -a forget -d 'Removes all that is known of a target, and overwrites it in the file.'
complete -c pagewatch -n '__pagewatch_operand help 0' -a backup -d 'Copies the store to a new file, as it is at one moment.'
complete -c pagewatch -n '__pagewatch_operand help 0' -a keys -d 'Lists the keys of the configuration.'
complete -c pagewatch -n '__pagewatch_operand help 1; and contains keys (commandline -opc)'     -a 'url enabled interval backoff_max timeout resolve_timeout connect_timeout tls_timeout first_byte_timeout stall_timeout confirm confirm_interval failures retry_interval headers user_agent basic_auth bearer cookies ca_file client_certificate insecure proxy ip follow_redirects max_redirects follow_refresh max_bytes title_limit encoding tags ignore expect_title reject_title expect_url ok_status concurrency per_host connection_age file events listen metrics_only rows age newest size state'
complete -c pagewatch -n '__pagewatch_is check' -l from -rF -d 'more URLs, one a line; - is standard input'
complete -c pagewatch -n '__pagewatch_is check' -l no-refresh -d 'do not follow a page\'s own refresh'
complete -c pagewatch -n '__pagewatch_is check' -l target -x -a '(__pagewatch_targets)' -d 'load this target of the configuration as the service would, and tell what would be told of it; nothing is kept'
complete -c pagewatch -n '__pagewatch_is check' -l config -rF -d 'the main file'
complete -c pagewatch -n '__pagewatch_is check' -l state -x -a '(__fish_complete_directories (commandline -ct))' -d 'the state folder to go on from'
complete -c pagewatch -n '__pagewatch_is check' -l json -d 'one JSON object a page, as it completes'
complete -c pagewatch -n '__pagewatch_is check' -l events -d 'every change while pages load, as JSON lines'
complete -c pagewatch -n '__pagewatch_is check' -l plugin -d 'one line with figures for a monitoring system'
complete -c pagewatch -n '__pagewatch_is check' -l quiet -s q -d 'tell only what is not fine; --plugin does so anyway'
complete -c pagewatch -n '__pagewatch_is check' -l no-progress -d 'no progress bar, even on a terminal'
complete -c pagewatch -n '__pagewatch_is check' -l expect-title -x -d 'a title without a match of RE is exit code 1'
complete -c pagewatch -n '__pagewatch_is check' -l changed -rF -d 'compare with the titles kept in FILE, and keep the new ones; a change is exit code 1'
complete -c pagewatch -n '__pagewatch_is check' -l title-limit -x -d 'cut titles behind N UTF-16 units; 0 keeps them whole (default 1000)'
complete -c pagewatch -n '__pagewatch_is check' -l encoding -x -a 'big5 euc-jp euc-kr gb18030 gbk ibm866 iso-2022-jp iso-8859-10 iso-8859-13 iso-8859-14 iso-8859-15 iso-8859-16 iso-8859-2 iso-8859-3 iso-8859-4 iso-8859-5 iso-8859-6 iso-8859-7 iso-8859-8 iso-8859-8-i koi8-r koi8-u macintosh replacement shift_jis utf-16be utf-16le utf-8 windows-1250 windows-1251 windows-1252 windows-1253 windows-1254 windows-1255 windows-1256 windows-1257 windows-1258 windows-874 x-mac-cyrillic x-user-defined' -d 'read pages in this encoding, whatever they say'
complete -c pagewatch -n '__pagewatch_is check' -l timeout -s m -x -d 'the whole load of a page (default 30s)'
complete -c pagewatch -n '__pagewatch_is check' -l resolve-timeout -x -d 'looking up a host\'s name (default 10s)'
complete -c pagewatch -n '__pagewatch_is check' -l connect-timeout -x -d 'opening a connection (default 10s)'
complete -c pagewatch -n '__pagewatch_is check' -l tls-timeout -x -d 'the TLS handshake (default 10s)'
complete -c pagewatch -n '__pagewatch_is check' -l first-byte-timeout -x -d 'from the request to the end of the answer\'s head (default 20s)'
complete -c pagewatch -n '__pagewatch_is check' -l stall-timeout -x -d 'without a byte within a body (default 20s)'
complete -c pagewatch -n '__pagewatch_is check' -l concurrency -x -d 'pages loading at a time (default 64)'
complete -c pagewatch -n '__pagewatch_is check' -l per-host -x -d 'of these, from one host and port (default 6)'
complete -c pagewatch -n '__pagewatch_is check' -l max-redirects -x -d 'redirects to follow (default 20)'
complete -c pagewatch -n '__pagewatch_is check' -l max-bytes -x -d 'the most that a body may have (default 64MiB)'
complete -c pagewatch -n '__pagewatch_is check' -l header -s H -x -d 'send this header line, to the given URL\'s origin only; may be repeated'
complete -c pagewatch -n '__pagewatch_is check' -l user-agent -s A -x -d 'send this as User-Agent'
complete -c pagewatch -n '__pagewatch_is check' -l user -s u -x -d 'log in with these, at the given URL\'s origin only'
complete -c pagewatch -n '__pagewatch_is check' -l proxy -s x -x -d 'go through this proxy'
complete -c pagewatch -n '__pagewatch_is check' -l insecure -s k -d 'do not verify certificates and their names'
complete -c pagewatch -n '__pagewatch_is check' -l cacert -rF -d 'trust the authorities in this PEM file, not the system\'s'
complete -c pagewatch -n '__pagewatch_is check' -l resolve -x -d 'connect to ADDR for HOST and PORT; may be repeated'
complete -c pagewatch -n '__pagewatch_is check' -l ipv4 -s 4 -d 'use IPv4 addresses only'
complete -c pagewatch -n '__pagewatch_is check' -l ipv6 -s 6 -d 'use IPv6 addresses only'
complete -c pagewatch -n '__pagewatch_is check' -l http2-prior-knowledge -d 'HTTP/2 without TLS, unasked'
complete -c pagewatch -n '__pagewatch_is check' -l help -s h -d 'this text'
complete -c pagewatch -n '__pagewatch_is check' -l version -s V -d 'the version'
complete -c pagewatch -n '__pagewatch_is daemon' -l config -rF -d 'the main file; targets.d/*.yaml beside it are read too (default $PAGEWATCH_CONFIG, or else /etc/pagewatch/pagewatch.yaml)'
complete -c pagewatch -n '__pagewatch_is daemon' -l state -x -a '(__fish_complete_directories (commandline -ct))' -d 'the folder of the history (default $PAGEWATCH_STATE, $STATE_DIRECTORY, or else /var/lib/pagewatch)'
complete -c pagewatch -n '__pagewatch_is daemon' -l socket -rF -d 'the socket where the service is asked (default $PAGEWATCH_SOCKET, or else /run/pagewatch/control.sock or $XDG_RUNTIME_DIR/pagewatch/control.sock)'
complete -c pagewatch -n '__pagewatch_is daemon' -l force -d 'retire the targets of targets.d though that is missing'
complete -c pagewatch -n '__pagewatch_is daemon' -l no-progress -d 'no progress bars, even on a terminal'
complete -c pagewatch -n '__pagewatch_is daemon' -l help -s h -d 'this text'
complete -c pagewatch -n '__pagewatch_is daemon' -l version -s V -d 'the version'
complete -c pagewatch -n '__pagewatch_is verify' -l config -rF -d 'the main file; targets.d/*.yaml beside it are read too (default $PAGEWATCH_CONFIG, or else /etc/pagewatch/pagewatch.yaml)'
complete -c pagewatch -n '__pagewatch_is verify' -l help -s h -d 'this text'
complete -c pagewatch -n '__pagewatch_is verify' -l version -s V -d 'the version'
complete -c pagewatch -n '__pagewatch_is status' -l socket -rF -d 'the service\'s socket'
complete -c pagewatch -n '__pagewatch_is status' -l json -d 'the answer in JSON'
complete -c pagewatch -n '__pagewatch_is status' -l utc -d 'times in UTC instead of the service\'s zone'
complete -c pagewatch -n '__pagewatch_is status' -l watch -d 'show it again each second, until q is pressed'
complete -c pagewatch -n '__pagewatch_is status' -l names -d 'the names of the targets alone, one a line'
complete -c pagewatch -n '__pagewatch_is status' -l help -s h -d 'this text'
complete -c pagewatch -n '__pagewatch_is status' -l version -s V -d 'the version'
complete -c pagewatch -n '__pagewatch_operand status 0' -a '(__pagewatch_targets)'
complete -c pagewatch -n '__pagewatch_is tail' -l since -x -a 'today yesterday now' -d 'begin with the events since then'
complete -c pagewatch -n '__pagewatch_is tail' -l event -x -a 'durable all firstSeen titleChanged failing recovered oscillating settled unstable rebased encodingChanged gap service estimatedProgress url isLoading title canGoForward canGoBack navigation' -d 'events of that kind (docs/EVENTS.md lists them); may be repeated'
complete -c pagewatch -n '__pagewatch_is tail' -l durable -d 'those that the history keeps'
complete -c pagewatch -n '__pagewatch_is tail' -l json -d 'one JSON object a line'
complete -c pagewatch -n '__pagewatch_is tail' -l utc -d 'times in UTC instead of the service\'s zone'
complete -c pagewatch -n '__pagewatch_is tail' -l no-progress -d 'no bars on a terminal'
complete -c pagewatch -n '__pagewatch_is tail' -l exec -x -a '(__fish_complete_command)' -d 'run CMD for each event instead of printing it'
complete -c pagewatch -n '__pagewatch_is tail' -l cursor-file -rF -d 'where it is kept how far events are handled'
complete -c pagewatch -n '__pagewatch_is tail' -l socket -rF -d 'the service\'s socket'
complete -c pagewatch -n '__pagewatch_is tail' -l help -s h -d 'this text'
complete -c pagewatch -n '__pagewatch_is tail' -l version -s V -d 'the version'
complete -c pagewatch -n '__pagewatch_operand tail' -a '(__pagewatch_targets)'
complete -c pagewatch -n '__pagewatch_is history' -l limit -x -d 'only the newest N (default all)'
complete -c pagewatch -n '__pagewatch_is history' -l since -x -a 'today yesterday now' -d 'only those since then'
complete -c pagewatch -n '__pagewatch_is history' -l at -x -a 'today yesterday now' -d 'instead, the title at that time and the loads around it'
complete -c pagewatch -n '__pagewatch_is history' -l json -d 'one JSON object a line'
complete -c pagewatch -n '__pagewatch_is history' -l utc -d 'times in UTC instead of the local zone'
complete -c pagewatch -n '__pagewatch_is history' -l state -x -a '(__fish_complete_directories (commandline -ct))' -d 'the state folder'
complete -c pagewatch -n '__pagewatch_is history' -l help -s h -d 'this text'
complete -c pagewatch -n '__pagewatch_is history' -l version -s V -d 'the version'
complete -c pagewatch -n '__pagewatch_operand history 0' -a '(__pagewatch_targets)'
complete -c pagewatch -n '__pagewatch_is reload' -l socket -rF -d 'the service\'s socket'
complete -c pagewatch -n '__pagewatch_is reload' -l json -d 'the answer in JSON'
complete -c pagewatch -n '__pagewatch_is reload' -l utc -d 'times in UTC instead of the service\'s zone'
complete -c pagewatch -n '__pagewatch_is reload' -l no-wait -d 'do not wait for the load to end'
complete -c pagewatch -n '__pagewatch_is reload' -l help -s h -d 'this text'
complete -c pagewatch -n '__pagewatch_is reload' -l version -s V -d 'the version'
complete -c pagewatch -n '__pagewatch_operand reload 0' -a '(__pagewatch_targets)'
complete -c pagewatch -n '__pagewatch_is stop' -l socket -rF -d 'the service\'s socket'
complete -c pagewatch -n '__pagewatch_is stop' -l json -d 'the answer in JSON'
complete -c pagewatch -n '__pagewatch_is stop' -l utc -d 'times in UTC instead of the service\'s zone'
complete -c pagewatch -n '__pagewatch_is stop' -l help -s h -d 'this text'
complete -c pagewatch -n '__pagewatch_is stop' -l version -s V -d 'the version'
complete -c pagewatch -n '__pagewatch_operand stop 0' -a '(__pagewatch_targets)'
complete -c pagewatch -n '__pagewatch_is load' -l socket -rF -d 'the service\'s socket'
complete -c pagewatch -n '__pagewatch_is load' -l json -d 'the answer in JSON'
complete -c pagewatch -n '__pagewatch_is load' -l utc -d 'times in UTC instead of the service\'s zone'
complete -c pagewatch -n '__pagewatch_is load' -l no-wait -d 'do not wait for the load to end'
complete -c pagewatch -n '__pagewatch_is load' -l help -s h -d 'this text'
complete -c pagewatch -n '__pagewatch_is load' -l version -s V -d 'the version'
complete -c pagewatch -n '__pagewatch_operand load 0' -a '(__pagewatch_targets)'
complete -c pagewatch -n '__pagewatch_is back' -l socket -rF -d 'the service\'s socket'
complete -c pagewatch -n '__pagewatch_is back' -l json -d 'the answer in JSON'
complete -c pagewatch -n '__pagewatch_is back' -l utc -d 'times in UTC instead of the service\'s zone'
complete -c pagewatch -n '__pagewatch_is back' -l no-wait -d 'do not wait for the load to end'
complete -c pagewatch -n '__pagewatch_is back' -l help -s h -d 'this text'
complete -c pagewatch -n '__pagewatch_is back' -l version -s V -d 'the version'
complete -c pagewatch -n '__pagewatch_operand back 0' -a '(__pagewatch_targets)'
complete -c pagewatch -n '__pagewatch_is forward' -l socket -rF -d 'the service\'s socket'
complete -c pagewatch -n '__pagewatch_is forward' -l json -d 'the answer in JSON'
complete -c pagewatch -n '__pagewatch_is forward' -l utc -d 'times in UTC instead of the service\'s zone'
complete -c pagewatch -n '__pagewatch_is forward' -l no-wait -d 'do not wait for the load to end'
complete -c pagewatch -n '__pagewatch_is forward' -l help -s h -d 'this text'
complete -c pagewatch -n '__pagewatch_is forward' -l version -s V -d 'the version'
complete -c pagewatch -n '__pagewatch_operand forward 0' -a '(__pagewatch_targets)'
complete -c pagewatch -n '__pagewatch_is go' -l socket -rF -d 'the service\'s socket'
complete -c pagewatch -n '__pagewatch_is go' -l json -d 'the answer in JSON'
complete -c pagewatch -n '__pagewatch_is go' -l utc -d 'times in UTC instead of the service\'s zone'
complete -c pagewatch -n '__pagewatch_is go' -l no-wait -d 'do not wait for the load to end'
complete -c pagewatch -n '__pagewatch_is go' -l help -s h -d 'this text'
complete -c pagewatch -n '__pagewatch_is go' -l version -s V -d 'the version'
complete -c pagewatch -n '__pagewatch_operand go 0' -a '(__pagewatch_targets)'
complete -c pagewatch -n '__pagewatch_is pause' -l socket -rF -d 'the service\'s socket'
complete -c pagewatch -n '__pagewatch_is pause' -l json -d 'the answer in JSON'
complete -c pagewatch -n '__pagewatch_is pause' -l utc -d 'times in UTC instead of the service\'s zone'
complete -c pagewatch -n '__pagewatch_is pause' -l for -x -d 'how long (default until it is resumed)'
complete -c pagewatch -n '__pagewatch_is pause' -l help -s h -d 'this text'
complete -c pagewatch -n '__pagewatch_is pause' -l version -s V -d 'the version'
complete -c pagewatch -n '__pagewatch_operand pause 0' -a '(__pagewatch_targets)'
complete -c pagewatch -n '__pagewatch_is resume' -l socket -rF -d 'the service\'s socket'
complete -c pagewatch -n '__pagewatch_is resume' -l json -d 'the answer in JSON'
complete -c pagewatch -n '__pagewatch_is resume' -l utc -d 'times in UTC instead of the service\'s zone'
complete -c pagewatch -n '__pagewatch_is resume' -l help -s h -d 'this text'
complete -c pagewatch -n '__pagewatch_is resume' -l version -s V -d 'the version'
complete -c pagewatch -n '__pagewatch_operand resume 0' -a '(__pagewatch_targets)'
complete -c pagewatch -n '__pagewatch_is reconfigure' -l socket -rF -d 'the service\'s socket'
complete -c pagewatch -n '__pagewatch_is reconfigure' -l json -d 'the answer in JSON'
complete -c pagewatch -n '__pagewatch_is reconfigure' -l utc -d 'times in UTC instead of the service\'s zone'
complete -c pagewatch -n '__pagewatch_is reconfigure' -l force -d 'also if more than half of the targets, or targets.d, are gone'
complete -c pagewatch -n '__pagewatch_is reconfigure' -l quiet -s q -d 'leave what changed, and mistakes, to the service\'s log'
complete -c pagewatch -n '__pagewatch_is reconfigure' -l help -s h -d 'this text'
complete -c pagewatch -n '__pagewatch_is reconfigure' -l version -s V -d 'the version'
complete -c pagewatch -n '__pagewatch_is forget' -l state -x -a '(__fish_complete_directories (commandline -ct))' -d 'the state folder'
complete -c pagewatch -n '__pagewatch_is forget' -l socket -rF -d 'the service\'s socket'
complete -c pagewatch -n '__pagewatch_is forget' -l help -s h -d 'this text'
complete -c pagewatch -n '__pagewatch_is forget' -l version -s V -d 'the version'
complete -c pagewatch -n '__pagewatch_operand forget 0' -a '(__pagewatch_targets)'
complete -c pagewatch -n '__pagewatch_is backup' -l state -x -a '(__fish_complete_directories (commandline -ct))' -d 'the state folder'
complete -c pagewatch -n '__pagewatch_is backup' -l help -s h -d 'this text'
complete -c pagewatch -n '__pagewatch_is backup' -l version -s V -d 'the version'
complete -c pagewatch -n '__pagewatch_operand backup 0' -F
