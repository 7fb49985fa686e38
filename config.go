package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"windsock/chat"
	"windsock/chat/api"
	"windsock/probe"
	"windsock/tray"
	"windsock/usage"
	"windsock/usage/alert"
)

// config is what a person may settle, in one TOML file. Each section belongs to
// a package; its fields' tags say all that the file says of a key. A new key is
// a field, its default, and its check in Validate where its type does not say
// all. Keys hold values or lists of them, and no tables.
type config struct {
	Usage  usage.Config `toml:"usage"`
	Tray   tray.Config  `toml:"tray"`
	Alerts alert.Config `toml:"alerts"`
	Chat   chat.Config  `toml:"chat"`
	API    api.Config   `toml:"api"`
	Log    logConfig    `toml:"log"`
}

// defaultConfig is what holds without a file.
func defaultConfig() config {
	return config{
		Usage:  usage.DefaultConfig(),
		Tray:   tray.DefaultConfig(),
		Alerts: alert.DefaultConfig(),
		Chat:   chat.DefaultConfig(),
		API:    api.DefaultConfig(),
		Log:    logConfig{Level: "info"},
	}
}

// invalid are the names of the keys whose value they do not take, such as
// usage.interval.
func (c config) invalid() []string {
	var keys []string
	for _, section := range []struct {
		name string
		err  error
	}{{"usage", c.Usage.Validate()}, {"tray", c.Tray.Validate()}, {"alerts", c.Alerts.Validate()}, {"chat", c.Chat.Validate()}, {"api", c.API.Validate()}, {"log", c.Log.Validate()}} {
		errs := []error{section.err}
		if joined, ok := section.err.(interface{ Unwrap() []error }); ok {
			errs = joined.Unwrap()
		}
		for _, err := range errs {
			if keyed, ok := errors.AsType[interface {
				error
				Key() string
			}](err); ok {
				keys = append(keys, section.name+"."+keyed.Key())
			}
		}
	}
	if id := c.Usage.Variant; id != "" {
		// A file has the name in full, as status --json does.
		if v, ok := probe.LookupVariant(id); !ok || v.ID != id {
			keys = append(keys, "usage.variant")
		}
	}
	return keys
}

// logConfig is the section [log].
type logConfig struct {
	Level string `comment:"How much the log tells." takes:"debug, info, warn or error" toml:"level"`
}

var logLevels = map[string]slog.Level{
	"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError,
}

// Validate is as in the other sections.
func (c logConfig) Validate() error {
	if _, ok := logLevels[c.Level]; !ok {
		return levelError{}
	}
	return nil
}

// slogLevel is the level for log/slog; of one that is not valid, info.
func (c logConfig) slogLevel() slog.Level { return logLevels[c.Level] }

type levelError struct{}

func (levelError) Error() string { return "check config: level does not take its value" }
func (levelError) Key() string   { return "level" }

// configName is what the file is called. Its directory stays unsaid to people,
// for it has the name of its user in it.
const configName = "config.toml"

// configPath is where the file has to be. It fails where the environment names
// no home directory. Source: XDG Base Directory Specification, which has a
// relative $XDG_CONFIG_HOME ignored.
func configPath() (string, error) {
	dir := os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) {
		var err error
		switch runtime.GOOS {
		case "windows", "darwin":
			dir, err = os.UserConfigDir()
		default:
			dir, err = os.UserHomeDir()
			dir = filepath.Join(dir, ".config")
		}
		if err != nil {
			return "", fmt.Errorf("find config: %w", err)
		}
	}
	return filepath.Join(dir, "windsock", configName), nil
}

// loadConfig reads the file. One that is not there is the defaults. Any error
// is a *configError, and the config beside it is the defaults.
func loadConfig(path string) (config, error) {
	text, err := readConfig(path)
	if err != nil {
		return defaultConfig(), err
	}
	return parseConfig(text)
}

// maxConfig is a hundred times what a file with every key has.
const maxConfig = 1 << 20

// readConfig returns what is in the file; nothing for one that is not there.
func readConfig(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(path); err == nil {
			return nil, fileProblem("it is a link to a file that is not there", nil)
		}
		return nil, nil
	case err != nil:
		return nil, unreadableConfig(err)
	case info.IsDir():
		return nil, fileProblem("it is a directory, and has to be a file", nil)
	case !info.Mode().IsRegular(): // a pipe would be waited for
		return nil, fileProblem("it is no ordinary file", nil)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, unreadableConfig(err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err != nil {
		return nil, unreadableConfig(err)
	}
	if len(text) > maxConfig {
		return nil, fileProblem("it is larger than 1 MB, which no configuration is", nil)
	}
	return text, nil
}

func unreadableConfig(err error) error {
	cause := withoutPath(err)
	return fileProblem("it cannot be read: "+cause.Error(), cause)
}

// withoutPath is an error of a file without its name, which may hold a user's.
func withoutPath(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok {
		return l.Err
	}
	return err
}

// configError is a file that cannot be used.
type configError struct {
	// Problems are all that were found, in the order of the file; at least one.
	Problems []configProblem
	cause    error
}

// configProblem is one thing that is wrong with the file.
type configProblem struct {
	// Line is where, from 1; 0 when it is the file as a whole.
	Line int
	// Key is the whole name of the key or section, such as usage.interval;
	// empty when it is none's.
	Key string
	// Allowed is what the key takes; empty when that is not the problem.
	Allowed string
	// text says it, without the full stop.
	text string
}

func fileProblem(text string, cause error) error {
	return &configError{Problems: []configProblem{{text: text}}, cause: cause}
}

// Sentence says to people where something is wrong, and what would be right.
func (p configProblem) Sentence() string {
	if strings.HasSuffix(p.text, "?") {
		return p.where() + ": " + p.text
	}
	return p.where() + ": " + p.text + "."
}

func (p configProblem) where() string {
	if p.Line == 0 {
		return configName
	}
	return fmt.Sprintf("%s, line %d", configName, p.Line)
}

// Error tells the first problem.
func (e *configError) Error() string {
	text := "read config: " + e.Problems[0].where() + ": " + e.Problems[0].text
	if more := len(e.Problems) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return text
}

func (e *configError) Unwrap() error { return e.cause }

// ExitCode returns 2.
func (*configError) ExitCode() int { return exitUsage }

// Sentence says every problem on a line of its own; of a great many, the first.
func (e *configError) Sentence() string {
	const most = 10
	if more := len(e.Problems) - most; more > 0 {
		return sentences(e.Problems[:most]) + fmt.Sprintf("\nThere are %d more; windsock config --check tells them all.", more)
	}
	return sentences(e.Problems)
}

func sentences(problems []configProblem) string {
	lines := make([]string, len(problems))
	for i, p := range problems {
		lines[i] = p.Sentence()
	}
	return strings.Join(lines, "\n")
}
