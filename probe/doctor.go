package probe

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"windsock/probe/secret"
)

// Doctor looks at all that stands between Windsock and the figures, and tells
// what it found in words that may be shown to anybody.
type Doctor struct {
	// Version is Windsock's.
	Version string
	// Finder makes the Finder whose steps are taken.
	Finder func() *Finder
	// Variants are the editors that a name stands for; "" is what Windsock asks
	// by itself.
	Variants func(name string) ([]Variant, error)
	// Figures says what is in a GetUserStatus answer, as a clause, or in an error
	// why there is nothing in it that can be shown; nil for nobody who knows. Neither
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
	// OK says that it is as it has to be. Absent says of a step that is not OK that
	// nothing need be amiss: an editor that is not there, beside one that works.
	OK, Absent bool
	// Finding is what was seen, a clause without a full stop.
	Finding string
	// Cure is a sentence on what to do; "" where there is nothing to do.
	Cure string
	// Duration is how long the step took.
	Duration time.Duration

	app string // as a person calls the variant
}

// The names of the steps of discovery.
const (
	stepProcess   = "process"
	stepToken     = "token"
	stepPorts     = "ports"
	stepHandshake = "handshake"
	stepKey       = "key"
	stepCall      = "call"
	stepFigures   = "figures"
	stepCaches    = "caches"
)

// Diagnosis is what a Doctor found.
type Diagnosis struct {
	// Steps are in the order of the variants, then of discovery; the checks come
	// last.
	Steps []Step
	// Err is nil where a variant can be read, else what Finder.UserStatus or
	// Doctor.Figures says; it is that of the server that windsock status shows.
	Err error
	// App is the one that can be read, as a person calls it.
	App string
	// Verdict is a sentence or two on whether the plan can be read, and what to do.
	Verdict string
}

// Examine takes every step of discovery for every variant of the list and every
// process that may be its server, also behind one that works, and goes on behind
// a step that fails where something can still be seen: ports without a token,
// keys without a port. It sends no more than discovery does, and to the same
// places. A server that is starting up is waited for, as discovery does; all of
// it takes 15 seconds at most, and what the checks take.
func (d Doctor) Examine(ctx context.Context, list []Variant) Diagnosis {
	e := examination{doctor: d, finder: d.Finder(), list: list}
	e.examine(ctx)
	for _, check := range d.Checks {
		e.found.Steps = append(e.found.Steps, check(ctx)...)
	}
	e.found.Verdict = verdict(e.found)
	e.scrub()
	return e.found
}

func verdict(g Diagnosis) string {
	if g.Err != nil {
		return sentenceOf(g.Err)
	}
	return "Windsock can read the plan from " + g.App + "."
}

// examination is one run of Examine.
type examination struct {
	doctor Doctor
	finder *Finder
	list   []Variant
	found  Diagnosis

	// What the last look at the processes brought.
	listed   time.Duration // what listing them took
	unlisted *Failure      // why they could not be listed
	patients []*patient    // in the order of the variants, then the newest first

	mu      sync.Mutex      // guards secrets
	secrets []secret.Secret // all that were read, to be kept out of what is told
}

func (e *examination) examine(ctx context.Context) {
	whole := ctx
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	if failure := e.finder.persist(ctx, func() (*Failure, bool) { return e.look(ctx) }); failure != nil {
		e.found.Err = failure
	}
	e.askInVain(whole)
	if e.unlisted != nil {
		e.found.Steps = append(e.found.Steps, failed(stepProcess, e.unlisted, e.listed))
		return
	}
	for i, v := range e.list {
		steps := e.stepsOf(whole, v)
		if i == 0 {
			steps[0].Duration = e.listed
		}
		for j := range steps {
			steps[j].Variant = v.ID
			if steps[j].app == "" {
				steps[j].app = v.Name
			}
		}
		e.found.Steps = append(e.found.Steps, steps...)
	}
}

// look examines every candidate, all at once. Its results are findOnce's: those
// of the first server that answers, else of the one that came furthest.
func (e *examination) look(ctx context.Context) (_ *Failure, starting bool) {
	e.patients, e.unlisted = nil, nil
	start := time.Now()
	all, failure := e.finder.processes(ctx, e.list)
	e.listed = time.Since(start)
	if failure != nil {
		e.unlisted = failure
		return failure, false
	}
	for _, v := range e.list {
		for _, c := range e.finder.candidates(v, all) {
			e.patients = append(e.patients, &patient{candidate: c, keep: e.keep})
		}
	}
	var examining sync.WaitGroup // ends here
	for _, p := range e.patients {
		examining.Go(func() { p.examine(ctx, e.doctor.Figures) })
	}
	examining.Wait()

	var worst *Failure
	for _, v := range e.list {
		patients := e.of(v)
		for _, p := range patients {
			if p.failure == nil {
				e.found.App, e.found.Err = p.app, p.useless
				return nil, false
			}
			starting = starting || p.mayYetAnswer(p.failure)
			worst = further(worst, p.failure)
		}
		if len(patients) == 0 {
			worst = further(worst, e.finder.notRunning(v, e.list))
		}
	}
	return worst, starting
}

// of are the patients of a variant.
func (e *examination) of(v Variant) []*patient {
	var of []*patient
	for _, p := range e.patients {
		if p.variant.ID == v.ID {
			of = append(of, p)
		}
	}
	return of
}

// stepsOf are the steps of one variant, at least one, which is about processes.
func (e *examination) stepsOf(ctx context.Context, v Variant) []Step {
	var steps []Step
	patients := e.of(v)
	works := slices.ContainsFunc(patients, func(p *patient) bool { return p.failure == nil })
	for _, p := range patients {
		if kin, ok := p.kin(patients); ok {
			s := p.steps[0]
			s.Finding += fmt.Sprintf("; it does not listen, %s does", kin)
			steps = append(steps, s)
			continue
		}
		for _, s := range p.steps {
			if works && p.failure != nil && !s.OK {
				// A server has a twin that does not serve, or has left an older one behind.
				s.Absent, s.Cure = true, ""
			}
			steps = append(steps, s)
		}
	}
	if len(patients) > 0 {
		return steps
	}
	missing := Step{Name: stepProcess, Absent: true, Finding: "not running"}
	if len(e.patients) > 0 || e.found.Err == nil {
		return []Step{missing}
	}
	// Nothing runs: what lies on the disk says whether anything ever has.
	key, own := e.storedKey(ctx, v)
	caches := e.caches(ctx, v)
	if own || caches.OK || len(e.list) == 1 || v.ID == e.list[0].ID {
		missing.Absent, missing.Cure = false, e.finder.notRunning(v, e.list).remedy()
	}
	return []Step{missing, key, caches}
}

// keep remembers secrets that were read.
func (e *examination) keep(secrets ...secret.Secret) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, s := range secrets {
		if !slices.ContainsFunc(e.secrets, s.Equal) {
			e.secrets = append(e.secrets, s)
		}
	}
}

// failed is a step that did.
func failed(name string, f *Failure, took time.Duration) Step {
	finding := f.finding
	if finding == "" {
		finding = f.trouble()
	}
	return Step{Name: name, Finding: finding, Cure: f.remedy(), Duration: took}
}
