package status

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/usage/poll"
	"windsock/usage/usagetest"
	"windsock/usage/windsurf"
)

const personal = `{"userStatus":{"email":"robin@example.com","planStatus":{"planInfo":{"planName":"Acme"},` +
	`"availablePromptCredits":50000,"usedPromptCredits":4700}}}`

// told is the visible result of a run.
type told struct {
	Stdout, Stderr string
	Outcome        outcome
}

// runSaving runs the command, which may write to stderr.
func runSaving(t *testing.T, c *statusCommand, stdin string, args ...string) told {
	t.Helper()
	c.Now = func() time.Time { return usagetest.Noon }
	c.lookup = func(string) (string, bool) { return "", false }
	c.environ = []string{"TERM=dumb"}
	c.location = time.UTC
	var out, errs strings.Builder
	cmd := quietCommand(c)
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	cmd.SetErr(&errs)
	cmd.SetIn(strings.NewReader(stdin))
	err := cmd.ExecuteContext(t.Context())
	return told{out.String(), errs.String(), outcomeOf(err)}
}

const savedAs = "windsock: The answer was saved as a.json, without anything personal. Look it over before you publish it.\n"

func TestStatusSave(t *testing.T) {
	t.Parallel()
	server := fetchOf(poll.Reading{Raw: []byte(personal), Variant: "windsurf", App: "Windsurf", PID: 4242})
	dead := one(func(context.Context, string) (poll.Reading, error) {
		return poll.Reading{}, usagetest.ErrNotRunning
	})
	kept := func(context.Context, poll.Ask) iter.Seq2[poll.Cached, error] {
		return func(yield func(poll.Cached, error) bool) {
			_ = yield(poll.Cached{Name: "state.vscdb"}, errors.New("it is locked")) &&
				yield(poll.Cached{Reading: poll.Reading{Raw: []byte(personal)}, Name: "one"}, nil) &&
				yield(poll.Cached{Reading: poll.Reading{Raw: []byte(`{"planName":"Free"}`)}, Name: "two"}, nil)
		}
	}
	tests := []struct {
		name  string
		c     statusCommand
		stdin string
		args  []string
		// figures are a part of stdout.
		figures, stderr string
		outcome         outcome
		// saved is the content of the file, nil for no file.
		saved []byte
	}{
		{"server", statusCommand{Parts: Parts{Fetch: server}}, "", nil, "453 of 500 left", savedAs, outcome{}, windsurf.Anonymize([]byte(personal))},
		{"json", statusCommand{Parts: Parts{Fetch: server}}, "", []string{"--json"}, `"remaining": 453`, savedAs, outcome{}, windsurf.Anonymize([]byte(personal))},
		{"under", statusCommand{Parts: Parts{Fetch: server}}, "", []string{"--fail-under", "99"}, "453", savedAs, outcome{Code: 5}, windsurf.Anonymize([]byte(personal))},
		{"from", statusCommand{}, personal, []string{"--from", "-"}, "453 of 500 left", savedAs, outcome{}, windsurf.Anonymize([]byte(personal))},
		{
			"answer_without_figures",
			statusCommand{},
			`{"userStatus":{"name":"Robin"}}`,
			[]string{"--from", "-", "--json"},
			`"no_plan_status"`, savedAs,
			outcome{Code: 1},
			windsurf.Anonymize([]byte(`{"userStatus":{"name":"Robin"}}`)),
		},
		{
			"no_json",
			statusCommand{Parts: Parts{Fetch: fetchOf(poll.Reading{Raw: []byte("<html>")})}},
			"",
			[]string{"--json"},
			`"bad_payload"`, savedAs,
			outcome{Code: 1},
			windsurf.Anonymize([]byte("<html>")),
		},
		{"cached", statusCommand{Parts: Parts{Fetch: dead, Recall: kept}}, "", []string{"--cached"}, "453 of 500 left", savedAs, outcome{}, windsurf.Anonymize([]byte(personal))},
		{
			"cache_shown_beside_an_error",
			statusCommand{Parts: Parts{Fetch: dead, Recall: kept}},
			"", nil, "453 of 500 left",
			"",
			outcome{3, "Start Windsurf and try again. Nothing was saved, for there is no answer to save."},
			nil,
		},
		{
			"no_server",
			statusCommand{Parts: Parts{Fetch: dead}},
			"",
			[]string{"--json"},
			`"not_running"`, "",
			outcome{3, "Nothing was saved, for there is no answer to save."},
			nil,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "a.json")
			got := runSaving(t, &tt.c, tt.stdin, append(tt.args, "--save", file)...)
			if !strings.Contains(got.Stdout, tt.figures) {
				t.Errorf("stdout has no %q: %s", tt.figures, got.Stdout)
			}
			got.Stdout = ""
			if diff := cmp.Diff(told{"", tt.stderr, tt.outcome}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			saved, err := os.ReadFile(file)
			if tt.saved == nil != errors.Is(err, fs.ErrNotExist) || !bytes.Equal(saved, tt.saved) {
				t.Errorf("saved %q, %v", saved, err)
			}
			files, _ := os.ReadDir(filepath.Dir(file))
			if len(files) > 1 {
				t.Errorf("left over: %v", files)
			}
		})
	}
}

func TestStatusSaveToStdout(t *testing.T) {
	t.Parallel()
	got := runSaving(t, &statusCommand{}, personal, "--from", "-", "--save", "-")
	if got.Stdout != string(windsurf.Anonymize([]byte(personal))) || !strings.Contains(got.Stderr, "453 of 500 left") || got.Outcome.Code != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestStatusSaveFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	want := string(windsurf.Anonymize([]byte(personal)))
	save := func(name string) told {
		return runSaving(t, &statusCommand{}, personal, "--from", "-", "--save", name)
	}
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
	// An existing file is replaced, and only the user can read it then.
	old := filepath.Join(dir, "old.json")
	if err := os.WriteFile(old, []byte(strings.Repeat("x", 1<<20)), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := save(old); got.Outcome.Code != 0 || read(old) != want {
		t.Errorf("over a file: %+v", got)
	}
	if info, err := os.Stat(old); runtime.GOOS != "windows" && (err != nil || info.Mode().Perm() != 0o600) {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	// A link stays one. Wine makes links that it cannot read.
	link := filepath.Join(dir, "link.json")
	if err := os.Symlink(old, link); err == nil && runtime.GOOS != "windows" {
		if err := os.Remove(old); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(old, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := save(link); got.Outcome.Code != 0 || read(old) != want {
			t.Errorf("over a link: %+v", got)
		}
		if target, err := os.Readlink(link); err != nil || target != old {
			t.Errorf("link to %q, %v", target, err)
		}
	}
	// A file that is not regular is not replaced.
	if got := save(os.DevNull); got.Outcome.Code != 0 {
		t.Errorf("to the null device: %+v", got)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Fatalf("the null device is %v, %v", info.Mode(), err)
	}
	// An impossible save is reported without the directory, and the figures are shown.
	for _, name := range []string{dir, filepath.Join(dir, "robin", "a.json")} {
		got := save(name)
		if got.Outcome.Code != 1 || !strings.HasPrefix(got.Stderr, "windsock: The answer cannot be saved: ") ||
			strings.Contains(got.Stderr, "robin") || !strings.Contains(got.Stdout, "453 of 500 left") {
			t.Errorf("to %s: %+v", name, got)
		}
	}
}

func TestStatusSaveMakesSense(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a.json")
	if err := os.WriteFile(file, []byte(personal), 0o600); err != nil {
		t.Fatal(err)
	}
	commandLines(t, []commandLine{
		{"empty", []string{"--save", ""}, outcome{2, "--save takes a file, or - for standard output."}},
		{"over_its_source", []string{"--from", file, "--save", file}, outcome{2, "--save would write over the file of --from; give it another name."}},
		{"two_on_stdout", []string{"--save", "-", "--json"}, outcome{2, "--save - writes to standard output, and so does --format; give --save a file."}},
	})
	if text, err := os.ReadFile(file); err != nil || string(text) != personal {
		t.Errorf("now %q, %v", text, err)
	}
}
