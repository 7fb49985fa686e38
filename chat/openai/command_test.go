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

	"windsock/probe/loopback"
	"windsock/probe/probetest"
	"windsock/probe/say"
)

// serveConfig has the parts of a command in a test.
func serveConfig(dir string) ServeConfig {
	return ServeConfig{
		Options: func(_, _ string, logger *slog.Logger) Options {
			return Options{Chat: behind(says("Hi."), "", nil), Usage: noUsage, Dir: dir, Log: logger}
		},
		Settings: func() (Config, error) { return DefaultConfig(), nil },
		PutAway:  func(time.Duration) {},
	}
}

// execute runs a command line.
func execute(ctx context.Context, config ServeConfig, args ...string) (stdout, stderr *probetest.Log, err error) {
	stdout, stderr = &probetest.Log{}, &probetest.Log{}
	return stdout, stderr, executeTo(ctx, config, stdout, stderr, args...)
}

func executeTo(ctx context.Context, config ServeConfig, stdout, stderr *probetest.Log, args ...string) error {
	cmd := NewServeCommand(config)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	cmd.SetArgs(args)
	return cmd.ExecuteContext(ctx)
}

// freePort is a port without a listener.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := loopback.Listen(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Port()
}

// The command serves, shows its address, also to the next command, and leaves nothing
// behind except the key.
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
	stdout, stderr := &probetest.Log{}, &probetest.Log{}
	ended := make(chan error, 1)
	go func() {
		ended <- executeTo(ctx, config, stdout, stderr, "--port", fmt.Sprint(taken.Port()))
	}()
	probetest.Eventually(t, "it says where", func() bool { return strings.Contains(stdout.String(), "/v1") })
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
	dir := filepath.Join(t.TempDir(), "state")
	config := serveConfig(dir)
	options := config.Options
	config.Options = func(model, variant string, logger *slog.Logger) Options {
		o := options(model, variant, logger)
		o.ShowKey = true
		return o
	}
	port := freePort(t)
	ctx, cancel := context.WithCancel(t.Context())
	stdout := &probetest.Log{}
	ended := make(chan error, 1)
	go func() { ended <- executeTo(ctx, config, stdout, &probetest.Log{}, "--port", fmt.Sprint(port)) }()
	probetest.Eventually(t, "it says how", func() bool { return strings.Contains(stdout.String(), "OPENAI_API_KEY") })
	key, err := readKey(dir)
	if err != nil {
		t.Fatal(err)
	}
	served, _ := readPort(dir)
	_, got, _ := strings.Cut(stdout.String(), "Serving ")
	want := "your plan's models on " + baseURL(served) + "\nPrograms need the lines below. Ctrl-C ends it.\n" + environment(shells[systemShell()], served, key)
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

// A request is logged, but not in a terminal, unless it is asked for.
func TestServeCommandLogs(t *testing.T) {
	t.Parallel()
	for _, quiet := range []bool{false, true} {
		var out strings.Builder
		logger := newLogger(&out, quiet)
		logger.Info("request")
		logger.Warn("trouble")
		if strings.Contains(out.String(), "request") == quiet || !strings.Contains(out.String(), "trouble") {
			t.Errorf("quiet %t: %s", quiet, out.String())
		}
	}
}
