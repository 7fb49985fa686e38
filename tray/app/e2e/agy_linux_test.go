package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"windsock/probe/agy"
	"windsock/probe/say"
	"windsock/probe/simulator"
	"windsock/usage"
	"windsock/usage/product"
)

// agyHome is a home directory with an agy, and a windsock whose path a shell has to be
// told in quotes.
type agyHome struct {
	dir, agy, windsock string
}

func newAgyHome(t *testing.T, behaviour simulator.Agy) agyHome {
	t.Helper()
	dir := t.TempDir()
	h := agyHome{dir: dir, windsock: filepath.Join(dir, "it's a $place", "windsock")}
	install(t, h.windsock)
	binary, err := simulator.InstallAgy(testProgram(t), filepath.Join(dir, "agy"), behaviour)
	if err != nil {
		t.Fatal(err)
	}
	h.agy = binary
	return h
}

// run runs a program in that home and returns what it prints.
func (h agyHome) run(t *testing.T, program string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = h.dir, []string{"HOME=" + h.dir, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + h.dir}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s%s", filepath.Base(program), args, err, out, stderr.String())
	}
	return string(out)
}

// TestAgyStatusLine: agy runs what install has put into its settings, and the figures
// are kept.
func TestAgyStatusLine(t *testing.T) {
	t.Parallel()
	h := newAgyHome(t, simulator.Agy{})
	if out := h.run(t, h.agy); out != "" {
		t.Errorf("before install, agy shows %q", out)
	}
	h.run(t, h.windsock, "antigravity", "install", "--yes")
	shown := h.run(t, h.agy)
	dirs := agy.Dirs{Home: h.dir, State: filepath.Join(h.dir, ".local", "state", "windsock")}
	raw, at, err := dirs.StatusLine(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	s, err := product.Decode(usage.Antigravity, raw, usage.Source{Kind: usage.KindStatusLine, FetchedAt: at})
	if err != nil || len(s.Meters) < 4 || s.PlanName == "" {
		t.Errorf("kept %s: %+v, %v", raw, s, err)
	}
	if !strings.HasPrefix(shown, "Gemini ") || strings.Count(shown, "\n") != 1 {
		t.Errorf("agy shows %q", shown)
	}
	if strings.Contains(string(raw), "@") || strings.Contains(string(raw), h.dir) {
		t.Errorf("kept %s", raw)
	}
	h.run(t, h.windsock, "antigravity", "uninstall")
	if out := h.run(t, h.agy); out != "" {
		t.Errorf("after uninstall, agy shows %q", out)
	}
}

// TestAgyUsage: agy's answer to /usage is figures, and what is none is an error that
// quotes nothing of it.
func TestAgyUsage(t *testing.T) {
	tests := []struct {
		name      string
		behaviour simulator.Agy
		code      string
	}{
		{"answers", simulator.Agy{}, ""},
		{"has_a_notice", simulator.Agy{Notice: "agy 1.4.1 is there. Run agy update."}, ""},
		{"fails", simulator.Agy{Failure: "secret"}, "bad_response"},
		{"does_not_end", simulator.Agy{Endless: true}, "bad_response"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newAgyHome(t, tt.behaviour)
			t.Setenv("ANTIGRAVITY_CLI_PATH", h.agy)
			raw, _, err := agy.Dirs{Home: h.dir, State: filepath.Join(h.dir, "state")}.Usage(t.Context(), time.Now(), time.Minute)
			if say.Code(err) != tt.code || (err != nil) != (tt.code != "") || strings.Contains(say.Sentence(err, ""), "secret") {
				t.Fatalf("got %s, %v", raw, err)
			}
			if err != nil {
				return
			}
			s, err := product.Decode(usage.Antigravity, raw, usage.Source{Kind: usage.KindCLI, FetchedAt: time.Now()})
			if err != nil || len(s.Meters) < 4 {
				t.Errorf("%s: %+v, %v", raw, s, err)
			}
			runs, err := simulator.AgyRuns(h.agy)
			if len(runs) != 1 || err != nil {
				t.Errorf("runs %q, %v", runs, err)
			}
		})
	}
}
