package agy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"windsock/probe/files"
	"windsock/probe/redact"
	"windsock/probe/say"
)

const (
	// usageTime is how long agy may take: 4 s warm, above 15 s after a start of the
	// computer.
	usageTime = 60 * time.Second
	// maxUsage, in bytes, is many times the size of its answer.
	maxUsage = 1 << 20
	// exitTime is how long its output may stay open after its end, by a process that it
	// has started.
	exitTime = time.Second
)

// Codes of errors.
const (
	codeTimeout     = "timeout"
	codeBadResponse = "bad_response"
)

// run runs agy for the answer to /usage and returns what is kept of it.
//
// agy runs without a shell and without a terminal, in an empty directory. It has the
// environment of Windsock, since it needs the session's keyring and proxies, but for
// tokens of language servers.
func run(ctx context.Context, program string, within time.Duration) (answer []byte, err error) {
	limited, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	dir, err := os.MkdirTemp("", "windsock-agy-") // 0700
	if err != nil {
		return nil, noFigures(codeBadResponse, fmt.Errorf("make directory for agy: %w", redact.Path(err)))
	}
	defer func() { _ = os.RemoveAll(dir) }() // it is empty
	output := &limitedBuffer{most: maxUsage, full: cancel}
	cmd := exec.CommandContext(limited, program, "-p", "/usage", "--output-format", "json", "--print-timeout", "60s")
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.WaitDelay = dir, environment(os.Environ()), output, exitTime
	alone(cmd)
	err = cmd.Run()
	switch {
	case output.overflowed:
		return nil, noFigures(codeBadResponse, fmt.Errorf("run agy: %w", files.ErrTooLarge))
	case errors.Is(ctx.Err(), context.Canceled):
		return nil, ctx.Err()
	case limited.Err() != nil:
		return nil, noFigures(codeTimeout, errors.New("run agy: it took too long"))
	case err != nil && !errors.Is(err, exec.ErrWaitDelay): // an updater may go on
		return nil, noFigures(codeBadResponse, fmt.Errorf("run agy: %w", redact.Path(err)))
	}
	answer, _ = firstObject(output.kept.Bytes())
	answer, ok := reduceUsage(answer)
	if !ok {
		return nil, noFigures(codeBadResponse, errors.New("run agy: its answer has no figures"))
	}
	return answer, nil
}

// noFigures is the error for an agy that gives none. Why it does not, it tells people
// only.
func noFigures(code string, cause error) error {
	what := "agy, Antigravity's command line, gave no figures."
	if code == codeTimeout {
		what = "agy, Antigravity's command line, gave no figures in time."
	}
	return &say.Error{Code: code, What: what, Cure: "Run `agy -p /usage` in a terminal to see why.", Exit: 1, Cause: cause}
}

// environment leaves out the tokens of language servers, which an editor hands to what
// it starts.
func environment(all []string) []string {
	var kept []string
	for _, variable := range all {
		if name, _, _ := strings.Cut(variable, "="); !strings.Contains(strings.ToUpper(name), "CSRF_TOKEN") {
			kept = append(kept, variable)
		}
	}
	return kept
}

// firstObject returns the JSON object that begins the first line with a brace. A notice may
// stand before it.
func firstObject(output []byte) ([]byte, bool) {
	for line := range bytes.Lines(output) {
		if line[0] != '{' {
			output = output[len(line):]
			continue
		}
		var value json.RawMessage
		err := json.NewDecoder(bytes.NewReader(output)).Decode(&value)
		return value, err == nil
	}
	return nil, false
}

// limitedBuffer keeps at most that many bytes, and calls full instead of taking more.
type limitedBuffer struct {
	kept       bytes.Buffer
	most       int
	full       func()
	overflowed bool
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if b.kept.Len()+len(p) > b.most {
		b.overflowed = true
		b.full()
		return 0, files.ErrTooLarge
	}
	return b.kept.Write(p)
}
