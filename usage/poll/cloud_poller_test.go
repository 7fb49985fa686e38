package poll

import (
	"context"
	"iter"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/usage"
	"windsock/usage/pace"
	"windsock/usage/usagetest"
)

// While the cloud stands in for an editor, that is looked for every minute; Cursor has no
// editor to look for. Neither waits longer after a failure: the cloud has a pace of its
// own.
func TestCloudCadence(t *testing.T) {
	t.Parallel()
	s := func(seconds int) time.Duration { return time.Duration(seconds) * time.Second }
	tests := []struct {
		name    string
		product usage.Product
		answer  Reading
		want    []time.Duration
	}{
		{"windsurf", usage.Windsurf, fromCloud("windsurf", "one", 60, 0), []time.Duration{0, s(10), s(70), s(130), s(190), s(250)}},
		{"windsurf_fails", usage.Windsurf, cloudFailed("windsurf", "offline"), []time.Duration{0, s(10), s(70), s(130), s(190), s(250)}},
		{"cursor_fails", usage.Cursor, Reading{Product: usage.Cursor, Kind: usage.KindCloud, Err: codedError("offline")}, []time.Duration{0, s(300), s(600)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				var mu sync.Mutex
				var asked []time.Duration
				plansBench(t, nil, Config{Products: []usage.Product{tt.product}, Fetch: func(context.Context, Ask) []Reading {
					mu.Lock()
					defer mu.Unlock()
					asked = append(asked, time.Since(began))
					return []Reading{tt.answer}
				}})
				time.Sleep(tt.want[len(tt.want)-1])
				synctest.Wait()
				mu.Lock()
				defer mu.Unlock()
				if diff := cmp.Diff(tt.want, asked); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
}

// How long figures of the cloud that were six minutes old when they came stay fresh: two
// intervals of the cloud or of the poller. Of a fast clock, the six minutes are shorter.
func TestCloudLasts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		product  usage.Product
		interval time.Duration
		speed    float64
		want     time.Duration
	}{
		{"windsurf", usage.Windsurf, 0, 1, 16 * time.Minute},
		{"cursor", usage.Cursor, 0, 1, 26 * time.Minute},
		{"cursor_seldom", usage.Cursor, time.Hour, 1, 114 * time.Minute},
		{"fast_clock", usage.Windsurf, 0, 60, 22*time.Minute - 6*time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := New(Config{
				Products: []usage.Product{tt.product}, Settings: Settings{Interval: tt.interval}, Speed: tt.speed,
				Now: func() time.Time { return usagetest.Noon },
			})
			k := p.got(usage.Snapshot{Source: usage.Source{Kind: usage.KindCloud, FetchedAt: usagetest.Noon.Add(-6 * time.Minute)}}, nil, nil)
			if got := p.products[0].old(k); got != tt.want {
				t.Errorf("stale after %v, want %v", got, tt.want)
			}
		})
	}
}

// A reset that comes between two looks for an editor has a fetch a minute after it.
func TestCloudReset(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(func(_ context.Context, n int) (Reading, error) {
			r, err := daily([]time.Duration{100 * time.Second, 24 * time.Hour}[min(n/4, 1)])
			r.Kind, r.At = usage.KindCloud, usagetest.Noon
			return r, err
		})
		defer b.run(t)()
		b.until(4 * time.Minute)
		b.fetches(t, 0, 10*time.Second, 70*time.Second, 130*time.Second, 165*time.Second, 225*time.Second)
	})
}

// What has led to a fetch, and whether the products were named.
func TestAskSaysWhy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var asks []Ask
		config := Config{Fetch: func(_ context.Context, ask Ask) []Reading {
			mu.Lock()
			defer mu.Unlock()
			if ask.Products[0] == usage.Windsurf {
				ask.Products = nil
				asks = append(asks, ask)
			}
			return nil
		}}
		p := plansBench(t, nil, config)
		time.Sleep(time.Minute)
		if wait := p.Refresh(); wait != 0 {
			t.Errorf("wait %v", wait)
		}
		synctest.Wait()
		config.Products = []usage.Product{usage.Windsurf}
		Look(t.Context(), config)
		mu.Lock()
		defer mu.Unlock()
		if diff := cmp.Diff([]Ask{{Why: WhyDue}, {Why: WhyWanted}, {Why: WhyOnce, Named: true}}, asks); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// The figures keep where they came from and of when they are, and go on in the history of
// the plan that a server told of.
func TestCloudSource(t *testing.T) {
	t.Parallel()
	reading := fromCloud("windsurf", "one", 60, -4*time.Minute)
	var keys []string
	config := Config{
		Products: []usage.Product{usage.Windsurf}, Salt: readCloudSalt, Now: func() time.Time { return usagetest.Noon },
		Fetch: func(context.Context, Ask) []Reading { return []Reading{reading} },
		Record: func(_ context.Context, s usage.Snapshot) pace.History {
			keys = append(keys, s.Plan.Key(cloudSalt))
			return nil
		},
	}
	s := Look(t.Context(), config).Lead()
	want := usage.Source{
		Kind: usage.KindCloud, Variant: "windsurf", App: "windsurf", Host: "server.codeium.com", FetchedAt: usagetest.Noon.Add(-4 * time.Minute),
	}
	if diff := cmp.Diff(want, s.Snapshot.Source); diff != "" || s.Age() != 4*time.Minute || s.Err != nil {
		t.Errorf("age %v, error %v (-want +got):\n%s", s.Age(), s.Err, diff)
	}
	reading = first("one", 60).reading()
	Look(t.Context(), config)
	if diff := cmp.Diff([]string{accountHash("one"), accountHash("one")}, keys); diff != "" {
		t.Errorf("recorded as (-want +got):\n%s", diff)
	}
}

// Caches are read only where the cloud was not asked.
func TestCloudBeforeCaches(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		reading Reading
		want    usage.SourceKind
	}{
		{"not_asked", gone(), usage.KindCache},
		{"asked_in_vain", cloudFailed("windsurf", "offline"), usage.KindCloud},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := Look(t.Context(), Config{
				Products: []usage.Product{usage.Windsurf}, Now: func() time.Time { return usagetest.Noon },
				Fetch: func(context.Context, Ask) []Reading { return []Reading{tt.reading} },
				Recall: func(context.Context, Ask) iter.Seq2[Cached, error] {
					return func(yield func(Cached, error) bool) {
						yield(Cached{Reading: Reading{Raw: []byte(usagetest.Plenty)}}, nil)
					}
				},
			}).Lead()
			if got := s.Snapshot.Source.Kind; got != tt.want || s.HasFigures() != (tt.want == usage.KindCache) {
				t.Errorf("%s, figures %v", got, s.HasFigures())
			}
		})
	}
}

// Another consent drops the cloud's figures, ends its running question and fetches at
// once; a server's figures stay.
func TestConfigureCloud(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		before Reading
		want   []string // right after the change, and once the next answer has come
	}{
		{"figures_of_the_cloud", fromCloud("windsurf", "one", 60, 0), []string{"windsurf of , leads", "windsurf of windsurf, not_running, leads"}},
		{"failure_of_the_cloud", cloudFailed("windsurf", "offline"), []string{"windsurf of , leads", "windsurf of windsurf, not_running, leads"}},
		{"figures_of_a_server", first("one", 60).reading(), []string{"windsurf of windsurf, 60 left, leads", "windsurf of windsurf, 60 left, stale, not_running, leads"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				var ended []string
				began, denied := time.Now(), false
				p := plansBench(t, nil, Config{
					Products: []usage.Product{usage.Windsurf}, Settings: Settings{Cloud: []string{"windsurf@server.codeium.com"}},
					Fetch: func(ctx context.Context, _ Ask) []Reading {
						mu.Lock()
						no := denied
						mu.Unlock()
						if no {
							time.Sleep(time.Second)
							return []Reading{gone()}
						}
						if time.Since(began) > 5*time.Second {
							<-ctx.Done()
							mu.Lock()
							defer mu.Unlock()
							ended = append(ended, time.Since(began).String())
						}
						return []Reading{tt.before}
					},
				})
				time.Sleep(302 * time.Second) // a question is running
				mu.Lock()
				denied = true
				mu.Unlock()
				p.Configure(Settings{})
				got := []string{summary(present(p))}
				time.Sleep(2 * time.Second)
				synctest.Wait()
				got = append(got, summary(present(p)))
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				mu.Lock()
				defer mu.Unlock()
				if strings.Join(ended, " ") != "5m2s" {
					t.Errorf("the question ended at %v", ended)
				}
			})
		})
	}
}
