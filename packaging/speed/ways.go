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
	"strings"
	"time"

	"github.com/google/uuid"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/timestamppb"

	"windsock/probe/languageserver"
	"windsock/probe/simulator"
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

// windsock is a way by a command of Windsock's.
func (p place) windsock(shows []byte, args ...string) way {
	return way{"windsock " + strings.Join(args, " "), append([]string{p.program}, args...), p.env(), shows}
}

// curl is a way by an RPC whose port and token are known already.
func (p place) curl(url, request string, shows []byte) way {
	return way{"curl", []string{
		"curl", "-sS", "--http1.1", "-H", "Content-Type: application/json", "-H", tokenHeader + ": " + token,
		"-d", "@" + request, url,
	}, p.env(), shows}
}

func (p place) env() []string {
	return []string{"HOME=" + p.home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + p.dir, "LANG=C.UTF-8"}
}

// statusWays are Windsock, and what it is compared with.
func (p place) statusWays(s *simulator.Process) ([]way, error) {
	body, err := requestBody()
	if err != nil {
		return nil, err
	}
	request := filepath.Join(p.dir, "request.json")
	if err := os.WriteFile(request, body, 0o600); err != nil {
		return nil, fmt.Errorf("keep request: %w", err)
	}
	const method = languageserver.LanguageServerServiceGetUserStatusProcedure
	plan := []byte(`"planInfo"`)
	return []way{
		// With the PID: another server on this machine, an editor's or a test's, would
		// be another measurement.
		p.windsock(fmt.Appendf(nil, `"pid": %d`, s.Ready().PID), "status", "--json"),
		p.curl(s.URL()+method, request, plan),
		{"ps + lsof + sqlite3 + curl", []string{"sh", "-c", pipeline}, slices.Concat(p.env(), []string{
			"DATABASE=" + filepath.Join(p.home, ".config/Windsurf/User/globalStorage/state.vscdb"),
			"REQUEST=" + request, "KEY=" + key, "METHOD=" + method,
			"WANTED=" + strconv.Itoa(s.Ready().PID),
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
		TriggerId: uuid.NewString(), PlanName: "Unset",
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
