package spend_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"windsock/usage"
	"windsock/usage/history"
	"windsock/usage/spend"
)

// halfYear is a server with steps of 200 days, around the clock.
func halfYear() *server {
	s := &server{}
	for c := range 12 {
		var steps []spend.Step
		at := now.AddDate(0, 0, -200+c)
		for i := 0; at.Before(now); i++ {
			step := prompt(at, "opus")
			if i%4 > 0 {
				step = answer(at, fmt.Sprintf("r%d-%d", c, i), []string{"opus", "swe", ""}[i%3], credits(int64(i*7%90)))
			}
			if i%5 == 0 {
				step.Costs, step.Tokens = spend.Costs{}, spend.Tokens{}
			}
			steps = append(steps, step)
			at = at.Add(time.Duration(9+5*c)*time.Hour + 7*time.Minute)
		}
		s.put(fmt.Sprintf("cascade-%d", c), now, steps...)
	}
	return s
}

// rows is how many rows a table has.
func rows(tb testing.TB, path, table string) (n int) {
	tb.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		tb.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRowContext(tb.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil {
		tb.Fatal(err)
	}
	return n
}

// reports are all sums by model, cascade and day.
func reports(tb testing.TB, b *spend.Book) (all []spend.Report) {
	tb.Helper()
	for _, by := range []spend.By{spend.ByModel, spend.ByCascade, spend.ByDay} {
		report := sum(tb, b, by, spend.Look{})
		report.Read = time.Time{}
		all = append(all, report)
	}
	return all
}

// Folding changes no sum, and what was folded is not counted again.
func TestFold(t *testing.T) {
	t.Parallel()
	zones := []string{"Australia/Lord_Howe", "America/New_York", "Asia/Kathmandu", "UTC"}
	if testing.Short() {
		zones = zones[:1]
	}
	for _, zone := range zones {
		t.Run(zone, func(t *testing.T) {
			t.Parallel()
			location, err := time.LoadLocation(zone)
			if err != nil {
				t.Fatal(err)
			}
			s, path := halfYear(), tempPath(t)
			b := bookIn(t, path, location)
			young := reading(s)
			young.Now = now.AddDate(0, 0, -120)
			read(t, b, young)
			want, steps := reports(t, b), rows(t, path, "spent_step")
			if folded := rows(t, path, "spent_mark"); folded != 0 {
				t.Errorf("%d steps are folded at once", folded)
			}
			for day := -20; day <= 0; day += 5 {
				later := reading(s)
				later.Now = now.AddDate(0, 0, day)
				read(t, b, later)
				equal(t, reports(t, b), want)
			}
			folded, left := rows(t, path, "spent_mark"), rows(t, path, "spent_step")
			if folded+left != steps || folded < steps/3 || left < steps/3 {
				t.Errorf("%d steps: %d are folded, %d are left", steps, folded, left)
			}
			// All is read again, as after another person's hand at the last step.
			for id, steps := range s.steps {
				steps[len(steps)-1].Model = "another"
				s.put(id, now.Add(time.Hour), steps...)
			}
			read(t, b, reading(s))
			for id := range s.steps {
				if !strings.Contains(fmt.Sprint(s.asked), "{"+id+" 0} ") {
					t.Fatalf("%s was not read again: %v", id, s.asked)
				}
			}
			if got := sum(t, b, spend.ByCascade, spend.Look{}); got.Total.Prompts != want[0].Total.Prompts || got.Total.Credits != want[0].Total.Credits || got.Total.ModelSteps != want[0].Total.ModelSteps {
				t.Errorf("read again: %+v, want %+v", got.Total, want[0].Total)
			}
		})
	}
}

// A first reading of what is older than 90 days is folded at once, and a branch of it
// counts nothing later.
func TestFoldOld(t *testing.T) {
	t.Parallel()
	s, path := &server{}, tempPath(t)
	old := now.AddDate(-1, 0, 0)
	s.put("a", old, prompt(old, "opus"), answer(old, "r", "opus", credits(100)))
	since := daily(s, "days", now, 90)
	read(t, book(t, path), reading(s))
	s.put("b", now, s.steps["a"][1])
	s.steps["b"][0].Index = 1
	read(t, book(t, path), reading(s))
	want := spend.Figures{Prompts: 1, Costs: credits(100), Tokens: tokens(100, 10, 50), ModelSteps: 1}
	equal(t, sum(t, book(t, path), spend.ByDay, spend.Look{}).Rows[0], spend.Row{Key: "2025-02-03", Label: "2025-02-03", Figures: want, Days: 1})
	if left := rows(t, path, "spent_step"); left != since {
		t.Errorf("%d steps are left, want %d", left, since)
	}
}

// daily adds a cascade with a step on each of the days before a moment.
func daily(s *server, cascade string, before time.Time, days int) int {
	var steps []spend.Step
	for day := range days {
		at := before.AddDate(0, 0, day-days)
		steps = append(steps, answer(at, fmt.Sprint(cascade, day), "opus", credits(1)))
	}
	s.put(cascade, before, steps...)
	return days
}

// A clock that is a year ahead for some days folds nothing that is not old by the days with
// steps, and what comes after it counts.
func TestFoldByAWrongClock(t *testing.T) {
	t.Parallel()
	s, path := &server{}, tempPath(t)
	steps := daily(s, "before", now, 80)
	b := book(t, path)
	read(t, b, reading(s))
	for day := range 5 {
		at := now.AddDate(1, 0, day)
		s.put(fmt.Sprint("ahead", day), at, answer(at, fmt.Sprint("r", day), "opus", credits(1)))
		steps++
		ahead := reading(s)
		ahead.Now = at
		read(t, b, ahead)
	}
	if left := rows(t, path, "spent_step"); left != steps {
		t.Errorf("%d steps are left of %d", left, steps)
	}
	steps += daily(s, "after", now.AddDate(0, 0, 5), 5)
	back := reading(s)
	back.Now = now.AddDate(0, 0, 5)
	read(t, b, back)
	if left := rows(t, path, "spent_step"); left != steps {
		t.Errorf("%d steps are left of %d after the clock was set back", left, steps)
	}
}

// No title, workspace or account is in the files, whatever happens.
func TestNothingPersonalIsKept(t *testing.T) {
	t.Parallel()
	const planted = "Planted-7f3a"
	path := tempPath(t)
	store := history.New(history.Config{Path: path, Location: time.UTC})
	b := spend.New(spend.Config{
		Room: store, Salt: store.Salt, Location: time.UTC,
		Moved: noMeters,
	})
	s := halfYear()
	for i := range s.list {
		s.list[i].Title, s.list[i].Workspace = planted+" title", "file:///srv/"+planted
	}
	r := reading(s)
	r.Plan.Account = usage.NewAccount(planted + "@example.com")
	look := read(t, b, r)
	q := spend.Query{Plan: r.Plan, By: spend.ByWorkspace, Until: now, Only: map[spend.By]string{spend.ByWorkspace: "file:///srv/" + planted}}
	report, err := b.Sum(t.Context(), q, look, label)
	if err != nil || len(report.Rows) != 1 || report.Rows[0].Label != planted {
		t.Errorf("%v, %v", report.Rows, err)
	}
	contents := func() (text string) {
		files, err := filepath.Glob(path + "*")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text += string(content)
		}
		return text
	}
	open := contents()
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{open, contents()} {
		if strings.Contains(text, planted) {
			t.Error("it is in a file")
		}
		if !strings.Contains(text, "cascade-11") {
			t.Error("the files were not read")
		}
	}
}
