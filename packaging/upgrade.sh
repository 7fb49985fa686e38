#!/usr/bin/env bash
# Replaces the package of an older Windsock over a home in use, while its app runs and
# while it does not, and looks whether everything is as it was (TestUpgrade in
# tray/app/e2e). OLD and NEW are debs, or commits of which packaging/release.sh of that
# time makes them, in some minutes each; without them they are the first edition and HEAD.
# What follows is for the test: -leave DIR keeps what OLD has left, as in
# tray/app/e2e/testdata/first_edition.
#
# For root on Debian. The machine stays as it is: the packages are installed in a
# namespace, where /usr and /var are overlays in memory.
#
# Usage: packaging/upgrade.sh [OLD [NEW [-leave DIR]]]
set -euo pipefail
cd "$(dirname "$0")/.."
[ "$(id -u)" = 0 ] || { echo "upgrade.sh: only root can install a deb" >&2; exit 1; }
old=${1:-0fba8bc0} # the last commit of the first edition
new=${2:-HEAD}
shift $(($# < 2 ? $# : 2))
work=$(mktemp -d)
trap 'chmod -R u+w "$work" && rm -rf "$work"' EXIT

# deb NAME DEB|COMMIT prints where the deb is.
deb() {
	if [ -f "$2" ]; then
		realpath "$2"
		return
	fi
	git clone --quiet --no-checkout . "$work/$1"
	git -C "$work/$1" checkout --quiet --detach "$(git rev-parse --verify "$2^{commit}")"
	"$work/$1/packaging/release.sh" >&2
	ls "$work/$1"/dist/*-linux-"$(dpkg --print-architecture)".deb
}

old=$(deb old "$old")
new=$(deb new "$new")
go test -c -o "$work/test" ./tray/app/e2e
mkdir "$work/over"
cd tray/app/e2e
# shellcheck disable=SC2016 # the inner shell expands it
unshare --mount --pid --fork --kill-child --mount-proc bash -euc '
	over=$1
	shift
	mount -t tmpfs tmpfs "$over"
	for dir in usr var; do
		mkdir "$over/$dir" "$over/$dir.work"
		mount -t overlay -o "lowerdir=/$dir,upperdir=$over/$dir,workdir=$over/$dir.work" overlay "/$dir"
	done
	exec "$@"' bash "$work/over" "$work/test" -test.run '^TestUpgrade$' -test.v -old "$old" -new "$new" "$@"
