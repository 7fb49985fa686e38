#!/usr/bin/env bash
# Makes the packages for Linux and Windows out of HEAD, into dist or the directory
# given, as .goreleaser.yaml says: of a clean clone, so that nothing gets in that
# lies about. What macos.sh has put there already gets its checksums.
# With -again it makes them twice, the second time without Go's cache, and compares.
#
# Usage: packaging/release.sh [-again] [DIR]
set -euo pipefail
cd "$(dirname "$0")/.."
again=
if [ "${1:-}" = -again ]; then
	again=yes
	shift
fi
mkdir -p "${1:-dist}"
out=$(cd "${1:-dist}" && pwd)
version=v2.16.0
goreleaser="${XDG_CACHE_HOME:-$HOME/.cache}/windsock-ci/goreleaser-$version/goreleaser"
[ -x "$goreleaser" ] || GOBIN="${goreleaser%/*}" go install "github.com/goreleaser/goreleaser/v2@$version"

work=$(mktemp -d)
trap 'chmod -R u+w "$work" && rm -rf "$work"' EXIT
commit=$(git rev-parse --verify HEAD)
# make DIR makes them in DIR/dist.
make() {
	git clone --quiet --no-checkout . "$1"
	git -C "$1" checkout --quiet --detach "$commit"
	mkdir "$1/packaging/extras"
	find "$out" -maxdepth 1 -name '*-macos.*' -exec cp {} "$1/packaging/extras" \;
	local snapshot=--snapshot # a commit without a tag is no release
	[ -z "$(git -C "$1" tag --points-at HEAD)" ] || snapshot=
	# One at a time, for the zip has the programs in the order in which they were built.
	(cd "$1" && "$goreleaser" release ${snapshot:+"$snapshot"} --clean --skip=publish --parallelism=1)
}

make "$work/first"
if [ -n "$again" ]; then
	GOCACHE="$work/cache" make "$work/second"
	diff "$work/first/dist/SHA256SUMS" "$work/second/dist/SHA256SUMS" >&2 || { echo "release.sh: the second time they were others" >&2; exit 1; }
	echo "$(wc -l <"$work/first/dist/SHA256SUMS") files are the same when made again"
fi
cp -r "$work"/first/dist/{windsock-*,SHA256SUMS,scoop,winget} "$out"
