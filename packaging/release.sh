#!/bin/sh
# Makes the packages for all systems out of HEAD, into dist. For a Mac's program
# see macos.sh. `packaging/release.sh -help` lists what else can be asked for.
set -eu
cd "$(dirname "$0")/.."
tool=$(mktemp)
trap 'rm -f "$tool"' EXIT
GOWORK=off go -C packaging/release build -o "$tool" .
"$tool" "$@"
