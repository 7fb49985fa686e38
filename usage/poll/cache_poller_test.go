package poll

import (
	"context"
	"iter"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"windsock/usage"
	"windsock/usage/usagetest"
	"windsock/usage/words"
)

// keeps is a cache with credits in it, and counts its reads.
func keeps(looked *atomic.Int32) Recall {
	return func(context.Context, Ask) iter.Seq2[Cached, error] {
		looked.Add(1)
		return func(yield func(Cached, error) bool) {
			yield(Cached{Reading: Reading{Raw: []byte(usagetest.Plenty), Variant: "windsurf", App: "Windsurf"}, Name: "cachedPlanInfo"}, nil)
		}
	}
}

func TestPollerShowsWhatIsKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		answers := []func() (Reading, error){
			func() (Reading, error) { return Reading{}, codedError("not_running") },
			func() (Reading, error) { return Reading{}, codedError("not_running") },
			func() (Reading, error) { return Reading{}, codedError("not_signed_in") },
			func() (Reading, error) { return Reading{}, codedError("not_running") },
			func() (Reading, error) { return Reading{Raw: []byte(usagetest.Plenty)}, nil },
			func() (Reading, error) { return Reading{}, codedError("not_running") },
		}
		var looked atomic.Int32
		b := newBench(func(_ context.Context, n int) (Reading, error) { return answers[min(n, len(answers)-1)]() })
		b.recall = keeps(&looked)
		defer b.run(t)()
		const kept = "Showing what the editor has kept, age unknown (Windsurf is not running)"
		steps := []struct {
			at      time.Duration
			kind    usage.SourceKind
			figures bool
			says    string
			looked  int32
		}{
			{time.Second, usage.KindCache, true, kept, 1},
			{11 * time.Second, usage.KindCache, true, kept, 1},
			{72 * time.Second, usage.KindLanguageServer, false, "Try again in a moment.", 1},
			{83 * time.Second, usage.KindCache, true, kept, 2},
			{144 * time.Second, usage.KindLanguageServer, true, "", 2},
			{500 * time.Second, usage.KindLanguageServer, true, "Showing figures of 10:01 (Try again in a moment)", 2},
		}
		for _, step := range steps {
			b.until(step.at)
			s := b.now()
			if s.Snapshot.Source.Kind != step.kind || s.HasFigures() != step.figures || s.Sentence(words.Words{}) != step.says || looked.Load() != step.looked {
				t.Errorf("after %v: %s, figures %v, %q, looked %d times", step.at, s.Snapshot.Source.Kind, s.HasFigures(), s.Sentence(words.Words{}), looked.Load())
			}
			if s.Snapshot.Source.Kind == usage.KindCache && (!s.Snapshot.Source.Stale || s.Age() != 0 || s.Snapshot.Meters[0].Pace != nil) {
				t.Errorf("after %v: %+v", step.at, s.Snapshot)
			}
		}
	})
}
