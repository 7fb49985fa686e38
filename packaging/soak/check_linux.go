package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
)

// lastAccount is who is signed in at the end, and nobody before; right is what has
// to be known of it, by the simulator's own table.
const (
	lastAccount = "acu"
	rightMenu   = "ACUs: 8,765.43 of 10,000 left (88 %)"
)

var right = figures{Used: "1234.5678", Total: "10000", Remaining: "8765.4322"}

// figures are those of a meter, as status and history write them.
type figures struct {
	Used      json.Number `json:"used"`
	Total     json.Number `json:"total"`
	Remaining json.Number `json:"remaining"`
	Starts    string      `json:"window_start"`
	Ends      string      `json:"resets_at"`
}

// recorded is what the app's history has last of the last account's meter; it asks
// until there is something.
func (a *app) recorded(ctx context.Context) (figures, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		var answer struct {
			Samples []struct {
				figures

				Meter string `json:"meter"`
			} `json:"samples"`
		}
		text, err := a.run(ctx, "history", "--json")
		if err == nil {
			err = json.Unmarshal(text, &answer)
		}
		for _, s := range slices.Backward(answer.Samples) {
			if s.Meter == lastAccount {
				return s.figures, nil
			}
		}
		select {
		case <-ctx.Done():
			return figures{}, fmt.Errorf("%s: the figures do not come back: %w", a.name, err)
		case <-time.After(250 * time.Millisecond):
		}
	}
}

// asked is what status says of the last account's meter.
func (a *app) asked(ctx context.Context) (figures, error) {
	text, err := a.run(ctx, "status", "--json")
	if err != nil {
		return figures{}, err
	}
	var answer struct {
		Meters []struct {
			figures

			ID string `json:"id"`
		} `json:"meters"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return figures{}, fmt.Errorf("read status: %w", err)
	}
	if len(answer.Meters) != 1 || answer.Meters[0].ID != lastAccount {
		return figures{}, fmt.Errorf("%s: status has other meters: %s", a.name, text)
	}
	return answer.Meters[0].figures, nil
}

// checkFigures compares what the app has recorded with what is right, and with what
// status says.
func (a *app) checkFigures(ctx context.Context) error {
	recorded, err := a.recorded(ctx)
	if err != nil {
		return err
	}
	plain := recorded
	plain.Starts, plain.Ends = "", ""
	if diff := cmp.Diff(right, plain); diff != "" {
		return fmt.Errorf("%s has recorded wrong figures (-right +recorded):\n%s", a.name, diff)
	}
	asked, err := a.asked(ctx)
	if err != nil {
		return err
	}
	if diff := cmp.Diff(asked, recorded); diff != "" {
		return fmt.Errorf("%s has recorded other figures than status says (-status +recorded):\n%s", a.name, diff)
	}
	return nil
}

// expected are the warnings that the run brings about.
var expected = []string{
	`msg="settings not usable"`,    // the broken ones
	`msg="notification not shown"`, // of the app that has no bus
	`msg="no tray host"`,           // where it is gone ten seconds after the start
}

var (
	grave   = regexp.MustCompile(`level=(WARN|ERROR)`)
	crashed = regexp.MustCompile(`(?m)^(panic:|fatal error:|WARNING: DATA RACE|goroutine \d+)|runtime error`)
)

// checkWords looks for what must not be in what the app has logged and printed.
func checkWords(log, printed string, secrets []string) (problems []string) {
	for line := range strings.Lines(log) {
		is := func(word string) bool { return strings.Contains(line, word) }
		if (grave.MatchString(line) && !slices.ContainsFunc(expected, is)) || crashed.MatchString(line) {
			problems = append(problems, "logged: "+strings.TrimSpace(line))
		}
	}
	if at := crashed.FindStringIndex(printed); at != nil {
		problems = append(problems, "printed: "+printed[at[0]:min(len(printed), at[0]+4000)])
	}
	for _, secret := range secrets {
		if strings.Contains(log, secret) || strings.Contains(printed, secret) {
			problems = append(problems, "told the secret "+secret)
		}
	}
	return problems
}

// kept are the files that are there when the app has ended: its own, and what the
// soak has written.
var kept = []string{
	"home/.config/Windsurf/User/globalStorage/state.vscdb",
	"home/.config/windsock/config.toml",
	"home/.local/state/windsock/history.db",
	"home/.local/state/windsock/windsock.log",
	"home/.local/state/windsock/windsock.log.1",
}

// checkFiles names the files that are left over below a session's directory, and
// the directories of copies.
func checkFiles(dir string) (problems []string, err error) {
	for _, top := range []string{"home", "run", "tmp"} {
		err := filepath.WalkDir(filepath.Join(dir, top), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			name, err := filepath.Rel(dir, path)
			if err != nil {
				return err
			}
			copied := d.IsDir() && strings.HasPrefix(d.Name(), "windsock-")
			if copied || d.Type().IsRegular() && !slices.Contains(kept, name) {
				problems = append(problems, "left over: "+name)
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("look for left-overs: %w", err)
		}
	}
	return problems, nil
}

var created = regexp.MustCompile(`(?m)^created by (\S+)`)

// crowds are the functions that have started more than one of the goroutines in a
// dump.
func crowds(dump string) []string {
	counts := map[string]int{}
	for _, match := range created.FindAllStringSubmatch(dump, -1) {
		counts[match[1]]++
	}
	var found []string
	for by, n := range counts {
		if n > 1 {
			found = append(found, fmt.Sprintf("%d goroutines of %s", n, by))
		}
	}
	slices.Sort(found)
	return found
}
