package spend

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"windsock/usage"
)

// Sum adds up what is kept. The names of cascades and workspaces are those of a Look,
// and model names a model.
//
// A plan with an unknown account stands for its product's plan that was read last.
// Steps older than 90 days count for their day, the days of Since and of Until included.
func (b *Book) Sum(ctx context.Context, q Query, look Look, model func(uid string) string) (Report, error) {
	report := Report{Since: q.Since, Until: q.Until, By: q.By}
	key, read, err := b.find(ctx, q.Plan)
	if err != nil {
		return Report{}, err
	}
	found := usage.KeptPlan(key)
	report.Plan, report.Read = found.Name(nil), read
	groups, err := b.groups(ctx, key, q.Since, q.Until)
	if err != nil {
		return Report{}, err
	}
	rows := newRows(q, look, model)
	for _, g := range groups {
		rows.add(g)
	}
	report.Rows, report.Total = rows.sorted()
	until, end := q.Until, q.Until
	if read.Before(until) { // later costs are not known
		until, end = read, read.Add(time.Second) // that second counts
	}
	if len(q.Only) > 0 || !until.After(q.Since) {
		return report, nil
	}
	moved, err := b.config.Moved(ctx, found, q.Since, until)
	if err != nil {
		return report, err
	}
	costs, err := b.costs(ctx, key, q.Since, end)
	report.Meters = beside(moved, costs)
	if report.Partial = look.leavesOut(q.Since); report.Partial {
		for i := range report.Meters {
			report.Meters[i].Elsewhere = usage.Amount{}
		}
	}
	return report, err
}

// leavesOut reports whether a cascade was left out that may have cost something since a
// moment: one that was not modified since has not.
func (l Look) leavesOut(since time.Time) bool {
	changed := func(c Cascade) bool { return !storable(c.Modified) || !c.Modified.Before(since) }
	for _, c := range l.Cascades {
		if c.Runs && changed(c) {
			return true
		}
	}
	return slices.ContainsFunc(l.Failed, func(f Failure) bool { return changed(f.Cascade) })
}

// costs are those of all steps of a plan in a time.
func (b *Book) costs(ctx context.Context, key string, since, until time.Time) (Costs, error) {
	groups, err := b.groups(ctx, key, since, until)
	if len(groups) == 0 { // no step, no cost
		return Costs{usage.Micros(0), usage.Micros(0), usage.Micros(0), usage.Micros(0)}, err
	}
	var sum Figures
	for _, g := range groups {
		sum = sum.Plus(g.Figures)
	}
	return sum.Costs, err
}

// find is the key of a plan, and when it was read.
func (b *Book) find(ctx context.Context, plan usage.Plan) (key string, read time.Time, err error) {
	if key, err = b.key(ctx, plan); err != nil {
		return "", time.Time{}, err
	}
	err = b.read(ctx, func(ctx context.Context, db *sql.DB) error {
		var at int64
		query, value := "SELECT key, read FROM spent_plan WHERE key = ?", key
		if !plan.Account.Known() {
			query = "SELECT key, read FROM spent_plan WHERE CASE instr(key, ':') WHEN 0 THEN 'windsurf' ELSE substr(key, 1, instr(key, ':') - 1) END = ? ORDER BY read DESC, id LIMIT 1"
			value = string(usage.KeptPlan(key).Product)
		}
		err := db.QueryRowContext(ctx, query, value).Scan(&key, &at)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if at > 0 {
			read = time.Unix(at, 0).UTC()
		}
		return err
	})
	return key, read, err
}

// key is the key of a plan. Only an account that an editor has told needs the salt, which
// makes a database where there is none.
func (b *Book) key(ctx context.Context, plan usage.Plan) (string, error) {
	if !plan.Account.Told() {
		return plan.Key(nil), nil
	}
	salt, err := b.config.Salt(ctx)
	return plan.Key(salt), err
}

// group is what a cascade's steps by a model have cost on a day.
type group struct {
	Figures

	cascade, model string
	day            int64
}

// groups are those of a plan in a time. They are read by one statement, so that steps
// that are folded meanwhile count once.
func (b *Book) groups(ctx context.Context, key string, since, until time.Time) (all []group, err error) {
	in := spans(since, until, b.config.Location)
	if len(in) == 0 {
		return nil, nil
	}
	values := make([]string, len(in))
	for i, s := range in {
		values[i] = fmt.Sprintf("(%d, %d, %d)", s.since, s.until, s.offset)
	}
	query := "WITH span(since, until, ahead) AS (VALUES " + strings.Join(values, ", ") + `), part AS (
		SELECT cascade, model, (at + ahead) / 86400 AS day, ` + sums + ` FROM span
		CROSS JOIN spent_step ON plan = (SELECT id FROM spent_plan WHERE key = ?1) AND at >= since AND at < until
		GROUP BY cascade, model, day
		UNION ALL
		SELECT cascade, model, day, prompts, answers, unknown, credits, acu, quota, overage, input, output, cached FROM spent_day
		WHERE plan = (SELECT id FROM spent_plan WHERE key = ?1) AND day BETWEEN ?2 AND ?3)
		SELECT (SELECT name FROM spent_name WHERE id = cascade), (SELECT name FROM spent_name WHERE id = model), part.* FROM part`
	err = b.read(ctx, func(ctx context.Context, db *sql.DB) error {
		all = nil
		return scan(ctx, db, func(rows *sql.Rows) error {
			var g group
			var ids [2]int64
			var costs [4]*int64
			err := rows.Scan(&g.cascade, &g.model, &ids[0], &ids[1], &g.day, &g.Prompts, &g.ModelSteps, &g.UnknownSteps,
				&costs[0], &costs[1], &costs[2], &costs[3], &g.Input, &g.Output, &g.Cached)
			g.Costs = Costs{figure(costs[0]), figure(costs[1]), figure(costs[2]), figure(costs[3])}
			all = append(all, g)
			return err
		}, query, key, dayOf(since, b.config.Location), dayOf(until.Add(-time.Second), b.config.Location))
	})
	return all, err
}

func figure(n *int64) usage.Amount {
	if n == nil {
		return usage.Amount{}
	}
	return usage.Micros(*n)
}
