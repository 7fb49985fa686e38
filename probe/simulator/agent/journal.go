package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
)

// Run is what one process of an agent has seen. No text of a prompt is in it.
type Run struct {
	PID  int
	Args []string
	// Dir is its working directory, in session/new.
	Dir string
	// Methods are what the client has asked for and told, in order.
	Methods []string
	// Modes and Models are what it has set.
	Modes, Models []string
	// Images is how many images prompts have had.
	Images int
	// Refusals are the client's answers to what the agent asked for: "method: outcome".
	Refusals []string
	// Wrong are the client's violations of the protocol.
	Wrong []string
	// Children are the processes that it has left behind.
	Children []int
}

// entry is a line of the journal.
type entry struct {
	PID     int      `json:"pid"`
	Args    []string `json:"args,omitempty"`
	Dir     string   `json:"dir,omitempty"`
	Method  string   `json:"method,omitempty"`
	Mode    string   `json:"mode,omitempty"`
	Model   string   `json:"model,omitempty"`
	Images  int      `json:"images,omitempty"`
	Refusal string   `json:"refusal,omitempty"`
	Wrong   string   `json:"wrong,omitempty"`
	Child   int      `json:"child,omitempty"`
}

// note adds a line to the journal.
func (p *program) note(e entry) error {
	e.PID = os.Getpid()
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(fileOf(p.binary, ".journal"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	return errors.Join(err, f.Close())
}

// Runs are the runs of the agent at a path so far, in the order of their starts.
func Runs(binary string) (all []Run, _ error) {
	text, err := os.ReadFile(fileOf(binary, ".journal"))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(text) {
		if !bytes.HasSuffix(line, []byte{'\n'}) {
			break // it is being written
		}
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, err
		}
		i := slices.IndexFunc(all, func(r Run) bool { return r.PID == e.PID })
		if i < 0 {
			i, all = len(all), append(all, Run{PID: e.PID, Args: e.Args})
		}
		all[i].add(e)
	}
	return all, nil
}

func (r *Run) add(e entry) {
	for list, word := range map[*[]string]string{
		&r.Methods: e.Method, &r.Modes: e.Mode, &r.Models: e.Model, &r.Refusals: e.Refusal, &r.Wrong: e.Wrong,
	} {
		if word != "" {
			*list = append(*list, word)
		}
	}
	r.Images += e.Images
	if e.Dir != "" {
		r.Dir = e.Dir
	}
	if e.Child != 0 {
		r.Children = append(r.Children, e.Child)
	}
}

// Sessions are the ids of the conversations that the agent at a path has on the disk. A
// Devin keeps each from its first prompt until it is deleted.
func Sessions(binary string) (ids []string, _ error) {
	entries, err := os.ReadDir(fileOf(binary, ".sessions"))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		ids = append(ids, e.Name())
	}
	return ids, err
}

// sessionPath is where a conversation lies: Cursor's in the directory of its settings
// (PROTOCOL.md 11.6), but never in a person's own.
func (p *program) sessionPath(id string) string {
	if dir := os.Getenv(p.maker.dirVariable); p.maker.dirVariable != "" && dir != "" {
		return filepath.Join(dir, "chats", id)
	}
	return filepath.Join(fileOf(p.binary, ".sessions"), id)
}

// keep writes a conversation to the disk.
func (p *program) keep(id, text string) error {
	path := p.sessionPath(id)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o600)
}
