package status

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/poll"
	"windsock/usage/product"
	"windsock/usage/usagetest"
)

// The readings of a family: two accounts of Windsurf, and Antigravity.
var (
	teams = poll.Reading{Variant: "windsurf", App: "Windsurf", PID: 41, Raw: []byte(`{"userStatus":{"userId":"one","planStatus":{` + formatCredits + `}}}`)}
	next  = poll.Reading{Variant: "windsurf-next", App: "Windsurf Next", PID: 42, Raw: []byte(`{"userStatus":{"userId":"two","planStatus":{` + formatSpent + `}}}`)}
	gravy = poll.Reading{
		Product: usage.Antigravity, Variant: "antigravity", App: "Antigravity", PID: 43,
		Raw: []byte(`{"response":{"groups":[{"buckets":[` + notStarted5h + `,{"bucketId":"gemini-weekly","remainingFraction":0.625,"resetTime":"2026-02-08T10:00:00Z"}]}]},
			"userStatus":{"email":"me@example.com","userTier":{"name":"Google AI Pro"}}}`),
	}
)

// dollars is Cursor's plan, which its service tells.
var dollars = poll.Reading{
	Product: usage.Cursor, Kind: usage.KindCloud, Host: "api2.cursor.sh", At: usagetest.Noon,
	Raw: []byte(cursorOf(`"planUsage":{"limit":40000,"includedSpend":10000}`)),
}

// unread is a reading of a server that runs.
func unread(r poll.Reading, err error) poll.Reading {
	r.Raw, r.Err = nil, err
	return r
}

var (
	errNoPort    error = &say.Error{Code: "no_port", What: "Antigravity runs, but none of its ports answers", Cure: "Restart Antigravity.", Exit: 3}
	errSignedOut error = &say.Error{Code: "not_signed_in", What: "Sign in to Windsurf, then try again.", Exit: 4}
	errNoAgy     error = &say.Error{Code: "not_running", What: "Antigravity is not running", Cure: "Start Antigravity and try again.", Exit: 3}
)

// familyOf asks for the products that it is asked for. A product without a reading here
// does not run; nobody has allowed to ask for Cursor's.
func familyOf(all ...poll.Reading) Parts {
	return Parts{
		Fetch: func(_ context.Context, ask poll.Ask) (readings []poll.Reading) {
			for _, p := range ask.Products {
				of := slices.DeleteFunc(slices.Clone(all), func(r poll.Reading) bool { return r.Product != p && (r.Product != "" || p != usage.Windsurf) })
				switch {
				case len(of) > 0:
					readings = append(readings, of...)
				case p == usage.Antigravity:
					readings = append(readings, poll.Reading{Product: p, App: "Antigravity", Err: errNoAgy})
				case p == usage.Windsurf:
					readings = append(readings, poll.Reading{Err: usagetest.ErrNotRunning})
				}
			}
			return readings
		},
		Salt: func(context.Context) ([]byte, error) { return []byte("salt"), nil },
		ProductOf: func(variant string) usage.Product {
			return map[string]usage.Product{"windsurf": usage.Windsurf, "windsurf-next": usage.Windsurf, "antigravity": usage.Antigravity}[variant]
		},
	}
}

// accountOf is what stands for an account in the output.
func accountOf(of usage.Product, id ...string) string {
	return usage.Plan{Product: of, Account: usage.NewAccount(id...)}.Short([]byte("salt"))
}

// Several plans in every format, with the exit code.
func TestPlans(t *testing.T) {
	t.Parallel()
	twin := next
	twin.Raw = bytes.Replace(teams.Raw, []byte(`"one"`), []byte(`"two"`), 1)
	twin.App = teams.App
	old := gravy
	old.Raw = bytes.Replace(gravy.Raw, []byte("T15:00"), []byte("T14:00"), 1)
	old.Kind, old.At, old.Err = usage.KindStatusLine, usagetest.Noon.Add(-time.Hour), errNoAgy
	tests := []struct {
		name     string
		readings []poll.Reading
		lead     string
	}{
		{"family", []poll.Reading{teams, next, gravy}, ""},
		{"another_leads", []poll.Reading{teams, next, gravy}, "antigravity"},
		{"cursor_leads", []poll.Reading{next, dollars}, "cursor"},
		{"called_the_same", []poll.Reading{teams, twin}, ""},
		{"one_account_twice", []poll.Reading{teams, teams}, ""},
		{"one_cannot_be_read", []poll.Reading{teams, unread(gravy, errNoPort)}, ""},
		{"one_is_old", []poll.Reading{teams, old}, ""},
		{"all_are_old", []poll.Reading{unread(teams, errSignedOut), old}, ""},
		{"none_can_be_read", []poll.Reading{unread(teams, errSignedOut), unread(gravy, errNoPort)}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			parts := familyOf(tt.readings...)
			parts.Lead = func() string { return tt.lead }
			var all strings.Builder
			for _, f := range formats {
				out, err := runStatus(t, &statusCommand{Parts: parts}, nil, "--format", string(f))
				o := outcomeOf(err)
				fmt.Fprintf(&all, "== %s: %d %s\n%s", f, o.Code, o.Said, comments.ReplaceAllString(out, ""))
				if slices.Contains(programs, f) {
					parseBack(t, f, poll.Look(t.Context(), poll.Config{
						Fetch: parts.Fetch, Salt: parts.Salt, Settings: poll.Settings{Lead: tt.lead}, Now: func() time.Time { return usagetest.Noon },
					}), out)
				}
			}
			golden(t, "plans/"+tt.name+".golden", []byte(all.String()))
		})
	}
}

// The flags that choose plans.
func TestSelect(t *testing.T) {
	t.Parallel()
	one, two := "windsurf:"+accountOf(usage.Windsurf, "user", "one"), "windsurf:"+accountOf(usage.Windsurf, "user", "two")
	gravity := "antigravity:" + accountOf(usage.Antigravity, "antigravity", "me@example.com")
	family := []poll.Reading{teams, next, gravy}
	const products = "windsurf, antigravity or cursor"
	badPlan := outcome{2, "--plan takes the ID of a plan, such as windsurf or windsurf:3fa91c; it begins with " + products + "."}
	tests := []struct {
		name     string
		readings []poll.Reading
		args     []string
		// plans are those that are shown, with * if it leads and ! with a problem.
		plans string
		want  outcome
	}{
		{"all", family, nil, one + "* " + two + " " + gravity, outcome{}},
		{"product", family, []string{"--product", "windsurf"}, one + "* " + two, outcome{}},
		{"product_of_one_plan", family, []string{"--product", "antigravity"}, gravity + "*", outcome{}},
		{"product_that_does_not_run", []poll.Reading{teams}, []string{"--product", "antigravity"}, "antigravity:*!", outcome{3, ""}},
		{"product_unknown", family, []string{"--product", "devin"}, "", outcome{2, "--product takes " + products + "."}},
		{"product_empty", family, []string{"--product", ""}, "", outcome{2, "--product takes " + products + "."}},
		{"plan", family, []string{"--plan", two}, two + "*", outcome{}},
		{"plan_of_product", family, []string{"--plan", "antigravity"}, gravity + "*", outcome{}},
		{"plans_of_product", family, []string{"--plan", "windsurf"}, one + "* " + two, outcome{}},
		{"plan_by_full_name", []poll.Reading{teams}, []string{"--plan", one}, one + "*", outcome{}},
		{"plan_not_there", family, []string{"--plan", "windsurf:000000"}, "", outcome{2, "There is no plan windsurf:000000, only " + one + " and " + two + "."}},
		{"plan_while_nothing_runs", []poll.Reading{gravy}, []string{"--plan", two}, "windsurf:*!", outcome{3, ""}},
		{"plan_that_does_not_run", []poll.Reading{teams}, []string{"--plan", "antigravity"}, "antigravity:*!", outcome{3, ""}},
		{"plan_unknown", family, []string{"--plan", "3fa91c"}, "", badPlan},
		{"plan_empty", family, []string{"--plan", ""}, "", badPlan},
		{"plan_and_product", family, []string{"--plan", "windsurf", "--product", "windsurf"}, "", outcome{2, "--plan names the product already. Leave out --product."}},
		{"variant", family, []string{"--product", "windsurf", "--variant", "windsurf-next"}, one + "* " + two, outcome{}},
		{
			"variant_of_another_product", family,
			[]string{"--product", "antigravity", "--variant", "windsurf-next"},
			"",
			outcome{2, "--variant windsurf-next is an editor of another product than antigravity; give one of them."},
		},
		{
			"variant_of_another_plan", family,
			[]string{"--plan", two, "--variant", "antigravity"},
			"",
			outcome{2, "--variant antigravity is an editor of another product than windsurf; give one of them."},
		},
		{"from_with_plan", family, []string{"--from", "-", "--plan", "windsurf"}, "", outcome{2, "--from reads a saved answer. Leave out --plan."}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out, err := runStatus(t, &statusCommand{Parts: familyOf(tt.readings...)}, nil, append(tt.args, "--json")...)
			var plans []string
			for _, p := range gjson.Get(out, "plans").Array() {
				name := p.Get("product").Str + ":" + p.Get("account").Str
				if p.Get("lead").Bool() {
					name += "*"
				}
				if p.Get("problems.#").Int() > 0 {
					name += "!"
				}
				plans = append(plans, name)
			}
			if diff := cmp.Diff(tt.plans, strings.Join(plans, " ")); diff != "" {
				t.Errorf("plans (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.want, outcomeOf(err)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What an editor has kept need not be of the plan that is asked for: then that is not
// there for want of an editor, and not for a wrong name.
func TestCachedPlan(t *testing.T) {
	t.Parallel()
	one := "windsurf:" + accountOf(usage.Windsurf, "user", "one")
	tests := []struct {
		name string
		args []string
		want outcome
	}{
		{"its_own", []string{"--plan", one, "--cached"}, outcome{}},
		{"another_ones", []string{"--plan", "windsurf:000000", "--cached"}, outcome{Code: 3}},
		{"another_ones_without_cached", []string{"--plan", "windsurf:000000"}, outcome{Code: 3}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			parts := familyOf()
			parts.Recall = func(context.Context, poll.Ask) iter.Seq2[poll.Cached, error] {
				return func(yield func(poll.Cached, error) bool) {
					yield(poll.Cached{Reading: poll.Reading{Variant: teams.Variant, App: teams.App, Raw: teams.Raw}, Name: "state.vscdb"}, nil)
				}
			}
			_, err := runStatus(t, &statusCommand{Parts: parts}, nil, append(tt.args, "--json")...)
			if diff := cmp.Diff(tt.want, outcomeOf(err)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Every plan is judged by --fail-under, whichever leads.
func TestFailUnderOfEveryPlan(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		args []string
		code int
	}{
		{"another_is_used_up", []string{"--fail-under", "10"}, 5},
		{"not_shown", []string{"--fail-under", "10", "--product", "antigravity"}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := runStatus(t, &statusCommand{Parts: familyOf(teams, next, gravy)}, nil, tt.args...)
			if diff := cmp.Diff(outcome{Code: tt.code}, outcomeOf(err)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Of several plans the leading one's answer is saved, as its product's; a saved answer
// is read as its product's.
func TestSaveOfSeveral(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		readings []poll.Reading
		args     []string
		of       usage.Product
		raw      []byte
		stderr   string
	}{
		{"first_leads", []poll.Reading{teams, next, gravy}, nil, usage.Windsurf, teams.Raw, " about Windsurf · Teams"},
		{"chosen", []poll.Reading{teams, next, gravy}, []string{"--plan", "antigravity"}, usage.Antigravity, gravy.Raw, ""},
		{"beside_a_problem", []poll.Reading{unread(teams, errSignedOut), gravy}, nil, usage.Antigravity, gravy.Raw, " about Antigravity · Pro"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "a.json")
			got := runSaving(t, &statusCommand{Parts: familyOf(tt.readings...)}, "", append(tt.args, "--save", file)...)
			want := told{got.Stdout, strings.Replace(savedAs, "The answer", "The answer"+tt.stderr, 1), outcome{}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			saved, err := os.ReadFile(file)
			if diff := cmp.Diff(string(product.Anonymize(tt.of, tt.raw)), string(saved)); diff != "" || err != nil {
				t.Errorf("saved %v (-want +got):\n%s", err, diff)
			}
			out, err := runStatus(t, &statusCommand{}, nil, "--from", file, "--json")
			if got := gjson.Get(out, "plans.0.product").Str; got != string(tt.of) || err != nil {
				t.Errorf("read as %s, %v", got, err)
			}
		})
	}
}

// A configured editor does not keep a flag from asking for another product.
func TestProductIsStrongerThanConfiguredVariant(t *testing.T) {
	t.Parallel()
	for product, want := range map[string]string{"antigravity": "", "windsurf": "windsurf-next"} {
		parts, asked := familyOf(teams, gravy), "nothing"
		parts.Config = func() (Config, error) { return Config{Variant: "windsurf-next"}, nil }
		fetch := parts.Fetch
		parts.Fetch = func(ctx context.Context, ask poll.Ask) []poll.Reading {
			asked = ask.Variant
			return fetch(ctx, ask)
		}
		if _, err := runStatus(t, &statusCommand{Parts: parts}, nil, "--product", product); err != nil || asked != want {
			t.Errorf("%s: asked for %q, %v", product, asked, err)
		}
	}
}

// A line of JSON follows every plan.
func TestWatchOfSeveral(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		parts := familyOf()
		parts.Now = func() time.Time { return usagetest.Noon.Add(time.Since(start)) }
		parts.Fetch = func(ctx context.Context, ask poll.Ask) []poll.Reading {
			all := []poll.Reading{teams, gravy}
			if slices.Contains(ask.Products, usage.Antigravity) {
				time.Sleep(time.Second) // the answers come in one order
			}
			switch after := time.Since(start); {
			case after > 20*time.Minute:
				all[1] = unread(gravy, errNoPort)
			case after > 10*time.Minute:
				all[1].Raw = bytes.Replace(gravy.Raw, []byte("0.625"), []byte("0.5"), 1)
			}
			return familyOf(all...).Fetch(ctx, ask)
		}
		var out strings.Builder
		cmd := quietCommand(&statusCommand{Parts: parts, lookup: func(string) (string, bool) { return "", false }, location: time.UTC})
		cmd.SetArgs([]string{"--watch", "--interval", "1m"})
		cmd.SetOut(&out)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Minute)
		defer cancel()
		_ = cmd.ExecuteContext(ctx) // it ends with its context
		var got []string
		for line := range strings.Lines(out.String()) {
			var plans []string
			for _, p := range gjson.Get(line, "plans").Array() {
				plans = append(plans, fmt.Sprint(p.Get("product"), p.Get("meters.#.remaining"), p.Get("source.stale"), p.Get("problems.#.code")))
			}
			if text := strings.Join(plans, " "); len(got) == 0 || got[len(got)-1] != text {
				got = append(got, text)
			}
		}
		want := []string{
			"windsurf [453,24994.5] false [] antigravity [100,62.5] false []",
			"windsurf [453,24994.5] false [] antigravity [100,50] false []",
			`windsurf [453,24994.5] false [] antigravity [100,50] false ["no_port"]`,
			`windsurf [453,24994.5] false [] antigravity [100,50] true ["no_port"]`,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// --watch ends where the plan is not there, and says which are.
func TestWatchEndsWithoutItsPlan(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		parts := familyOf(teams)
		start := time.Now()
		parts.Now = func() time.Time { return usagetest.Noon.Add(time.Since(start)) }
		out, err := runStatus(t, &statusCommand{Parts: parts}, nil, "--watch", "--plan", "windsurf:000000")
		if diff := cmp.Diff(outcome{2, "There is no plan windsurf:000000, only windsurf."}, outcomeOf(err)); diff != "" || out != "" {
			t.Errorf("wrote %q (-want +got):\n%s", out, diff)
		}
	})
}
