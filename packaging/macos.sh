#!/bin/sh
# Makes the app for macOS, on a Mac with Xcode's command line tools and Go, out of
# HEAD: the program for both architectures in a bundle, signed, as a disk image and as
# a zip in dist (or the directory given), and a cask for Homebrew beside them.
# macos-try.sh tries it.
#
# WINDSOCK_SIGN is the identity to sign with (without it the signature is ad hoc,
# and others have to allow the app in System Settings: UNTRIED.md); WINDSOCK_NOTARY the
# keychain profile to have it notarised with.
set -eu
[ "$(uname)" = Darwin ] || { echo "macos.sh: this has to run on a Mac" >&2; exit 1; }
cd "$(dirname "$0")/.."
mkdir -p "${1:-dist}"
out=$(cd "${1:-dist}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

git clone --quiet . "$work/source"
cd "$work/source"
app="$work/Windsock.app/Contents"
mkdir -p "$app/MacOS" "$app/Resources/completions" "$app/Resources/man"
for arch in arm64 amd64; do
	MACOSX_DEPLOYMENT_TARGET=12.0 GOOS=darwin GOARCH=$arch CGO_ENABLED=1 GOWORK=off GOFLAGS=-mod=readonly \
		CGO_CFLAGS='-O2 -mmacosx-version-min=12.0' CGO_LDFLAGS='-mmacosx-version-min=12.0' \
		go build -trimpath -tags=nethttpomithttp2 -ldflags='-s -w' -o "$work/windsock-$arch" .
done
lipo -create -output "$app/MacOS/windsock" "$work/windsock-arm64" "$work/windsock-amd64"
version=$("$app/MacOS/windsock" version | cut -d ' ' -f 2)
version=${version#v}

SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) go run -tags docs . docs "$work/docs"
mkdir "$work/windsock.iconset"
for points in 16 32 128 256 512; do
	cp "$work/docs/icons/$points.png" "$work/windsock.iconset/icon_${points}x$points.png"
	cp "$work/docs/icons/$((2 * points)).png" "$work/windsock.iconset/icon_${points}x$points@2x.png"
done
iconutil --convert icns --output "$app/Resources/windsock.icns" "$work/windsock.iconset"
sed "s/VERSION/${version%%-*}/" packaging/Info.plist >"$app/Info.plist"
plutil -lint "$app/Info.plist"
printf 'APPL????' >"$app/PkgInfo"
cp LICENSE "$app/Resources/LICENSE.txt"
packaging/licences.sh >"$app/Resources/licences-of-libraries.txt"
cp "$work/docs/completions/windsock.bash" "$app/Resources/completions/windsock"
cp "$work/docs/completions/_windsock" "$work/docs/completions/windsock.fish" "$app/Resources/completions"
cp "$work"/docs/man/man?/* "$app/Resources/man"

if [ -n "${WINDSOCK_SIGN:-}" ]; then
	codesign --force --options runtime --timestamp --sign "$WINDSOCK_SIGN" "$work/Windsock.app"
else
	codesign --force --sign - "$work/Windsock.app"
fi
codesign --verify --strict "$work/Windsock.app"
if [ -n "${WINDSOCK_NOTARY:-}" ]; then
	ditto -c -k --keepParent "$work/Windsock.app" "$work/notary.zip"
	xcrun notarytool submit "$work/notary.zip" --keychain-profile "$WINDSOCK_NOTARY" --wait
	xcrun stapler staple "$work/Windsock.app"
fi
zip="$out/windsock-$version-macos.zip"
rm -f "$zip"
ditto -c -k --keepParent "$work/Windsock.app" "$zip"
echo "$zip"

dmg="$out/windsock-$version-macos.dmg"
mkdir "$work/image"
ditto "$work/Windsock.app" "$work/image/Windsock.app"
ln -s /Applications "$work/image/Applications"
# It may say "Resource busy" while the system's own scanner looks at the volume
# (github.com/actions/runner-images/issues/7522).
tries=5
until hdiutil create -quiet -ov -volname Windsock -fs HFS+ -format UDZO -srcfolder "$work/image" "$dmg"; do
	tries=$((tries - 1))
	[ "$tries" -gt 0 ] || { echo "macos.sh: no disk image could be made" >&2; exit 1; }
	sleep 5
done
if [ -n "${WINDSOCK_SIGN:-}" ]; then codesign --timestamp --sign "$WINDSOCK_SIGN" "$dmg"; fi
echo "$dmg"

repository=$(sed -n 's/^ *- REPOSITORY=//p' .goreleaser.yaml)
contents="#{appdir}/Windsock.app/Contents"
mkdir -p "$out/homebrew/Casks"
{
	cat <<-END
		cask "windsock" do
		  version "$version"
		  sha256 "$(shasum -a 256 "$zip" | cut -d ' ' -f 1)"

		  url "$repository/releases/download/v#{version}/windsock-#{version}-macos.zip"
		  name "Windsock"
		  desc "Shows how much of your Windsurf plan is left"
		  homepage "$repository"

		  depends_on macos: ">= :monterey"

		  app "Windsock.app"
		  binary "$contents/MacOS/windsock"
		  bash_completion "$contents/Resources/completions/windsock"
		  zsh_completion "$contents/Resources/completions/_windsock"
		  fish_completion "$contents/Resources/completions/windsock.fish"
	END
	for page in "$work"/docs/man/man?/*; do
		echo "  manpage \"$contents/Resources/man/${page##*/}\""
	done
	echo end
} >"$out/homebrew/Casks/windsock.rb"
