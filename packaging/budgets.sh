#!/bin/sh
# What Windsock costs, all of it: what a person waits for (packaging/speed), the
# window in a browser, and the app while nobody looks at it, for ten minutes or the
# time given (2m30s). Wants a machine that does nothing else, Go, Chromium,
# dbus-daemon, npm, and what packaging/speed names.
set -eu
cd "$(dirname "$0")/.."
go run ./packaging/speed
# What a benchmark logs is all that is wanted; one that failed has logged no median.
CI=true go test -run '^$' -bench '^Benchmark(Focus|Draw)$' -benchtime 10x ./assets/windowtest | grep -o '[a-z ]*: median.*'
packaging/idle.sh "${1:-10m}" | grep -oE '(over [0-9].*|[0-9]+ goroutines.*)'
