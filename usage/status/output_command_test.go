package status

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/say"
	"windsock/usage/poll"
	"windsock/usage/usagetest"
)

// metrics are the samples of a text that begin with one of the names.
func metrics(text string, names ...string) (samples []string) {
	for line := range strings.Lines(text) {
		for _, name := range names {
			if strings.HasPrefix(line, name+"{") {
				samples = append(samples, strings.TrimSpace(line))
			}
		}
	}
	return samples
}

// Whatever is known is written to the file and nowhere else; figures that are not fresh
// are said to be so, and keep no look of a good minute.
func TestOutput(t *testing.T) {
	t.Parallel()
	reading := poll.Reading{Raw: []byte(usagetest.Plenty), Variant: "windsurf", App: "Windsurf"}
	dead := one(func(context.Context, string) (poll.Reading, error) { return poll.Reading{}, usagetest.ErrNotRunning })
	kept := func(context.Context, poll.Ask) iter.Seq2[poll.Cached, error] {
		return func(yield func(poll.Cached, error) bool) {
			yield(poll.Cached{Reading: poll.Reading{Raw: []byte(usagetest.Plenty)}, Name: "state.vscdb"}, nil)
		}
	}
	const plan = `{product="windsurf",account=""`
	tests := []struct {
		name  string
		parts Parts
		args  []string
		code  int
		want  []string
	}{
		{"fresh", Parts{Fetch: fetchOf(reading)}, nil, 0, []string{
			"windsock_up" + plan + "} 1",
			"windsock_fetch_timestamp_seconds" + plan + "} 1770112800",
			"windsock_meter_remaining_credits" + plan + `,meter="prompt_credits"} 453`,
		}},
		{"below_the_limit", Parts{Fetch: fetchOf(reading)}, []string{"--fail-under", "100"}, 5, []string{
			"windsock_up" + plan + "} 1",
			"windsock_fetch_timestamp_seconds" + plan + "} 1770112800",
			"windsock_meter_remaining_credits" + plan + `,meter="prompt_credits"} 453`,
		}},
		{"missing", Parts{Fetch: dead}, nil, 3, []string{
			"windsock_up" + plan + "} 0",
			"windsock_problems" + plan + `,code="not_running"} 1`,
		}},
		{"old_beside_the_reason", Parts{Fetch: dead, Recall: kept}, nil, 3, []string{
			"windsock_up" + plan + "} 0",
			"windsock_problems" + plan + `,code="not_running"} 1`,
			"windsock_meter_remaining_credits" + plan + `,meter="prompt_credits"} 453`,
		}},
		{"old_and_asked_for", Parts{Fetch: dead, Recall: kept}, []string{"--cached"}, 0, []string{
			"windsock_up" + plan + "} 0",
			"windsock_meter_remaining_credits" + plan + `,meter="prompt_credits"} 453`,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "windsock.prom")
			if err := os.WriteFile(file, []byte("windsock_up 1\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			got := runSaving(t, &statusCommand{Parts: tt.parts}, "", append(tt.args, "--format", "prometheus", "--output", file)...)
			if diff := cmp.Diff(told{Outcome: outcome{Code: tt.code}}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			names := []string{"windsock_up", "windsock_problems", "windsock_fetch_timestamp_seconds", "windsock_meter_remaining_credits"}
			if diff := cmp.Diff(tt.want, metrics(string(text), names...)); diff != "" {
				t.Errorf("samples (-want +got):\n%s", diff)
			}
			// The collector is another user.
			if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o644 {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
			if left, _ := os.ReadDir(filepath.Dir(file)); len(left) != 1 {
				t.Errorf("beside it lies %v", left)
			}
		})
	}
}

// A link in the file's place is replaced, and what it leads to stays as it was.
func TestOutputFollowsNoLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	precious, file := filepath.Join(dir, "precious"), filepath.Join(dir, "windsock.prom")
	if err := os.WriteFile(precious, []byte(personal), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(precious, file); err != nil {
		t.Skip(err)
	}
	reading := poll.Reading{Raw: []byte(usagetest.Plenty)}
	got := runSaving(t, &statusCommand{Parts: Parts{Fetch: fetchOf(reading)}}, "", "--format", "prometheus", "--output", file)
	if diff := cmp.Diff(told{}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if text, err := os.ReadFile(precious); err != nil || string(text) != personal {
		t.Errorf("now %q, %v", text, err)
	}
	if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() {
		t.Errorf("%v, %v", info, err)
	}
}

// An error of the command line, or of the file, leaves what was there.
func TestOutputKeepsTheOldFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, none := filepath.Join(dir, "windsock.prom"), filepath.Join(dir, "robin", "windsock.prom")
	if err := os.WriteFile(file, []byte(personal), 0o600); err != nil {
		t.Fatal(err)
	}
	unwritten := func(why string) outcome {
		return outcome{1, "The file of --output cannot be written: " + why + ". It is as it was. Check its name, and the permissions of its directory."}
	}
	alone := outcome{2, "--output writes a file for a collector, so it takes --format prometheus alone."}
	takes := outcome{2, "--output takes a file; without it the metrics go to standard output."}
	tests := []struct {
		name string
		args []string
		want outcome
	}{
		{"text", []string{"--output", file}, alone},
		{"tmux", []string{"--format", "tmux", "--output", file}, alone},
		{"json", []string{"--json", "--output", file}, alone},
		{"empty", []string{"--format", "prometheus", "--output", ""}, takes},
		{"stdout", []string{"--format", "prometheus", "--output", "-"}, takes},
		{
			"its_source",
			[]string{"--format", "prometheus", "--from", file, "--output", file},
			outcome{2, "--output would write over the file of --from; give it another name."},
		},
		{
			"the_saved_answer",
			[]string{"--format", "prometheus", "--save", none, "--output", none},
			outcome{2, "--save and --output name the same file; give them two."},
		},
		{"no_directory", []string{"--format", "prometheus", "--output", none}, unwritten("no such file or directory")},
		{"a_directory", []string{"--format", "prometheus", "--output", dir}, unwritten("is a directory")},
		{"no_such_editor", []string{"--format", "prometheus", "--output", file, "--variant", "emacs"}, outcome{2, "there is no such editor"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS == "windows" && tt.want.Code == 1 {
				t.Skip("its errors read otherwise")
			}
			fetch := func(_ context.Context, variant string) (poll.Reading, error) {
				if variant != "" {
					return poll.Reading{}, say.Usage("there is no such editor")
				}
				return poll.Reading{Raw: []byte(usagetest.Plenty)}, nil
			}
			got := runSaving(t, &statusCommand{Parts: Parts{Fetch: one(fetch)}}, "", tt.args...)
			if diff := cmp.Diff(told{Outcome: tt.want}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if text, err := os.ReadFile(file); err != nil || string(text) != personal {
				t.Errorf("now %q, %v", text, err)
			}
		})
	}
}
