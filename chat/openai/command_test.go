package openai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"windsock/chat"
	"windsock/probe/loopback"
	"windsock/probe/say"
	"windsock/usage/poll"
)

// serveConfig is what a command in a test is made of.
func serveConfig(dir string) ServeConfig {
	return ServeConfig{
		Service: func(string, string, *slog.Logger) *chat.Service { return behind(says("Hi."), "", nil) },
		Usage: func(context.Context, string) poll.State {
			return poll.State{Err: trouble{code: "not_running"}}
		},
		Settings: func() (Config, error) { return DefaultConfig(), nil },
		Dir:      dir,
		PutAway:  func(time.Duration) {},
	}
}

// execute runs a command line.
func execute(ctx context.Context, config ServeConfig, args ...string) (stdout, stderr *logBook, err error) {
	stdout, stderr = &logBook{}, &logBook{}
	return stdout, stderr, executeTo(ctx, config, stdout, stderr, args...)
}

func executeTo(ctx context.Context, config ServeConfig, stdout, stderr *logBook, args ...string) error {
	return executeCommand(ctx, NewServeCommand(config), stdout, stderr, args...)
}

func executeCommand(ctx context.Context, cmd *cobra.Command, stdout, stderr *logBook, args ...string) error {
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	cmd.SetArgs(args)
	return cmd.ExecuteContext(ctx)
}

// freePort is a port that nobody listens on.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := loopback.Listen(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Port()
}

// The command serves, says where, tells it to the next one, and goes without a
// trace but the key.
func TestServeCommand(t *testing.T) {
	t.Parallel()
	taken, err := loopback.Listen(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	dir := filepath.Join(t.TempDir(), "state")
	config := serveConfig(dir)
	var asked time.Duration
	config.PutAway = func(d time.Duration) { asked = d }
	ctx, cancel := context.WithCancel(t.Context())
	stdout, stderr := &logBook{}, &logBook{}
	ended := make(chan error, 1)
	go func() {
		ended <- executeTo(ctx, config, stdout, stderr, "--port", fmt.Sprint(taken.Port()))
	}()
	eventually(t, "it says where", func() bool { return strings.Contains(stdout.String(), "/v1") })
	port, ok := readPort(dir)
	want := fmt.Sprintf("Port %d is taken, so it is another one this time.\nServing your plan's models on http://127.0.0.1:%d/v1\n"+
		"`windsock serve --print-env` prints what programs need. Ctrl-C ends it.\n", taken.Port(), port)
	if diff := cmp.Diff(want, stdout.String()); diff != "" || !ok || port == taken.Port() {
		t.Error(diff)
	}
	out, told, err := execute(t.Context(), config, "--print-env=sh")
	if err != nil || told.String() != "" || !strings.Contains(out.String(), baseURL(port)) {
		t.Errorf("%q, %q, %v", out.String(), told.String(), err)
	}
	if _, _, err := execute(t.Context(), config); !errors.Is(err, errServes) || say.Exit(err) != 1 {
		t.Errorf("a second one: %v", err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(filepath.Join(dir, portName)); !errors.Is(err, fs.ErrNotExist) || asked != ShutdownTime {
		t.Errorf("port file: %v, put away in %v", err, asked)
	}
	if key, err := readKey(dir); err != nil || strings.Contains(stderr.String()+stdout.String(), key.Reveal()) {
		t.Error("the key is shown, or gone:", err)
	}
}

func TestServeCommandRefuses(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--port", "80"}, {"--port", "70000"}, {"--concurrency", "0"}, {"--concurrency", "17"}} {
		if _, _, err := execute(t.Context(), serveConfig(t.TempDir()), args...); say.Exit(err) != 2 {
			t.Errorf("%v: %v", args, err)
		}
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	if bad := DefaultConfig().Invalid(); len(bad) > 0 {
		t.Errorf("defaults that are not taken: %q", bad)
	}
	if diff := cmp.Diff([]string{"port", "concurrency"}, Config{Port: 1, Concurrency: 99}.Invalid()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A demo has its key for itself: what programs need stands where it is served, and
// nowhere else.
func TestServeCommandInDemo(t *testing.T) {
	t.Parallel()
	config := serveConfig(filepath.Join(t.TempDir(), "state"))
	config.ShowKey = true
	port := freePort(t)
	ctx, cancel := context.WithCancel(t.Context())
	stdout := &logBook{}
	ended := make(chan error, 1)
	go func() { ended <- executeTo(ctx, config, stdout, &logBook{}, "--port", fmt.Sprint(port)) }()
	eventually(t, "it says how", func() bool { return strings.Contains(stdout.String(), "OPENAI_API_KEY") })
	key, err := readKey(config.Dir)
	if err != nil {
		t.Fatal(err)
	}
	served, _ := readPort(config.Dir)
	_, got, _ := strings.Cut(stdout.String(), "Serving ")
	want := "your plan's models on " + baseURL(served) + "\nPrograms need the lines below. Ctrl-C ends it.\n" + environment(shells[systemShell], served, key)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, _, err := execute(t.Context(), config, "--print-env"); say.Exit(err) != 2 {
		t.Errorf("--print-env: %v", err)
	}
	response, err := http.Get(baseURL(served) + "/models")
	if err != nil {
		t.Fatal(err)
	}
	refused, err := io.ReadAll(response.Body)
	if err = errors.Join(err, response.Body.Close()); err != nil || response.StatusCode != 401 || strings.Contains(string(refused), "--print-env") {
		t.Errorf("without the key: %v, %s, %s", err, response.Status, refused)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A request writes a line, but not into a terminal that nobody asked to have it in.
func TestServeCommandLogs(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		terminal bool
		args     []string
		want     bool
	}{
		{"piped", false, nil, true},
		{"terminal", true, nil, false},
		{"terminal_verbose", true, []string{"--verbose"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			config := serveConfig(filepath.Join(t.TempDir(), "state"))
			cmd := newServeCommand(&serveCommand{ServeConfig: config, terminal: func(any) bool { return tt.terminal }})
			wanted := fmt.Sprint(freePort(t))
			ctx, cancel := context.WithCancel(t.Context())
			stdout, stderr := &logBook{}, &logBook{}
			ended := make(chan error, 1)
			go func() {
				ended <- executeCommand(ctx, cmd, stdout, stderr, append(tt.args, "--port", wanted)...)
			}()
			eventually(t, "it serves", func() bool { return strings.Contains(stdout.String(), "/v1") })
			port, _ := readPort(config.Dir)
			response, err := http.Get(baseURL(port) + "/models")
			if err != nil {
				t.Fatal(err)
			}
			_ = response.Body.Close()
			cancel()
			if err := <-ended; err != nil { // after the end, what is to be written is
				t.Error(err)
			}
			if got := strings.Contains(stderr.String(), "local API request"); got != tt.want {
				t.Errorf("written: %t\n%s", got, stderr.String())
			}
		})
	}
}
