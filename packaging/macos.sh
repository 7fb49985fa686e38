#!/bin/sh
# Makes the app for macOS, on a Mac with Xcode's command line tools and Go, out of
# HEAD: the program for both architectures, put into the bundle that release.sh
# makes, signed and zipped into dist (or the directory given).
#
# WINDSOCK_SIGN is the identity to sign with (without it the signature is ad hoc,
# and others have to allow the app in System Settings); WINDSOCK_NOTARY the
# keychain profile to have it notarised with.
set -eu
[ "$(uname)" = Darwin ] || { echo "macos.sh: this has to run on a Mac" >&2; exit 1; }
cd "$(dirname "$0")/.."
mkdir -p "${1:-dist}"
out=$(cd "${1:-dist}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

commit=$(git rev-parse --verify HEAD)
packaging/release.sh -only macos -revision "$commit" -out "$work/made"
bundle=$(ls "$work"/made/*-macos-without-program.tar.gz)
base=$(basename "$bundle" -without-program.tar.gz)
tar -xzf "$bundle" -C "$work"
app="$work/Windsock.app"

git clone --quiet --shared --no-checkout . "$work/source"
git -C "$work/source" checkout --quiet --detach "$commit"
for arch in arm64 amd64; do
	MACOSX_DEPLOYMENT_TARGET=12.0 GOOS=darwin GOARCH=$arch CGO_ENABLED=1 GOWORK=off GOFLAGS=-mod=readonly \
		CGO_CFLAGS='-O2 -mmacosx-version-min=12.0' CGO_LDFLAGS='-mmacosx-version-min=12.0' \
		go -C "$work/source" build -trimpath -tags=nethttpomithttp2 -ldflags='-s -w' -o "$work/windsock-$arch" .
done
mkdir -p "$app/Contents/MacOS"
lipo -create -output "$app/Contents/MacOS/windsock" "$work/windsock-arm64" "$work/windsock-amd64"

plutil -lint "$app/Contents/Info.plist"
sips -g pixelWidth "$app/Contents/Resources/windsock.icns" >/dev/null
version=${base#windsock-}
version=${version%-macos}
case $("$app/Contents/MacOS/windsock" version) in
"windsock v$version darwin/"*) ;;
*) echo "macos.sh: the program is of another version than the bundle" >&2; exit 1 ;;
esac

if [ -n "${WINDSOCK_SIGN:-}" ]; then
	codesign --force --options runtime --timestamp --sign "$WINDSOCK_SIGN" "$app"
else
	codesign --force --sign - "$app"
fi
codesign --verify --strict "$app"
zip="$out/$base.zip"
if [ -n "${WINDSOCK_NOTARY:-}" ]; then
	ditto -c -k --keepParent "$app" "$work/notary.zip"
	xcrun notarytool submit "$work/notary.zip" --keychain-profile "$WINDSOCK_NOTARY" --wait
	xcrun stapler staple "$app"
fi
rm -f "$zip"
ditto -c -k --keepParent "$app" "$zip"
echo "$zip"
