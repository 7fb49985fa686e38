package history

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"

	"windsock/probe/sorted"
	"windsock/usage"
)

// Plan is a plan with samples in the store.
type Plan struct {
	// Name is its name for programs: the product, and the Hash if there is one, such as
	// windsurf:3fa91c. It does not depend on the other plans.
	Name    string
	Product usage.Product
	// Hash is the beginning of the account's hash; "" for an unknown account.
	Hash string
	// Last is when the last sample was taken.
	Last time.Time
}

// Plans are the plans with samples, in the order of the products, the one that was
// seen first before the others. Without a file there are none.
func (s *Store) Plans(ctx context.Context) (plans []Plan, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err = s.with(ctx, false, func(ctx context.Context) (err error) {
		plans, err = collect(ctx, s.db, func(rows *sql.Rows) (p Plan, err error) {
			var key string
			var taken, behind int64
			err = rows.Scan(&key, &taken, &behind)
			p.Name = planName(key)
			p.Product, p.Hash = usage.ReadKey(key)
			p.Last = time.Unix(taken/1000-behind, 0).UTC()
			return p, err
		}, "SELECT hash, max(taken), behind FROM sample JOIN account ON account.id = account GROUP BY account ORDER BY account")
		return err
	})
	sorted.By(plans, func(a, b Plan) int { return byProduct(a.Product, b.Product) })
	return plans, err
}

// planName is a plan's name for programs, from its [usage.Plan.Key].
func planName(key string) string {
	product, hash := usage.ReadKey(key)
	if hash == "" {
		return string(product)
	}
	return string(product) + ":" + hash
}

func byProduct(a, b usage.Product) int {
	all := usage.Products()
	return cmp.Compare(slices.Index(all, a), slices.Index(all, b))
}

// byPlan compares the names of plans.
func byPlan(a, b string) int {
	if a == b {
		return 0
	}
	of, _, _ := strings.Cut(a, ":")
	other, _, _ := strings.Cut(b, ":")
	return cmp.Or(byProduct(usage.Product(of), usage.Product(other)), cmp.Compare(a, b))
}

// planNames are the names of plans by their numbers in the table account. No plan means
// all plans.
func (s *Store) planNames(ctx context.Context, plans []usage.Plan) (map[int64]string, error) {
	names := map[int64]string{}
	err := scanEach(ctx, s.db, func(rows *sql.Rows) error {
		var id int64
		var key string
		err := rows.Scan(&id, &key)
		names[id] = planName(key)
		return err
	}, "SELECT id, hash FROM account")
	if err != nil || len(plans) == 0 {
		return names, err
	}
	some := map[int64]string{}
	for _, plan := range plans {
		find := s.findPlan
		if !plan.Account.Known() {
			find = s.latestPlan
		}
		id, err := find(ctx, s.db, plan)
		if err != nil {
			return nil, err
		}
		if id != 0 {
			some[id] = names[id]
		}
	}
	return some, nil
}

// latestPlan is the number of the plan with the latest sample among those of a plan's
// product; 0 without samples.
func (s *Store) latestPlan(ctx context.Context, q querier, plan usage.Plan) (int64, error) {
	var id int64
	err := q.QueryRowContext(ctx, `SELECT account FROM sample WHERE account IN
		(SELECT id FROM account WHERE CASE instr(hash, ':') WHEN 0 THEN 'windsurf' ELSE substr(hash, 1, instr(hash, ':') - 1) END = ?)
		ORDER BY taken DESC LIMIT 1`, cmp.Or(plan.Product, usage.Windsurf)).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return id, err
}
