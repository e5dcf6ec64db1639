# Prints what fish would complete, a line each: capture.fish COMPLETION LINE
source $argv[1]
complete -C $argv[2]
