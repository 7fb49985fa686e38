#!/bin/sh
# Holds the engine for agents against a real one, and measures it: opencode, whose model
# is windsock serve on a simulated editor, answers two prompts; then the time to the
# first text is put beside that of the simulated agent driven by hand. No account is
# needed, and nothing but the download goes to the network. Needs Go, npm and Linux on
# x86-64; opencode takes 180 MB in a temporary directory.
set -eu
opencode=1.18.34
cd "$(dirname "$0")/.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM
npm install --prefix "$dir" --no-audit --no-fund --no-save "opencode-linux-x64@$opencode"
go build -o "$dir/windsock" .
go test -count=1 -run '^TestOpencode$' -v ./chat/acp/e2e \
  -opencode "$dir/node_modules/opencode-linux-x64/bin/opencode" -windsock "$dir/windsock"
go test -count=1 -run '^$' -bench '^BenchmarkFirstText$' -benchtime 50x ./chat/acp/e2e
