#!/bin/sh
# Installs the Debian packages that pagewatch is built, tested and run with; only those that are
# missing, asking for nothing, with sudo only when not root. With --all also what some tests need,
# which are skipped without: other shells, tmux, systemd, and what checks manual pages and metrics. With --deb
# what the Debian package is built and tested with. Both may be given.
set -eu

# Libraries with their headers, then what make targets and tests run.
packages="libcurl4-openssl-dev libxml2-dev zlib1g-dev libbrotli-dev libzstd-dev libpcre2-dev
    libyaml-dev libsqlite3-dev libmicrohttpd-dev
    pkg-config python3 ca-certificates openssl curl nginx-light iproute2"
for option in "$@"; do
    case $option in
    --all) packages="$packages man-db mandoc zsh fish prometheus systemd logrotate procps tmux" ;;
    --deb) packages="$packages debhelper dpkg-dev fakeroot lintian debootstrap faketime disorderfs" ;;
    *) echo "install-dependencies: \"$option\" is no option (--all, --deb)" >&2; exit 2 ;;
    esac
done

missing=
for package in $packages; do
    state=$(dpkg-query --show --showformat '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

echo "installing:$missing"
root=
[ "$(id -u)" = 0 ] || root=sudo
# The tests run nginx on ports of their own; the service that its package would start stays off.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
    trap '$root rm -f "$policy"' EXIT
    trap 'exit 130' INT TERM HUP
    printf '#!/bin/sh\nexit 101\n' | $root tee "$policy" >/dev/null
    $root chmod +x "$policy"
fi
install() {
    # Unquoted: the names are to be words.
    $root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing
}
# The lists of a fresh machine are empty; where they are there, they may do.
install || { $root apt-get update -q && install; }
