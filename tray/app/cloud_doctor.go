package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"windsock/probe"
	"windsock/probe/cloud"
	"windsock/probe/doctor"
	"windsock/probe/say"
	"windsock/usage/words"
)

// checkCloud says what may be asked over the internet, and what came of it. It asks
// nothing, and opens a sign-in only where a person has allowed that.
func (p parts) checkCloud(ctx context.Context) []doctor.Step {
	var steps []doctor.Step
	for _, l := range p.choices().List() {
		if l.Allowed {
			start := time.Now()
			step := cloudStep(l, l.Describe(ctx), p.serverNow())
			step.Duration = time.Since(start)
			steps = append(steps, step)
		}
	}
	if len(steps) > 0 {
		return steps
	}
	return []doctor.Step{{Name: "cloud", OK: true, Finding: "nothing may be asked over the internet, and no sign-in was opened for that; `windsock cloud` lists what could be"}}
}

// cloudStep words what is known of a sign-in that may be asked with: nothing of its token,
// and of an answer no more than its time.
func cloudStep(l cloud.Listed, found cloud.Description, now time.Time) doctor.Step {
	step := doctor.Step{Name: "cloud", OK: true}
	clauses := []string{fmt.Sprintf("%s may be asked at %s", l.Name, l.Host)}
	if proxy := cloud.Proxy(l.Host); proxy != "" {
		clauses[0] += ", through the proxy " + proxy
	}
	var form []string
	if found.Form != "" {
		form = append(form, found.Form)
	}
	if !found.Written.IsZero() {
		form = append(form, "written "+words.Ago(now.Sub(found.Written)))
	}
	if found.Expires.After(now) {
		form = append(form, "ends "+words.In(found.Expires.Sub(now)))
	}
	if len(form) > 0 {
		clauses = append(clauses, "its sign-in is in "+found.File+" ("+strings.Join(form, ", ")+")")
	}
	fail := func(err error) string {
		told := say.Error{What: "it is not known why"}
		if t, ok := errors.AsType[say.Teller](err); ok {
			told = t.Tell()
		}
		step.OK, step.Cure = false, told.Cure
		return strings.TrimSuffix(told.What, ".")
	}
	last := l.Last
	if last.Failed != nil {
		clauses = append(clauses, fmt.Sprintf("no answer %s (%s): %s", words.Ago(now.Sub(last.Asked)), l.State, fail(last.Failed.Err())))
	}
	switch {
	case last.Answer != nil:
		clauses = append(clauses, "last answer "+words.Ago(now.Sub(last.At)))
	case last.Asked.IsZero():
		clauses = append(clauses, "not asked yet")
	case last.Failed == nil:
		clauses = append(clauses, "asked "+words.Ago(now.Sub(last.Asked))+", without a result yet")
	}
	switch { // it may have changed since
	case found.Err != nil && say.Code(found.Err) != l.State:
		clauses = append(clauses, fail(found.Err))
	case found.Err == nil && found.Host != l.Host && l.State != string(cloud.HostNotAllowed):
		clauses = append(clauses, "its sign-in is for another host now")
		step.OK, step.Cure = false, fmt.Sprintf("`windsock cloud allow %s` shows that host, and asks.", l.Name)
	}
	step.Finding = strings.Join(clauses, "; ")
	return step
}

// answersLast is how long after an answer over the internet a plan counts as one that can
// be read. The app asks several times within it.
const answersLast = time.Hour

// cloudBeside is the app whose sign-in has told over the internet what is left, of those
// that a list of variants stands for; "" for none. The error is why one that may be asked
// with has not. Nothing is asked.
func (p parts) cloudBeside(list []probe.Variant) (app string, err error) {
	for _, l := range p.choices().List() {
		// One that is no variant's counts unless a variant was named.
		counts := len(list) > 1 || slices.ContainsFunc(list, func(v probe.Variant) bool { return v.ID == l.Name })
		switch {
		case !counts:
		case l.State == cloud.StateOK && p.serverNow().Sub(l.Last.At) < answersLast:
			return l.App, nil
		case err == nil:
			err = l.Last.Failed.Err()
		}
	}
	return "", err
}
