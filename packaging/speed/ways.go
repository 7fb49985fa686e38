package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/timestamppb"

	"windsock/probe/languageserver"
)

//go:embed pipeline.sh
var pipeline string

// way is a way to get the plan: a command whose output shows that it did.
type way struct {
	name  string
	argv  []string
	env   []string
	shows []byte
}

// newWays are Windsock, and what it is compared with.
func newWays(dir, home, program string, s *server) ([]way, error) {
	body, err := requestBody()
	if err != nil {
		return nil, err
	}
	request := filepath.Join(dir, "request.json")
	if err := os.WriteFile(request, body, 0o600); err != nil {
		return nil, fmt.Errorf("keep request: %w", err)
	}
	env := []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + dir, "LANG=C.UTF-8"}
	url := s.base + languageserver.LanguageServerServiceGetUserStatusProcedure
	plan := []byte(`"planInfo"`)
	return []way{
		// With the PID: another server on this machine, an editor's or a test's, would
		// be another measurement.
		{"windsock status --json", []string{program, "status", "--json"}, env, fmt.Appendf(nil, `"pid": %d`, s.pid)},
		{"curl", []string{
			"curl", "-sS", "--http1.1", "-H", "Content-Type: application/json", "-H", tokenHeader + ": " + token,
			"-d", "@" + request, url,
		}, env, plan},
		{"ps + lsof + sqlite3 + curl", []string{"sh", "-c", pipeline}, slices.Concat(env, []string{
			"DATABASE=" + filepath.Join(home, ".config/Windsurf/User/globalStorage/state.vscdb"),
			"REQUEST=" + request, "KEY=" + key, "METHOD=" + languageserver.LanguageServerServiceGetUserStatusProcedure,
			"WANTED=" + strconv.Itoa(s.pid),
		}), plan},
	}, nil
}

// requestBody is a GetUserStatus with all that Windsock puts into one.
func requestBody() ([]byte, error) {
	body, err := protojson.Marshal(&languageserver.GetUserStatusRequest{Metadata: &languageserver.Metadata{
		IdeName: "windsurf", IdeVersion: "1.0.0", IdeType: "desktop",
		ExtensionName: "windsurf", ExtensionVersion: "1.0.0", ExtensionPath: "/usr/share/windsurf/resources/app/extensions/windsurf",
		ApiKey: key, Locale: "en", Os: "linux", Hardware: "amd64",
		RequestId: 1, SessionId: uuid.NewString(), LsTimestamp: timestamppb.Now(),
		DeviceFingerprint: uuid.NewString(), TriggerId: uuid.NewString(), PlanName: "Unset",
	}})
	if err != nil {
		return nil, fmt.Errorf("build request: %w", err)
	}
	return body, nil
}

// race runs the ways by turns, after a turn that does not count, and returns how
// long each took.
func race(ctx context.Context, ways []way, turns int) ([][]time.Duration, error) {
	times := make([][]time.Duration, len(ways))
	for turn := range turns + 1 {
		for i, w := range ways {
			took, err := w.run(ctx)
			if err != nil {
				return nil, err
			}
			if turn > 0 {
				times[i] = append(times[i], took)
			}
		}
	}
	return times, nil
}

// strangers is how often a way may have met another server than ours.
const strangers = 3

// run runs the command once, from its start to its end.
func (w way) run(ctx context.Context) (time.Duration, error) {
	var failed error
	for range strangers {
		cmd := exec.CommandContext(ctx, w.argv[0], w.argv[1:]...)
		cmd.Env = w.env
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		begin := time.Now()
		err := cmd.Run()
		took := time.Since(begin)
		if err == nil && !bytes.Contains(stdout.Bytes(), w.shows) {
			err = errors.New("that is not our server's answer")
		}
		if err == nil {
			return took, nil
		}
		failed = fmt.Errorf("run %s: %w\n%s", w.name, err, stderr.Bytes())
	}
	return 0, failed
}

func median(times []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	middle := len(sorted) / 2
	if len(sorted)%2 == 0 {
		return (sorted[middle-1] + sorted[middle]) / 2
	}
	return sorted[middle]
}

func least(times []time.Duration) time.Duration { return slices.Min(times) }

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
