#!/bin/sh
# What Windsock costs, all of it: what a person waits for (packaging/speed), the
# window in a browser, and the app while nobody looks at it, for ten minutes or the
# time given (2m30s). Wants a machine that does nothing else, Go, Chromium,
# dbus-daemon, npm, and what packaging/speed names.
set -eu
cd "$(dirname "$0")/.."
go run ./packaging/speed
# What a test logs is all that is wanted; a test that failed has logged no median.
CI=true go test -count=1 -v -run '^Test(TextBoxHasTheFocusSoon|TextIsDrawnSoon)$' ./assets/windowtest | grep -o '[a-z ]*: median.*'
packaging/idle.sh "${1:-10m}" | grep -oE '(over [0-9].*|[0-9]+ goroutines.*)'
