#!/usr/bin/env bash
# Makes what the packages of a version hold beside the program, in packaging/extras,
# and the resources that go build puts into the programs for Windows.
# .goreleaser.yaml takes them from there.
set -euo pipefail
cd "$(dirname "$0")/.."
extras=packaging/extras
share=$extras/share
rm -rf "$share" "$extras/windows" "$extras/docs"
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
go run -tags docs . docs "$extras/docs"
packaging/licences.sh >"$extras/docs/licences.txt"

put() { install -D -m 644 "$@"; }
put -t "$share/applications" packaging/windsock.Windsock.desktop
put LICENSE "$share/doc/windsock/copyright"
put "$extras/docs/licences.txt" "$share/doc/windsock/licences-of-libraries.txt"
put "$extras/docs/completions/windsock.bash" "$share/bash-completion/completions/windsock"
put "$extras/docs/completions/_windsock" "$share/zsh/site-functions/_windsock"
put "$extras/docs/completions/windsock.fish" "$share/fish/vendor_completions.d/windsock.fish"
put "$extras/docs/completions/windsock.ps1" "$share/powershell/Completions/windsock.ps1"
for size in 16 22 24 32 48 64 128 256 512; do
	put "$extras/docs/icons/$size.png" "$share/icons/hicolor/${size}x$size/apps/windsock.png"
done
gzip -9 -n "$extras"/docs/man/man?/*
for section in 1 7; do
	put -t "$share/man/man$section" "$extras/docs/man/man$section"/*
done

# Some packages hold the times of directories.
find "$share" -exec touch -d "@$SOURCE_DATE_EPOCH" {} +

put LICENSE "$extras/windows/LICENSE.txt"
put "$extras/docs/licences.txt" "$extras/windows/licences-of-libraries.txt"
put "$extras/docs/completions/windsock.ps1" "$extras/windows/completions/windsock.ps1"
# Windows has four numbers for a version; one that leads to a release bears the release's.
go run github.com/tc-hib/go-winres@v0.3.3 make --in packaging/winres.json --arch amd64,arm64 \
	--file-version "$1" --product-version "$1"
