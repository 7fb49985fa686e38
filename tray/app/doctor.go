package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"windsock/probe"
	"windsock/probe/doctor"
	"windsock/probe/files"
	"windsock/probe/redact"
	"windsock/probe/say"
	"windsock/tray/desktop"
	"windsock/tray/settings"
	"windsock/usage"
	"windsock/usage/history"
	"windsock/usage/product"
)

// newDoctorCommand is `windsock doctor`.
func (p parts) newDoctorCommand() *cobra.Command {
	store := p.history(quiet)
	cmd := doctor.NewCommand(p.doctor(store))
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		defer func() { _ = store.Close() }()
		return run(cmd, args)
	}
	return cmd
}

// doctor examines the app's parts. store is the open store, if there is one: a process
// that opens a file twice loses its locks.
func (p parts) doctor(store *history.Store) doctor.Doctor {
	d := doctor.Doctor{
		Version:  version(),
		Finder:   func() *probe.Finder { return p.newFinder() },
		Variants: p.askedVariants,
		Figures:  figuresOf,
	}
	d.Beside = p.cloudBeside
	if !p.demo { // a demo has nothing personal in it
		d.Beside = func(list []probe.Variant) (string, error) {
			if app := p.agyApp(list); app != "" {
				return app, nil
			}
			return p.cloudBeside(list)
		}
		d.Checks = append(d.Checks, timed("settings", p.checkSettings),
			timed("history", func(ctx context.Context) doctor.Step { return p.checkHistory(ctx, store) }),
			p.checkAgy)
	}
	d.Checks = append(d.Checks, p.checkCloud, p.checkAgents(p.newAgents(nil, quiet)), desktop.Examine)
	return d
}

// askedVariants are the variants that a name stands for; without a name, those of the
// settings.
func (p parts) askedVariants(name string) ([]probe.Variant, error) {
	if name == "" {
		c, _ := p.usageConfig() // the check of the settings reports the error
		name = c.Variant
	}
	return variantsOf(name)
}

// figuresOf names the meters of a product's answer, without their figures.
func figuresOf(of string, raw []byte) (string, error) {
	snapshot, err := product.Decode(usage.Product(of), raw, usage.Source{Kind: usage.KindLanguageServer, FetchedAt: time.Now()})
	if err != nil {
		return "", err
	}
	words := []string{"billing " + string(snapshot.Billing)}
	for _, m := range snapshot.At(time.Now()).Meters {
		words = append(words, fmt.Sprintf("%s %s", m.ID, m.State))
	}
	for _, p := range snapshot.Problems {
		words = append(words, p.Code)
	}
	return strings.Join(words, ", "), nil
}

// timed is a check with one step.
func timed(name string, check func(context.Context) doctor.Step) func(context.Context) []doctor.Step {
	return func(ctx context.Context) []doctor.Step {
		start := time.Now()
		step := check(ctx)
		step.Name, step.Duration = name, time.Since(start)
		return []doctor.Step{step}
	}
}

// checkSettings says where the file is wrong, and reveals none of its content.
func (p parts) checkSettings(context.Context) doctor.Step {
	if p.settingsErr != nil {
		return doctor.Step{Finding: "the environment names no home directory", Cure: "Set $HOME."}
	}
	c, err := p.settings.Load()
	if broken, ok := errors.AsType[*settings.BrokenError](err); ok {
		finding := fmt.Sprintf("%s has %s", settings.Name, count(len(broken.Problems), "problem"))
		if line := broken.Problems[0].Line; line > 0 {
			finding += fmt.Sprintf(", the first in line %d", line)
		}
		return doctor.Step{Finding: finding, Cure: "`windsock config --check` tells what is wrong."}
	}
	finding := settings.Name + " is fine"
	if !p.settings.Exists() {
		finding = "there is no " + settings.Name + "; the defaults hold"
	}
	if c.Usage.Variant != "" {
		finding += "; it has " + c.Usage.Variant + " asked only"
	}
	return doctor.Step{OK: true, Finding: finding}
}

func count(n int, word string) string {
	if n != 1 {
		word += "s"
	}
	return fmt.Sprintf("%d %s", n, word)
}

// checkHistory opens the history as the app does.
func (p parts) checkHistory(ctx context.Context, store *history.Store) doctor.Step {
	_, err := store.Load(ctx, "")
	notice := store.Notice()
	if err != nil {
		notice = say.Sentence(err, err.Error())
	}
	if notice != "" {
		finding, cure, _ := strings.Cut(notice, ". ")
		return doctor.Step{Finding: strings.TrimSuffix(finding, "."), Cure: cure}
	}
	info, err := os.Stat(filepath.Join(p.stateDir, historyName))
	if err != nil {
		return doctor.Step{OK: true, Finding: "there is none yet"}
	}
	return doctor.Step{OK: true, Finding: historyName + " opens, " + humanize.Bytes(uint64(info.Size()))} //nolint:gosec // a size is positive
}

// showDiagnosis saves doctor's report as a file and opens it.
func (p parts) showDiagnosis(ctx context.Context, store *history.Store) error {
	d := p.doctor(store)
	list, err := d.Variants("")
	if err != nil {
		return err
	}
	text := ansi.Strip(d.Text(d.Examine(ctx, list), doctor.DefaultWidth))
	path, err := saveDiagnosis(p.stateDir, text, time.Now())
	if err != nil {
		return fmt.Errorf("save diagnostics: %w", redact.Path(err))
	}
	if err := desktop.Open(ctx, path); err != nil {
		return &say.Error{What: "The diagnostics are saved, but could not be opened. `windsock doctor` shows them.", Cause: err}
	}
	return nil
}

const (
	diagnosisPrefix = "diagnostics-"
	diagnosisSuffix = ".txt"
	// diagnosesKept limits the number of these files.
	diagnosesKept = 5
)

// saveDiagnosis writes a file for this user only, with the time in its name, and
// removes all but the newest few. The file is complete or missing.
func saveDiagnosis(dir, text string, now time.Time) (path string, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	path = filepath.Join(dir, diagnosisPrefix+now.UTC().Format("20060102-150405")+diagnosisSuffix)
	if err := files.Replace(path, []byte(text), 0o600); err != nil {
		return "", err
	}
	removeOldDiagnoses(dir)
	return path, nil
}

// removeOldDiagnoses keeps the newest, whose names sort last. Files that cannot be
// removed are retried with the next diagnosis.
func removeOldDiagnoses(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return !strings.HasPrefix(e.Name(), diagnosisPrefix) || !strings.HasSuffix(e.Name(), diagnosisSuffix) || !e.Type().IsRegular()
	})
	for _, old := range entries[:max(len(entries)-diagnosesKept, 0)] {
		_ = os.Remove(filepath.Join(dir, old.Name()))
	}
}
