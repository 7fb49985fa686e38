#!/usr/bin/env bash
# Prints the licences of all that is linked into the programs: their terms ask for that.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C CGO_ENABLED=0
modules='{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{"\t"}}{{.Dir}}{{end}}{{end}}'
{
	printf 'Go\t%s\n' "$(go env GOROOT)"
	for target in linux/amd64 linux/arm64 windows/amd64 windows/arm64 darwin/arm64; do
		GOOS=${target%/*} GOARCH=${target#*/} go list -deps -tags=nethttpomithttp2 -f "$modules" .
	done
	for library in assets/window/vendor/*/; do
		printf '%s\t%s\n' "$(basename "$library")" "$library"
	done
} | grep . | sort -u | while IFS=$'\t' read -r name dir; do
	texts=$(find "$dir" -maxdepth 1 -type f | grep -iE '/(licen[cs]e|copying|notice)([.-][^/]*)?$' | sort) ||
		{ echo "licences.sh: there is no licence of $name" >&2; exit 1; }
	while read -r text; do
		printf '==== %s: %s\n\n%s\n\n' "$name" "$(basename "$text")" "$(cat "$text")"
	done <<<"$texts"
done
