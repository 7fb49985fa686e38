#!/bin/sh
# Tries the app that macos.sh has made, on a Mac with somebody logged in at its screen:
# takes it out of the disk image in DIST, looks at its signature, lets it read simulated
# editors, opens it as a click does and as a login does, and puts pictures of the screen
# into PICTURES. No Windsock may run before; what the app itself keeps stays.
#
# Usage: packaging/macos-try.sh DIST PICTURES
set -eu
[ "$(uname)" = Darwin ] || { echo "macos-try.sh: this has to run on a Mac" >&2; exit 1; }
image=$(find "$1" -maxdepth 1 -name 'windsock-*-macos.dmg')
mkdir -p "$2"
pictures=$(cd "$2" && pwd)
work=$(mktemp -d)
work=$(cd "$work" && pwd -P) # as ps shows it
label=windsock.try
session="gui/$(id -u)"
cleanup() {
	launchctl bootout "$session/$label" 2>/dev/null || true
	hdiutil detach -quiet "$work/volume" 2>/dev/null || true
	rm -rf "$work"
}
trap cleanup EXIT

step() { printf '\n== %s\n' "$*"; }
die() { echo "macos-try.sh: $*" >&2; exit 1; }

# until_ COMMAND... repeats it until it succeeds, for half a minute at most.
until_() {
	tries=30
	until "$@"; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || return 1
		sleep 1
	done
}
# running PATTERN prints the process IDs of command lines that are it.
running() { pgrep -f -- "^$1\$"; }
gone() { ! running "$1" >/dev/null; }

# opens NAME COMMANDLINE holds that the app comes up, stays and shows itself.
opens() {
	until_ running "$2" || die "$1: the app does not run"
	sleep 10 # a crash, and what the menu bar needs
	running "$2" >/dev/null || die "$1: the app has ended"
	lsappinfo list | grep -i -A 3 windsock || echo "lsappinfo does not know it"
	screencapture -x "$pictures/$1.png"
}

step "the disk image"
[ -f "$image" ] || die "there is not one disk image in $1"
hdiutil attach -quiet -nobrowse -readonly -mountpoint "$work/volume" "$image"
ditto "$work/volume/Windsock.app" "$work/Windsock.app"
hdiutil detach -quiet "$work/volume"
windsock="$work/Windsock.app/Contents/MacOS/windsock"
codesign --verify --strict --verbose=2 "$work/Windsock.app"
codesign --display --verbose=2 "$work/Windsock.app"
for arch in arm64 x86_64; do
	lipo "$windsock" -verify_arch "$arch" || die "the program is not for $arch"
done
spctl --assess --type execute --verbose "$work/Windsock.app" || echo "Gatekeeper refuses it once it was downloaded: it is not notarised"

step "the commands"
"$windsock" version
for scenario in teams_credits antigravity family; do
	said=$("$windsock" demo --scenario "$scenario" doctor) || die "doctor cannot read $scenario: $said"
	echo "$said"
	"$windsock" demo --scenario "$scenario" status
done
case $("$windsock" demo doctor) in
*"Windsock can read the plan from Windsurf."*) ;;
*) die "doctor does not say that it can read the plan" ;;
esac
"$windsock" demo ask hello | grep simulated || die "the simulator gives no answer"
code=0
"$windsock" doctor || code=$?
case $code in
0 | 3) ;; # an editor may run here
*) die "doctor without an editor ends with $code" ;;
esac

step "opened as by a click"
open -g "$work/Windsock.app"
opens click "$windsock"
running "$windsock" | xargs kill
until_ gone "$windsock" || die "the app does not end"

step "opened as at login"
cat >"$work/$label.plist" <<END
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>Label</key>
	<string>$label</string>
	<key>ProgramArguments</key>
	<array>
		<string>$windsock</string>
		<string>demo</string>
	</array>
	<key>RunAtLoad</key>
	<true/>
	<key>ProcessType</key>
	<string>Interactive</string>
	<key>LimitLoadToSessionType</key>
	<string>Aqua</string>
	<key>StandardErrorPath</key>
	<string>$work/errors</string>
</dict>
</plist>
END
plutil -lint "$work/$label.plist"
launchctl bootstrap "$session" "$work/$label.plist"
opens login "$windsock demo"
launchctl bootout "$session/$label"
until_ gone "$windsock demo" || die "the app does not end"
cat "$work/errors"
until_ gone '.*/windsock-demo-.*' || die "simulated editors are left: $(running '.*/windsock-demo-.*')"

step "all of it holds"
