#!/usr/bin/env bash
# Makes the packages, or takes those in DIR, and tries them: what is in them, the deb
# installed, run and removed (Debian, root), the program for Windows under Wine. What
# cannot be tried for want of a tool is said; with CI set that is an error.
#
# Usage: packaging/check.sh [DIR]
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

# try_stamp FILE looks at what a program says of its own making, and that nothing in
# it says where that was.
try_stamp() {
	local said part
	said=$(go version -m "$1")
	for part in $'\tmod\twindsock\t'"$stamp"$'\t' "vcs.revision=$commit" vcs.modified=false CGO_ENABLED=0 -trimpath=true; do
		[[ $said == *"$part"* ]] || die "${1##*/} is not stamped with $part: $said"
	done
	[[ $said != *"=>"* ]] || die "${1##*/} has a replaced module in it: $said"
	for part in "$PWD/" "$HOME/" "$(go env GOROOT)/" "$(go env GOMODCACHE)/" "${TMPDIR:-/tmp}/tmp."; do
		! grep -qaF -e "$part" "$1" || die "${1##*/} has the path $part of this machine in it"
	done
}

# try_subsystem FILE NUMBER: 2 is a program for the desktop, 3 one for the terminal.
try_subsystem() {
	local header
	header=$(od -An -tu4 -j60 -N4 "$1")
	[ "$(od -An -tu2 -j$((header + 92)) -N2 "$1")" -eq "$2" ] || die "the subsystem of ${1##*/} is not $2"
}

dist=${1:-$work/dist}
[ -n "${1:-}" ] || packaging/release.sh "$dist"
(cd "$dist" && sha256sum --quiet -c SHA256SUMS)
commit=$(git rev-parse --verify HEAD)
deb=$(ls "$dist"/*-linux-amd64.deb)
# What Go stamps the programs with: the commit's tag, else a pseudo-version.
mkdir "$work/linux" "$work/windows"
tar -xzf "${deb%.deb}.tar.gz" -C "$work/linux"
stamp=$(go version -m "$work/linux/bin/windsock" | awk '$1 == "mod" { print $3 }')
tag=$(git tag --points-at HEAD)
if [ -n "$tag" ]; then
	[ "$stamp" = "$tag" ] || die "the program says that it is $stamp, not $tag"
	[ "${deb##*/}" = "windsock-${tag#v}-linux-amd64.deb" ] || die "${deb##*/} is not called after $tag"
fi

try_linux() {
	local archive
	for archive in "$dist"/*-linux-*.tar.gz; do
		tar -xzf "$archive" -C "$work" bin/windsock
		try_stamp "$work/bin/windsock"
	done
}

# All packages of an architecture hold the same files, and all are root's.
try_same() {
	local deb_of package list first
	for deb_of in "$dist"/*.deb; do
		first=
		for package in "${deb_of%.deb}".{deb,rpm,apk,pkg.tar.zst}; do
			rm -rf "$work/same" && mkdir "$work/same"
			case $package in
			*.deb) dpkg-deb --fsys-tarfile "$package" | bsdtar -xf - -C "$work/same" ;;
			*) bsdtar -xf "$package" -C "$work/same" ;;
			esac
			list=$(cd "$work/same" && find usr -type f -printf '%m ' -exec sha256sum {} \; | sort)
			[ "$(id -u)" != 0 ] || [ -z "$(find "$work/same/usr" ! -user 0)" ] || die "${package##*/} has files that are not root's"
			[ -n "$first" ] || first=$list
			[ "$list" = "$first" ] || die "${package##*/} holds other files than the deb: $(diff <(echo "$first") <(echo "$list"))"
		done
		echo "$(wc -l <<<"$first") files in each package of ${deb_of##*/}"
	done
}

try_programs() {
	local archive program
	for archive in "$dist"/*-windows-*.zip; do
		unzip -qo "$archive" -d "$work/windows"
		try_subsystem "$work/windows/windsock.exe" 3
		try_subsystem "$work/windows/windsockw.exe" 2
		for program in windsock windsockw; do
			try_stamp "$work/windows/$program.exe"
			rm -rf "$work/resources"
			go run github.com/tc-hib/go-winres@v0.3.3 extract --dir "$work/resources" "$work/windows/$program.exe"
			for part in RT_GROUP_ICON RT_VERSION RT_MANIFEST; do
				grep -q "$part" "$work/resources/winres.json" || die "$program.exe of ${archive##*/} has no $part"
			done
		done
	done
}

try_entry() {
	dpkg-deb -x "$deb" "$work/deb"
	desktop-file-validate "$work/deb/usr/share/applications/windsock.Windsock.desktop"
	[ ! -e "$work/deb/etc" ] || die "the package has something in /etc"
	[ -z "$(find "$work/deb" -name '*.wants')" ] || die "the package enables its unit"
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
	[[ $(/usr/bin/windsock version) == "windsock $stamp linux/amd64 "* ]] || die "it is of another version: $(/usr/bin/windsock version)"
	[[ $(HOME="$work" /usr/bin/windsock demo status) == *"Prompt credits"* ]] || die "the demo shows no prompt credits"
	bash -c '. /usr/share/bash-completion/completions/windsock && complete -p windsock' >/dev/null
	if can systemd-analyze; then
		XDG_RUNTIME_DIR="$work" systemd-analyze --user --man=no verify /usr/lib/systemd/user/windsock.service || die "the unit is wrong"
	fi
	if can man; then
		local page
		page=$(MANPAGER=cat MANWIDTH=80 man windsock-status)
		[[ $page == *"--fail-under "* && $page == *"--at TIME"* ]] || die "man windsock-status does not show the options as one writes them: $page"
		page=$(MANPAGER=cat MANWIDTH=120 man windsock-bars)
		[[ $page == *"status --format waybar --watch"* && $page != *SYNOPSIS* ]] || die "man windsock-bars is not the help topic: $page"
		page=$(MANPAGER=cat MANWIDTH=120 man windsock-ask windsock-antigravity)
		[[ $page == *" </dev/null "* && $page == *$'payload=$(cat)\n'* ]] || die "man pages lose what --help says: $page"
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
	unzip -qo "$dist"/*-windows-amd64.zip -d "$work/windows"
	said=$(wine "$work/windows/windsock.exe" version | tr -d '\r')
	[[ $said == "windsock $stamp windows/amd64 "* ]] || die "windsock.exe version says '$said'"
	wine "$work/windows/windsockw.exe" version || die "windsockw.exe does not run"
	echo "run under Wine: $said"
}

try_linux
if can dpkg-deb bsdtar; then try_same; fi
if can unzip; then try_programs; fi
if can desktop-file-validate; then try_entry; fi
if [ "$(id -u)" = 0 ]; then
	if can dpkg; then try_deb; fi
elif [ -n "${CI:-}" ]; then
	die "only root can install the deb"
else
	echo "not tried: only root can install the deb"
fi
if can wine wineserver x86_64-w64-mingw32-gcc unzip; then try_windows; fi
