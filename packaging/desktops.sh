#!/usr/bin/env bash
# Shows the demo on whole desktops, and keeps a picture of each with its menu open: sway
# with Waybar (the module of help/bars.md, and the tray), GNOME Shell with its AppIndicator extension,
# LXQt's panel. The icon and the menu's rows are asked for over D-Bus; the menu is opened
# with a pointer.
#
#   packaging/desktops.sh PICTURES [sway|gnome|lxqt ...]
#   packaging/desktops.sh -packages     names what Debian 13 has these desktops in
#
# For an ordinary user: sway refuses root. $WINDSOCK is the program, else Go builds it. A
# desktop whose programs are missing is skipped; with CI set that is an error.
#
# shellcheck disable=SC2317 # retry has functions by name
set -euo pipefail

packages="sway waybar grim gnome-shell gnome-shell-extension-appindicator lxqt-panel openbox xvfb xdotool
imagemagick dbus-daemon libglib2.0-bin libgl1-mesa-dri adwaita-icon-theme fonts-dejavu-core"
declare -A needs=(
	[sway]="sway swaymsg waybar grim Xvfb xdotool"
	[gnome]="gnome-shell /usr/share/gnome-shell/extensions/ubuntu-appindicators@ubuntu.com"
	[lxqt]="lxqt-panel openbox Xvfb xdotool import"
)

die() { echo "$*" >&2; exit 1; }

# retry WHAT COMMAND...: until the command succeeds, for half a minute.
retry() {
	local what=$1 end=$((SECONDS + 30))
	shift
	until "$@"; do
		[ $SECONDS -lt $end ] || die "$desktop: waited in vain for $what"
		sleep 0.1
	done
}

# background NAME COMMAND...: a program of the desktop, which ends with it.
background() {
	local log=$XDG_RUNTIME_DIR/$1.log
	shift
	"$@" >"$log" 2>&1 &
}

x_server() {
	exec 3>"$XDG_RUNTIME_DIR/display"
	background Xvfb Xvfb -displayfd 3 -screen 0 1024x600x24 -nolisten tcp
	retry "Xvfb" test -s "$XDG_RUNTIME_DIR/display"
	DISPLAY=:$(cat "$XDG_RUNTIME_DIR/display")
	export DISPLAY
}

# property NAME PATH WHAT: WHAT is an interface, a dot and a property.
property() {
	gdbus call --session --dest "$1" --object-path "$2" --method org.freedesktop.DBus.Properties.Get "${3%.*}" "${3##*.}" 2>/dev/null
}

registered() {
	local found
	found=$(property org.kde.StatusNotifierWatcher /StatusNotifierWatcher org.kde.StatusNotifierWatcher.RegisteredStatusNotifierItems) || return 1
	found=$(grep -oE "(:|org\.kde\.StatusNotifierItem-)[^'/@]+[@]?/[^']*" <<<"$found" | head -1)
	item=${found%%/*} item=${item%@} path=/${found#*/}
	[ -n "$item" ]
}

# rows: the menu of the icon has a row of every part.
rows() {
	local menu layout
	menu=$(property "$item" "$path" org.kde.StatusNotifierItem.Menu | grep -oE "/[^']+") || return 1
	layout=$(gdbus call --session --dest "$item" --object-path "$menu" --method com.canonical.dbusmenu.GetLayout -- 0 -1 '["label"]' 2>/dev/null) || return 1
	for row in "Demo in time-lapse: all figures are made up" "Prompt credits: " "Quick prompt…" "Refresh now" "Settings…" "Quit Windsock"; do
		[[ $layout == *"$row"* ]] || return 1
	done
}

# drawn PART: more than one plain colour is there.
drawn() {
	picture "$pictures/$desktop.png"
	[ "$(identify -format %k "$pictures/$desktop.png[$1]")" -gt 3 ]
}

# opened: at least so many pixels are others than in the picture before the click.
opened() {
	picture "$pictures/$desktop.png"
	local differ
	differ=$(compare -metric AE "$XDG_RUNTIME_DIR/closed.png" "$pictures/$desktop.png" null: 2>&1 || true)
	[ "$(printf '%.0f' "${differ%% *}")" -gt 40000 ]
}

# demo tries the tray app on the desktop that runs. The desktop's functions are version;
# ready, whether the panel shows what it should; picture FILE; and open_menu.
demo() {
	background demo windsock
	retry "the icon" registered
	retry "the menu's rows" rows
	retry "the panel" ready
	picture "$XDG_RUNTIME_DIR/closed.png"
	open_menu
	retry "the open menu" opened
	echo "$desktop: $(version), icon, rows and open menu: $pictures/$desktop.png"
}

sway_desktop() {
	local config=$HOME/.config/waybar recipes=$source/tray/app/help/bars.md module
	mkdir -p "$config"
	# shellcheck disable=SC2016 # fences of the recipes
	module=$(sed -n '/^```jsonc/,/^```/{/^```/!p}' "$recipes")
	[[ $module == *'"custom/windsock"'* ]] || die "bars.md has no module for Waybar"
	printf '{"height": 30, "modules-left": ["custom/windsock"], "modules-right": ["tray"],\n%s\n}\n' "$module" >"$config/config"
	# shellcheck disable=SC2016
	{ echo 'window#waybar { background: #222; color: #eee; }'; sed -n '/^```css/,/^```/{/^```/!p}' "$recipes"; } >"$config/style.css"
	printf 'output X11-1 resolution 1024x600 bg #33475b solid_color\n' >"$HOME/sway"
	# On X it has a pointer, which xdotool moves; a headless one has none.
	x_server
	export WLR_BACKENDS=x11 WLR_RENDERER=pixman SWAYSOCK=$XDG_RUNTIME_DIR/sway.sock XDG_SESSION_TYPE=wayland
	background sway sway --config "$HOME/sway"
	answers() { swaymsg --quiet -t get_version 2>/dev/null; }
	retry "sway" answers
	for socket in "$XDG_RUNTIME_DIR"/wayland-?; do
		export WAYLAND_DISPLAY=${socket##*/} GDK_BACKEND=wayland
	done
	background waybar waybar
	version() { echo "$(sway --version), $(waybar --version)"; }
	picture() { grim "$1"; }
	ready() { drawn 40x30+0+0 && drawn 24x30+1000+0; } # the module of the recipes, and the icon
	open_menu() { xdotool mousemove 1013 15 click 3; }
	demo
}

gnome_desktop() {
	export DBUS_SYSTEM_BUS_ADDRESS=$DBUS_SESSION_BUS_ADDRESS GSETTINGS_BACKEND=keyfile XDG_SESSION_TYPE=wayland XDG_CURRENT_DESKTOP=GNOME
	mkdir -p "$HOME/.config/glib-2.0/settings"
	cat >"$HOME/.config/glib-2.0/settings/keyfile" <<-END
		[org/gnome/shell]
		enabled-extensions=['ubuntu-appindicators@ubuntu.com']
		welcome-dialog-last-shown-version='999'
		[org/gnome/desktop/notifications]
		show-banners=false
	END
	# --unsafe-mode lets the script take pictures and have the shell run JavaScript.
	background gnome-shell gnome-shell --headless --wayland --no-x11 --unsafe-mode --virtual-monitor 1024x600
	version() { gnome-shell --version; }
	# js EXPRESSION: true in the shell.
	js() {
		[ "$(gdbus call --session --dest org.gnome.Shell --object-path /org/gnome/Shell --method org.gnome.Shell.Eval "$1" 2>/dev/null)" = "(true, 'true')" ]
	}
	icon='Main.panel.statusArea[Object.keys(Main.panel.statusArea).find(key => key.startsWith("appindicator-"))]'
	picture() {
		gdbus call --session --dest org.gnome.Shell.Screenshot --object-path /org/gnome/Shell/Screenshot \
			--method org.gnome.Shell.Screenshot.Screenshot false false "$1" >/dev/null
	}
	ready() {
		js "Main.overview.hide(); !Main.overview.visible && $icon.visible && $icon.width > 0"
	}
	open_menu() {
		js "
			const { Clutter } = imports.gi, icon = $icon, [x, y] = icon.get_transformed_position();
			globalThis.pointer = global.stage.context.get_backend().get_default_seat()
				.create_virtual_device(Clutter.InputDeviceType.POINTER_DEVICE);
			const now = global.get_current_time();
			pointer.notify_absolute_motion(now, x + icon.width / 2, y + icon.height / 2);
			pointer.notify_button(now, Clutter.BUTTON_PRIMARY, Clutter.ButtonState.PRESSED);
			pointer.notify_button(now, Clutter.BUTTON_PRIMARY, Clutter.ButtonState.RELEASED);
			true"
	}
	demo
}

lxqt_desktop() {
	mkdir -p "$HOME/.config/lxqt"
	cat >"$HOME/.config/lxqt/panel.conf" <<-END
		panels=panel1
		[panel1]
		plugins=statusnotifier
		position=Top
		panelSize=32
		width=100
		width-percent=true
		[statusnotifier]
		type=statusnotifier
		alignment=Right
	END
	export XDG_SESSION_TYPE=x11 XDG_CURRENT_DESKTOP=LXQt QT_QPA_PLATFORM=xcb
	x_server
	background openbox openbox
	managed() { xdotool get_num_desktops >/dev/null 2>&1; }
	retry "openbox" managed # a panel that is there before may stay unseen
	background lxqt-panel lxqt-panel
	version() { lxqt-panel --version 2>/dev/null | head -1; }
	picture() { import -window root "$1"; }
	ready() { drawn 32x32+992+0; }
	open_menu() { xdotool mousemove 1010 16 click 3; }
	demo
}

source=$(cd "$(dirname "$0")/.." && pwd)

if [ "${1:-}" = inside ]; then # with a home and a session bus of its own
	desktop=$2 pictures=$3
	trap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT
	"${desktop}_desktop"
	exit
fi

if [ "${1:-}" = -packages ]; then
	echo "$packages"
	exit
fi

[ "$(id -u)" != 0 ] || die "not for root: sway refuses it"
[ $# -gt 0 ] || die "usage: packaging/desktops.sh PICTURES [sway|gnome|lxqt ...]"
mkdir -p "$1"
pictures=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- sway gnome lxqt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
if [ -z "${WINDSOCK:-}" ]; then
	WINDSOCK=$work/windsock
	(cd "$source" && CGO_ENABLED=0 go build -o "$WINDSOCK" .)
fi
# Recipes say windsock; here that is the demo, whose figures are made up.
printf '#!/bin/sh\nexec "%s" demo "$@"\n' "$WINDSOCK" >"$work/bin/windsock"
chmod +x "$work/bin/windsock"

failed=
for desktop; do
	missing=
	for tool in ${needs[$desktop]:?no such desktop} gdbus dbus-run-session compare; do
		command -v "$tool" >/dev/null || [ -e "$tool" ] || missing+=" $tool"
	done
	if [ -n "$missing" ]; then
		echo "skip: $desktop:$missing not installed"
		[ -z "${CI:-}" ] || failed+=" $desktop"
		continue
	fi
	home=$work/$desktop
	mkdir "$home"
	mkdir -m 700 "$home/run"
	# This bus starts no service: what else is installed stays out.
	sed "s|@SOCKET@|$home/run/bus|" "$source/tray/traytest/settings/bus.conf" >"$home/bus.conf"
	env -i PATH="$work/bin:$PATH" LANG=C.UTF-8 HOME="$home" XDG_RUNTIME_DIR="$home/run" TMPDIR="$home/run" NO_AT_BRIDGE=1 GIO_USE_VFS=local \
		timeout 180 dbus-run-session --config-file="$home/bus.conf" -- "$0" inside "$desktop" "$pictures" || {
		failed+=" $desktop"
		tail -n 20 "$home"/run/*.log | cut -c -300 >&2
	}
done
[ -z "$failed" ] || die "failed:$failed"
