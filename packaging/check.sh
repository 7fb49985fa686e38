#!/usr/bin/env bash
# Makes the packages and tries them: what is in them, the deb installed, run and
# removed (Debian, root), the program for Windows under Wine. What cannot be tried
# for want of a tool is said; with CI set that is an error.
#
# Usage: packaging/check.sh [-again]     with -again, that a second build is the same, too
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
installed=
cleanup() {
	if [ -n "$installed" ]; then dpkg --purge windsock >/dev/null || true; fi
	if [ -d "$work/wine" ]; then WINEPREFIX="$work/wine" wineserver --kill >/dev/null 2>&1 || true; fi
	rm -rf "$work"
}
trap cleanup EXIT

die() { echo "packages: $*" >&2; exit 1; }

# can TOOL... tells whether all are there.
can() {
	local tool
	for tool; do
		command -v "$tool" >/dev/null && continue
		[ -z "${CI:-}" ] || die "$tool is missing"
		echo "not tried: there is no $tool"
		return 1
	done
}

release() { packaging/release.sh -out "$work/dist" "$@"; }

# try_stamp FILE VERSION looks at what a program says of its own making, and that
# nothing in it says where that was.
try_stamp() {
	local said part
	said=$(go version -m "$1")
	for part in $'\tmod\twindsock\t'"v$2" "vcs.revision=$commit" vcs.modified=false CGO_ENABLED=0 -trimpath=true; do
		[[ $said == *"$part"* ]] || die "${1##*/} is not stamped with $part: $said"
	done
	[[ $said != *"=>"* ]] || die "${1##*/} has a replaced module in it: $said"
	for part in "$PWD/" "$HOME/" "$(go env GOROOT)/" "$(go env GOMODCACHE)/" /windsock-release-; do
		! grep -qaF -e "$part" "$1" || die "${1##*/} has the path $part of this machine in it"
	done
}

go -C packaging/release vet ./...
go -C packaging/release test -timeout 120s ./...
commit=$(git rev-parse --verify HEAD)
release -revision "$commit" "$@"
release -check
(cd "$work/dist" && sha256sum --quiet -c SHA256SUMS)
deb=$(ls "$work"/dist/*-linux-amd64.deb)
version=${deb##*/windsock-}
version=${version%-linux-amd64.deb}

try_linux() {
	local archive
	for archive in "$work"/dist/*-linux-*.tar.gz; do
		tar -xzf "$archive" -C "$work" bin/windsock
		try_stamp "$work/bin/windsock" "$version"
	done
}

try_entry() {
	dpkg-deb -x "$deb" "$work/deb"
	desktop-file-validate "$work/deb/usr/share/applications/windsock.desktop"
	[ ! -e "$work/deb/etc" ] || die "the package has something in /etc"
}

try_deb() {
	! dpkg -s windsock >/dev/null 2>&1 || die "windsock is installed here already; this would remove it"
	local path made=()
	while read -r path; do
		[ -e "/$path" ] || made+=("/$path")
	done < <(dpkg-deb --fsys-tarfile "$deb" | tar -t | sed 's#^\./##; s#/$##' | grep .)
	installed=yes
	dpkg -i "$deb" >"$work/dpkg.log" || { cat "$work/dpkg.log"; die "dpkg -i failed"; }
	for path in "${made[@]}"; do
		[ -e "$path" ] || die "$path was not installed"
	done
	[[ $(/usr/bin/windsock version) == "windsock v$version linux/amd64 "* ]] || die "it is of another version: $(/usr/bin/windsock version)"
	[[ $(HOME="$work" /usr/bin/windsock demo status) == *"Prompt credits"* ]] || die "the demo shows no prompt credits"
	bash -c '. /usr/share/bash-completion/completions/windsock && complete -p windsock' >/dev/null
	if can man; then
		[[ $(MANPAGER=cat MANWIDTH=80 man windsock-status) == *--fail-under* ]] || die "man windsock-status does not show the options"
	fi
	dpkg -r windsock >"$work/dpkg.log" || { cat "$work/dpkg.log"; die "dpkg -r failed"; }
	installed=
	for path in "${made[@]}"; do
		[ ! -e "$path" ] || die "$path was left behind"
	done
	! dpkg -s windsock >/dev/null 2>&1 || die "dpkg has kept something"
	echo "installed, run and removed: ${#made[@]} files and directories"
}

# Wine as tray/traytest sets it up: without copying its libraries, and with one
# that Go asks for and Debian's Wine lacks.
try_windows() {
	export WINEPREFIX="$work/wine" WINEBOOTSTRAPMODE=1 WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml,winemenubuilder.exe='
	local system="$WINEPREFIX/drive_c/windows/system32" said
	mkdir -p "$system"
	echo disable >"$WINEPREFIX/.update-timestamp"
	x86_64-w64-mingw32-gcc -s -shared tray/traytest/wine/bcryptprimitives.c -o "$system/bcryptprimitives.dll"
	mkdir "$work/windows"
	unzip -q "$work"/dist/*-windows-amd64.zip -d "$work/windows"
	try_stamp "$work/windows/windsock.exe" "$version"
	try_stamp "$work/windows/windsockw.exe" "$version"
	said=$(wine "$work/windows/windsock.exe" version | tr -d '\r')
	[[ $said == "windsock v$version windows/amd64 "* ]] || die "windsock.exe version says '$said'"
	wine "$work/windows/windsockw.exe" version || die "windsockw.exe does not run"
	echo "run under Wine: $said"
}

try_linux
if can desktop-file-validate; then try_entry; fi
if [ "$(id -u)" = 0 ]; then
	if can dpkg; then try_deb; fi
elif [ -n "${CI:-}" ]; then
	die "only root can install the deb"
else
	echo "not tried: only root can install the deb"
fi
if can wine wineserver x86_64-w64-mingw32-gcc unzip; then try_windows; fi
