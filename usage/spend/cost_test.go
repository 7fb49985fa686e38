package spend_test

import (
	"fmt"
	"testing"
	"time"

	"windsock/usage/spend"
)

// months is a server with 200 cascades of 500 steps each, over 80 days.
func months() *server {
	s := &server{}
	for c := range 200 {
		begun := now.Add(-80*24*time.Hour + time.Duration(c)*9*time.Hour)
		var steps []spend.Step
		for i := range 500 {
			at := begun.Add(time.Duration(i) * time.Minute)
			model := []string{"opus", "swe", "gpt"}[i/20%3]
			if i%10 == 0 {
				steps = append(steps, prompt(at, model))
			} else {
				steps = append(steps, answer(at, fmt.Sprintf("r%d-%d", c, i), model, credits(int64(i%7))))
			}
		}
		s.put(fmt.Sprintf("cascade-%d", c), begun, steps...)
	}
	return s
}

// BenchmarkRead reads 200 cascades for the first time, and after one more turn.
func BenchmarkRead(b *testing.B) {
	s := months()
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			read(b, book(b, tempPath(b)), reading(s))
		}
	})
	b.Run("one more turn", func(b *testing.B) {
		kept := book(b, tempPath(b))
		read(b, kept, reading(s))
		for i := 0; b.Loop(); i++ {
			at := now.Add(time.Duration(i) * time.Second)
			s.put("cascade-7", at, append(s.steps["cascade-7"], answer(at, fmt.Sprint(i), "opus", credits(1)))...)
			read(b, kept, reading(s))
		}
	})
}

// BenchmarkSum adds up 100,000 steps, and those of a week of them.
func BenchmarkSum(b *testing.B) {
	kept := book(b, tempPath(b))
	look := read(b, kept, reading(months()))
	for name, days := range map[string]int{"all": 100, "week": 7} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				q := spend.Query{Plan: plan, By: spend.ByModel, Since: now.AddDate(0, 0, -days), Until: now}
				if _, err := kept.Sum(b.Context(), q, look, label); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
