#!/usr/bin/env bash
# What Windsock costs, all of it, as README's table: what a person waits for, and the
# app while nobody looks at it, for ten minutes or the time given (2m30s). Wants a
# machine that does nothing else, Go, Chromium, dbus-daemon, npm, curl, lsof, ps and
# sqlite3.
set -euo pipefail
cd "$(dirname "$0")/.."
results=$(mktemp)
trap 'rm -f "$results"' EXIT
export CI=true # what is missing is an error

# bench PACKAGE BENCHMARKS FLAG... runs them.
bench() { go test -run '^$' -bench "^Benchmark($2)\$" "${@:3}" "$1" >>"$results" || { cat "$results"; exit 1; }; }
# row WHAT LIMIT BENCHMARK UNIT FACTOR [AS] says the median of the figures.
row() {
	awk -v name="^Benchmark$3(-[0-9]+)?\$" -v unit="$4" '$1 ~ name { for (i = 3; i < NF; i += 2) if ($(i + 1) == unit) print $i }' "$results" |
		sort -g | awk -v what="$1" -v limit="$2" -v factor="$5" -v as="${6:-ms}" '
			{ figure[NR] = $1 * factor }
			END {
				if (NR == 0) { print "no figure of: " what > "/dev/stderr"; exit 1 }
				median = (figure[int((NR + 1) / 2)] + figure[int(NR / 2) + 1]) / 2
				bold = median > limit ? "**" : ""
				printf "| %s | %s %s | %s%.3g %s%s |\n", what, limit, as, bold, median, as, bold
			}'
}

bench ./tray/app/e2e 'Status|StatusCold|StatusCloud|StatusLine|FirstText|Clean' -benchtime 30x
bench ./tray/app/e2e 'StatusCrowd' -benchtime 10x
bench ./tray/app/e2e 'Spend' -benchtime 5x
bench ./probe/system Discovery -benchtime 300ms -count 5
bench ./usage/windsurf Decode -benchtime 300ms -count 5
bench ./chat/cascade Poll -benchtime 300ms -count 5
bench ./usage/history Samples -benchtime 300ms -count 5
bench ./assets/windowtest 'Focus|Draw' -benchtime 10x
echo '| | at most | it took |'
echo '|---|---|---|'
# shellcheck disable=SC2016 # these are README's
row '`windsock status`, beside a bare `curl` that knows port and token already' 1.2 Status ×curl 1 ×
# shellcheck disable=SC2016 # as above
row 'the same, beside `ps`, `lsof`, `sqlite3` and `curl` together' 0.2 Status ×pipeline 1 ×
for condition in 'Cold:where the programs are read from the disk' 'Crowd:among 5,000 processes'; do
	# shellcheck disable=SC2016 # as above
	row "the first of these, ${condition#*:}" 1.2 "Status${condition%%:*}" ×curl 1 ×
	row "the second, ${condition#*:}" 0.2 "Status${condition%%:*}" ×pipeline 1 ×
done
row 'what looking for two products that do not run adds to it' 3 Status ms-absent 1
# shellcheck disable=SC2016 # as above
row '`windsock status` without an editor, beside a bare `curl` that knows host and token already' 1.2 StatusCloud ×curl 1 ×
row 'finding the server among 300 processes' 8 Discovery ns/op 1e-6
row 'reading an answer of 170 kB' 2 Decode ns/op 1e-6
# shellcheck disable=SC2016 # as above
row 'the status line of `agy`, from its start to its end' 50 StatusLine ms 1
row "an answer's first text on the screen, after the server has it" 100 FirstText ms 1
row 'one look at an answer of 1 MB' 5 Poll ns/op 1e-6
row "a month's chart out of five years of history" 20 Samples/a_meter ns/op 1e-6
row 'planning to clean 10,000 cascades' 300 Clean ms 1
row 'what 200 cascades of 20 MB together have cost, for the first time' 10 Spend s-first 1 s
row 'the same after one more turn' 100 Spend ms-next 1
row 'the memory for that' 60 Spend MB 1 MB
row "the window, from the browser's request to the text box" 600 Focus ms 1
row 'a text on its page, after its server has it' 100 Draw ms 1
row 'the program' 24 Status MB 1 MB
packaging/idle.sh "${1:-10m}" | grep -oE '(over [0-9].*|[0-9]+ goroutines.*)'
