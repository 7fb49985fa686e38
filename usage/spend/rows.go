package spend

import (
	"cmp"
	"strings"

	"windsock/probe/redact"
	"windsock/probe/sorted"
	"windsock/usage"
)

// unknown is the label of what the server does not name.
const unknown = "unknown"

// rows are a Report's rows under way.
type rows struct {
	Query

	look  Look
	model func(uid string) string
	byKey map[string]*Row
	days  map[string]map[int64]bool // by key
	total Figures
}

func newRows(q Query, look Look, model func(uid string) string) *rows {
	return &rows{q, look, model, map[string]*Row{}, map[string]map[int64]bool{}, Figures{}}
}

// add counts a group, unless the query leaves it out.
func (r *rows) add(g group) {
	for by, key := range r.Only {
		if r.key(by, g) != key {
			return
		}
	}
	key := r.key(r.By, g)
	row := r.byKey[key]
	if row == nil {
		row = &Row{Key: key, Label: r.label(key)}
		r.byKey[key], r.days[key] = row, map[int64]bool{}
	}
	r.days[key][g.day] = true
	row.Figures = row.Plus(g.Figures)
	r.total = r.total.Plus(g.Figures)
}

func (r *rows) key(by By, g group) string {
	switch by {
	case ByWorkspace:
		return r.look.Cascades[g.cascade].Workspace
	case ByCascade:
		return g.cascade
	case ByDay:
		return dateOf(g.day)
	default:
		return g.model
	}
}

func (r *rows) label(key string) string {
	switch {
	case key == "":
		return unknown
	case r.By == ByModel:
		return cmp.Or(r.model(key), key)
	case r.By == ByWorkspace:
		return cmp.Or(redact.Folder(key), key)
	case r.By == ByCascade:
		return cmp.Or(r.look.Cascades[key].Title, key)
	default:
		return key
	}
}

// sorted are the rows and their sum: the dearest first, days in order.
func (r *rows) sorted() ([]Row, Figures) {
	all := make([]Row, 0, len(r.byKey))
	for key, row := range r.byKey {
		row.Days = len(r.days[key])
		all = append(all, *row)
	}
	unit := r.total.Unit()
	sorted.By(all, func(a, b Row) int {
		if r.By == ByDay {
			return strings.Compare(a.Key, b.Key)
		}
		return cmp.Or(dearer(unit, a.Figures, b.Figures), strings.Compare(a.Label, b.Label), strings.Compare(a.Key, b.Key))
	})
	return all, r.total
}

// dearer compares by the cost that has the unit, then by the others, then by tokens and
// prompts.
func dearer(unit usage.Unit, a, b Figures) int {
	order := more(a.In(unit), b.In(unit))
	for _, other := range Units() {
		order = cmp.Or(order, more(a.In(other), b.In(other)))
	}
	return cmp.Or(order, cmp.Compare(b.tokens(), a.tokens()), cmp.Compare(b.Prompts, a.Prompts))
}

// more compares amounts, the larger first and an unknown one last.
func more(a, b usage.Amount) int {
	switch {
	case a.Known() && b.Known():
		return cmp.Compare(b.Millionths(), a.Millionths())
	case a.Known():
		return -1
	case b.Known():
		return 1
	default:
		return 0
	}
}

func (f Figures) tokens() int64 {
	sum := plusTokens(f.Input, f.Output)
	if sum == nil {
		return -1
	}
	return *sum
}
