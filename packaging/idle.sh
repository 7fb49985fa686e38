#!/bin/sh
# What Windsock costs while nobody looks at it: memory, CPU, wake-ups, bytes
# written, goroutines, over ten minutes or the time given (Go's form: 2m30s).
# Needs Go and dbus-daemon.
set -eu
cd "$(dirname "$0")/.."
# The program is built as it is shipped: HTTP/1.1 is all that it speaks.
GOFLAGS="${GOFLAGS:-} -tags=nethttpomithttp2" CI=true exec go test -count=1 -timeout 2h -run '^TestIdleCost$' -v ./tray/app/e2e -idle "${1:-10m}"
