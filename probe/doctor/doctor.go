// Package doctor says what stands between Windsock and the figures: the steps of
// discovery as package probe took them, and what else was looked at, in words that may
// be shown to anybody. It asks no server anything by itself.
package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"windsock/probe"
	"windsock/probe/say"
	"windsock/probe/secret"
)

// Doctor looks at all that stands between Windsock and the figures.
type Doctor struct {
	// Version is Windsock's.
	Version string
	// Finder makes the Finder whose steps are taken.
	Finder func() *probe.Finder
	// Variants are the editors that a name stands for; "" is what Windsock asks
	// by itself.
	Variants func(name string) ([]probe.Variant, error)
	// Figures says what is in a GetUserStatus answer, as a clause, or in an error
	// why there is nothing in it that can be shown; nil leaves that step out. Neither
	// may repeat what a person or a server wrote.
	Figures func(raw []byte) (finding string, err error)
	// Checks look at what is no part of discovery. Each ends soon after its
	// context does.
	Checks []func(context.Context) []Step
}

// Step is what was found at one step.
type Step struct {
	// Variant is the ID of the variant that was looked at; "" for none.
	Variant string
	// Name is a word for programs, such as handshake.
	Name string
	// OK says that the step succeeded. Absent says of one that did not that this need
	// not be an error: an editor that does not run, beside one that does.
	OK, Absent bool
	// Finding is what was seen, a clause without a full stop.
	Finding string
	// Cure is a sentence on what to do; "" where there is nothing to do.
	Cure string
	// Duration is how long the step took.
	Duration time.Duration

	app string // as a person calls the variant
}

// The names of the steps beside those of package probe.
const (
	stepProcess = "process"
	stepFigures = "figures"
	stepCaches  = "caches"
)

// Diagnosis is what a Doctor found.
type Diagnosis struct {
	// Steps are in the order of the variants, then of discovery; the checks come
	// last.
	Steps []Step
	// Err is nil where a variant can be read, else that of Finder.UserStatus or
	// Doctor.Figures. It is about the server that windsock status shows.
	Err error
	// App is the one that can be read, as a person calls it.
	App string
	// Verdict is a sentence or two on whether the plan can be read, and what to do.
	Verdict string
}

// OK reports whether a variant can be read.
func (g Diagnosis) OK() bool { return g.Err == nil }

// Examine takes the steps of discovery (see probe.Finder.Trace), which end after 12
// seconds, then looks at the disk where no server runs, and then does the checks.
func (d Doctor) Examine(ctx context.Context, list []probe.Variant) Diagnosis {
	finder := d.Finder()
	r := report{figures: d.Figures, finder: finder, list: list, Look: finder.Trace(ctx, list)}
	g := r.diagnose(ctx)
	for _, check := range d.Checks {
		g.Steps = append(g.Steps, check(ctx)...)
	}
	g.Verdict = "Windsock can read the plan from " + g.App + "."
	if g.Err != nil {
		g.Verdict = say.Sentence(g.Err, g.Err.Error())
	}
	return g.scrub(r.secrets, finder.Dirs())
}

// report puts what discovery saw into words.
type report struct {
	probe.Look

	finder  *probe.Finder
	figures func([]byte) (string, error)
	list    []probe.Variant
	secrets []secret.Secret // all that were read, to be kept out of what is told
}

func (r *report) diagnose(ctx context.Context) (g Diagnosis) {
	if r.Failure != nil {
		g.Err = r.Failure
	}
	if r.Unlisted != nil {
		g.Steps = []Step{failed(stepProcess, r.Unlisted, r.Listing)}
		return g
	}
	for i, v := range r.list {
		var of []*probe.Trace
		for _, t := range r.Traces {
			if t.Server.Variant == v.ID {
				of = append(of, t)
			}
		}
		steps := r.running(of, &g)
		if len(of) == 0 {
			steps = r.missing(ctx, v)
		}
		if i == 0 {
			steps[0].Duration = r.Listing
		}
		for j := range steps {
			steps[j].Variant = v.ID
			if steps[j].app == "" {
				steps[j].app = v.Name
			}
		}
		g.Steps = append(g.Steps, steps...)
	}
	return g
}

// running returns the steps of a variant's servers. The Diagnosis is about the first
// server of all that answers.
func (r *report) running(traces []*probe.Trace, g *Diagnosis) (steps []Step) {
	works := slices.ContainsFunc(traces, func(t *probe.Trace) bool { return t.Failure == nil })
	for _, t := range traces {
		of, err := r.steps(t)
		if t.Failure == nil && g.App == "" {
			g.App, g.Err = t.Server.App, err
		}
		if other, ok := related(t, traces); ok {
			of = of[:1]
			of[0].Finding += fmt.Sprintf("; it does not listen, %s does", other)
		}
		for _, s := range of {
			if works && t.Failure != nil && !s.OK {
				// Beside a server that works, an older one or its parent is no error.
				s.Absent, s.Cure = true, ""
			}
			s.app = t.Server.App
			steps = append(steps, s)
		}
	}
	return steps
}

// steps are those of one server. The error is that of its figures.
func (r *report) steps(t *probe.Trace) (steps []Step, err error) {
	r.secrets = append(r.secrets, t.Process.Token)
	for _, s := range t.SignIns {
		r.secrets = append(r.secrets, s.Key)
	}
	steps = []Step{{Name: stepProcess, OK: true, Finding: processWords(t.Process)}}
	for _, taken := range t.Steps {
		step := Step{Name: taken.Name, OK: true, Duration: taken.Took}
		if taken.Failure != nil {
			step = failed(taken.Name, taken.Failure, taken.Took)
		}
		if words := stepWords[taken.Name]; taken.Failure == nil || words.ofFailure {
			step.Finding = cmp.Or(words.of(t, r.finder.Dirs()), step.Finding)
		}
		steps = append(steps, step)
	}
	if t.Failure == nil && r.figures != nil {
		var step Step
		step, err = r.figuresOf(t)
		steps = append(steps, step)
	}
	return steps, err
}

// figuresOf is the step that reads the answer.
func (r *report) figuresOf(t *probe.Trace) (Step, error) {
	start := time.Now()
	finding, err := r.figures(t.Raw)
	step := Step{Name: stepFigures, OK: err == nil, Finding: finding, Duration: time.Since(start)}
	if err != nil {
		clause, cure, _ := strings.Cut(say.Sentence(err, err.Error()), ". ")
		step.Finding, step.Cure = strings.TrimSuffix(clause, "."), cure
	}
	return step, err
}

// related names the parent or the child that listens where t does not, as with
// --run_child (PROTOCOL.md 4.2).
func related(t *probe.Trace, others []*probe.Trace) (_ string, ok bool) {
	if !listensNowhere(t) {
		return "", false
	}
	for _, o := range others {
		switch {
		case listensNowhere(o):
		case o.Process.Parent == t.Process.PID:
			return fmt.Sprintf("its child %d", o.Process.PID), true
		case t.Process.Parent == o.Process.PID:
			return fmt.Sprintf("its parent %d", o.Process.PID), true
		}
	}
	return "", false
}

// listensNowhere reports whether a process listens nowhere.
func listensNowhere(t *probe.Trace) bool {
	return slices.ContainsFunc(t.Steps, func(s probe.TraceStep) bool {
		return s.Failure != nil && errors.Is(s.Failure, probe.ErrNoListener)
	})
}

// failed is a step of discovery that failed.
func failed(name string, f *probe.Failure, took time.Duration) Step {
	return Step{Name: name, Finding: f.Finding(), Cure: f.Tell().Cure, Duration: took}
}
