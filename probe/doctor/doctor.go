// Package doctor explains why Windsock can or cannot read the figures. It reports the
// steps of discovery that package probe took, and further checks, in words that may be
// published. It sends no request of its own.
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

// Doctor examines everything that Windsock needs to read the figures.
type Doctor struct {
	// Version is the version of Windsock.
	Version string
	// Finder returns the Finder to trace.
	Finder func() *probe.Finder
	// Variants returns the editors with that name; "" is the default of Windsock.
	Variants func(name string) ([]probe.Variant, error)
	// Figures describes the content of a product's response (probe.Answer) as a clause.
	// Its error says why nothing in it can be shown. Neither may repeat what a person or a
	// server wrote. Nil leaves that step out.
	Figures func(product string, raw []byte) (finding string, err error)
	// Beside returns the display name of an app whose figures come without a server, of
	// those that such a list has; "" for none. Its error is why there are none where they
	// are asked for; a person is told that before any reason of a server but a missing
	// sign-in. Nil is none.
	Beside func(list []probe.Variant) (app string, err error)
	// Checks examine what is not part of discovery. Each ends soon after its context.
	Checks []func(context.Context) []Step
}

// Step is the result of one step.
type Step struct {
	// Variant is the ID of the examined variant; may be empty.
	Variant string
	// Name is an identifier for programs, such as handshake.
	Name string
	// OK says that the step succeeded. Absent says that a failed step need not be an
	// error: for example, one editor does not run, but another one does.
	OK, Absent bool
	// Finding is what was observed, a clause without a full stop.
	Finding string
	// Cure is a sentence on what to do; may be empty.
	Cure string
	// Duration is how long the step took.
	Duration time.Duration

	app string // display name of the variant's app
}

// The names of the steps that package probe does not take.
const (
	stepProcess = "process"
	stepFigures = "figures"
	stepCaches  = "caches"
)

// Diagnosis is the result of a Doctor.
type Diagnosis struct {
	// Steps are in the order of the variants, then of discovery. The checks come last.
	Steps []Step
	// Err is nil if an app can be read, else the error of Finder.UserStatus or
	// Doctor.Figures.
	Err error
	// Apps are the display names of the apps that can be read, each once.
	Apps []string
	// Verdict is a sentence or two on whether the plan can be read, and what to do.
	Verdict string
}

// OK reports whether an app can be read.
func (g Diagnosis) OK() bool { return g.Err == nil }

// Examine takes the steps of discovery (see probe.Finder.Trace) within 12 seconds,
// looks at the disk if no server runs, and then runs the checks.
func (d Doctor) Examine(ctx context.Context, list []probe.Variant) Diagnosis {
	finder := d.Finder()
	r := report{figures: d.Figures, finder: finder, list: list, Look: finder.Trace(ctx, list)}
	g := r.diagnose(ctx)
	for _, check := range d.Checks {
		g.Steps = append(g.Steps, check(ctx)...)
	}
	if g.Err != nil && d.Beside != nil {
		switch app, err := d.Beside(list); {
		case app != "":
			g.Apps, g.Err = []string{app}, nil
		case err != nil && say.Code(g.Err) != string(probe.NotSignedIn):
			g.Err = err
		}
	}
	g.Verdict = "Windsock can read the plan from " + strings.Join(g.Apps, ", and from ") + "."
	if g.Err != nil {
		g.Verdict = say.Sentence(g.Err, g.Err.Error())
	}
	return g.scrub(r.secrets, finder.Dirs())
}

// report describes what discovery observed.
type report struct {
	probe.Look

	finder  *probe.Finder
	figures func(product string, raw []byte) (string, error)
	list    []probe.Variant
	secrets []secret.Secret // all secrets read, to be removed from the texts
}

func (r *report) diagnose(ctx context.Context) (g Diagnosis) {
	if r.Failure != nil {
		g.Err = r.Failure
	}
	if r.Unlisted != nil {
		g.Steps = []Step{failed(stepProcess, r.Unlisted, r.Listing)}
		return g
	}
	for _, v := range r.list {
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
		if len(g.Steps) == 0 && len(steps) > 0 {
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

// note adds a server that answered to g; err is that of its figures.
func note(g *Diagnosis, app string, err error) {
	switch {
	case err != nil && len(g.Apps) == 0:
		g.Err = cmp.Or(g.Err, err)
	case err == nil:
		g.Err = nil
		if !slices.Contains(g.Apps, app) {
			g.Apps = append(g.Apps, app)
		}
	}
}

// running returns the steps of a variant's servers, and notes in g which can be read.
func (r *report) running(traces []*probe.Trace, g *Diagnosis) (steps []Step) {
	works := slices.ContainsFunc(traces, func(t *probe.Trace) bool { return t.Failure == nil })
	for _, t := range traces {
		of, err := r.steps(t)
		if t.Failure == nil {
			note(g, t.Server.App, err)
		}
		if other, ok := related(t, traces); ok {
			of = of[:1]
			of[0].Finding += fmt.Sprintf("; it does not listen, %s does", other)
		}
		for _, s := range of {
			if works && t.Failure != nil && !s.OK {
				// Beside a server that works, a failure of an older server or its
				// parent is no error.
				s.Absent, s.Cure = true, ""
			}
			s.app = t.Server.App
			steps = append(steps, s)
		}
	}
	return steps
}

// steps are the steps of one server. The error is that of its figures.
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

// figuresOf is the step that reads the response.
func (r *report) figuresOf(t *probe.Trace) (Step, error) {
	start := time.Now()
	v, _ := probe.LookupVariant(t.Server.Variant)
	finding, err := r.figures(v.Product, t.Raw)
	step := Step{Name: stepFigures, OK: err == nil, Finding: finding, Duration: time.Since(start)}
	if err != nil {
		clause, cure, _ := strings.Cut(say.Sentence(err, err.Error()), ". ")
		step.Finding, step.Cure = strings.TrimSuffix(clause, "."), cure
	}
	return step, err
}

// related names the parent or child that listens if t does not, as with --run_child
// (PROTOCOL.md 4.2).
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
