package kept_test

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"windsock/probe/kept"
)

// asker is the variable that makes this test's program ask in the directory that it names;
// how is what it does when it asks.
const (
	asker = "WINDSOCK_TEST_ASKER"
	how   = "WINDSOCK_TEST_ASKER_HOW"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(asker); dir != "" {
		os.Exit(beAsker(dir, os.Getenv(how)))
	}
	os.Exit(m.Run())
}

// askedLongAgo is due a minute after the last question.
func askedLongAgo(l kept.Last) bool { return time.Since(l.Asked) > time.Minute }

// beAsker asks once if that is due, prints the answer, and adds a line to the file asked.
func beAsker(dir, how string) int {
	l, err := kept.Place{Dir: dir, Name: "source"}.Get(context.Background(), askedLongAgo, func(_ context.Context, l kept.Last) kept.Last {
		list, err := os.OpenFile(dir+"/asked", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			os.Exit(3)
		}
		_, _ = list.WriteString("asked\n")
		if how == "die" {
			os.Exit(0)
		}
		return l.Answered([]byte(`{"left":1}`), "")
	})
	if err != nil {
		return 4
	}
	if _, err := os.Stdout.Write(l.Answer); err != nil {
		return 5
	}
	return 0
}

// askerProcess is the command line of a process that asks.
func askerProcess(t *testing.T, dir, does string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), asker+"="+dir, how+"="+does)
	return cmd
}
