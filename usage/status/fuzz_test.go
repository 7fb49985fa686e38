package status

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/pace"
	"windsock/usage/poll"
	"windsock/usage/usagetest"
	"windsock/usage/windsurf"
)

func seeds(tb testing.TB) [][]byte {
	tb.Helper()
	var all [][]byte
	for _, c := range usagetest.Cases[any](tb, usage.Windsurf) {
		all = append(all, c.Input)
	}
	for _, raw := range usagetest.Samples(tb) {
		all = append(all, raw)
	}
	for _, fields := range states {
		all = append(all, []byte(`{"planStatus":{`+fields+`}}`))
	}
	return all
}

func FuzzDecode(f *testing.F) {
	for _, raw := range seeds(f) {
		f.Add(raw, usagetest.Noon.Unix())
	}
	f.Add([]byte(`{"planStatus":{"availablePromptCredits":1e18,"usedPromptCredits":1}}`), int64(0))
	f.Fuzz(func(t *testing.T, raw []byte, now int64) {
		before := bytes.Clone(raw)
		s, err := windsurf.Decode(raw, usage.Source{Kind: usage.KindFile})
		if !bytes.Equal(raw, before) {
			t.Fatal("the input was written to")
		}
		if err != nil {
			if say.Code(err) == "" || say.Sentence(err, "") == "" {
				t.Fatalf("error %v", err)
			}
			mustMarshal(t, PlansDocument(alone(poll.State{Snapshot: s, Err: err})))
			return
		}
		at := time.Unix(now%usage.LastSecond, 0)
		for _, s := range []usage.Snapshot{s, pace.Judge(s, nil, pace.Options{}).At(at), s.At(at).At(usagetest.Noon)} {
			mustMarshal(t, PlansDocument(alone(poll.State{Snapshot: s})))
			checkText(t, textAlone(s, TextOptions{Width: 2 + int(now&63), Colour: now%2 == 0}), 2+int(now&63))
			if len(s.Meters) == 0 {
				t.Fatal("no meters and no error")
			}
			for _, m := range s.Meters {
				checkMeter(t, m)
				checkEvidence(t, m, raw)
			}
			if b, ok := s.Binding(); ok && !b.RemainingPercent().Known() {
				t.Fatalf("%s binds without a figure", b.ID)
			}
		}
	})
}

func mustMarshal(t *testing.T, a Document) {
	t.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(raw) {
		t.Fatalf("not JSON: %s", raw)
	}
}

// checkMeter checks the invariants of a meter, for any answer.
func checkMeter(t *testing.T, m usage.Meter) {
	t.Helper()
	used, left, total := m.Used.Millionths(), m.Remaining.Millionths(), m.Total.Millionths()
	share := m.RemainingPercent()
	switch m.State {
	case usage.StateOK, usage.StateExhausted:
		switch {
		case m.ID == usage.ExtraUsage:
			if m.Used.Known() || m.Total.Known() || !m.Remaining.Known() {
				t.Fatalf("balance %+v", m)
			}
		case !m.Total.Known():
			if m.ID != usage.ACU || m.Remaining.Known() || !m.Used.Known() || used < 0 {
				t.Fatalf("meter without a total %+v", m)
			}
		case used < 0 || left < 0 || total <= 0 || left > total || share.Millionths() < 0 || share.Millionths() > 100*usage.One:
			t.Fatalf("figures %+v", m)
		case (m.State == usage.StateExhausted) != (left == 0) || (left > 0 && used+left != total):
			t.Fatalf("sum %+v", m)
		}
	case usage.StateUnlimited, usage.StateRolledOver, usage.StateUnreadable:
		if m.Used.Known() || m.Remaining.Known() || m.Total.Known() != (m.Unit == usage.UnitPercent) {
			t.Fatalf("figures where there are none: %+v", m)
		}
	default:
		t.Fatalf("state %q", m.State)
	}
}

// checkEvidence checks that the answer supports good news: an unlimited meter, and a
// quota with everything left.
func checkEvidence(t *testing.T, m usage.Meter, raw []byte) {
	t.Helper()
	switch {
	case m.State == usage.StateUnlimited:
		if !says(raw, func(key, value string) bool {
			return strings.HasPrefix(key, "available") && strings.HasPrefix(value, "-")
		}) {
			t.Fatalf("%s is unlimited by %s", m.ID, raw)
		}
	case m.Unit == usage.UnitPercent && m.State == usage.StateOK && m.Used.Millionths() == 0:
		if !says(raw, func(key, value string) bool {
			f := json.Number(value)
			n, err := f.Float64()
			return strings.HasSuffix(key, "RemainingPercent") && err == nil && n > 99.99 && n < 100.01
		}) {
			t.Fatalf("%s is full by %s", m.ID, raw)
		}
	}
}

// says looks for a field with a parser that shares nothing with the decoder.
func says(raw []byte, match func(key, value string) bool) bool {
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))))
	d.UseNumber()
	key := ""
	for {
		token, err := d.Token()
		if err != nil {
			return false
		}
		switch v := token.(type) {
		case string:
			if match(key, v) {
				return true
			}
			key = v
		case json.Number:
			if match(key, v.String()) {
				return true
			}
		}
	}
}

// TestDamageIsNeverUnlimited breaks valid answers at every byte, in every bit,
// and at every length.
func TestDamageIsNeverUnlimited(t *testing.T) {
	t.Parallel()
	for _, raw := range seeds(t) {
		if bytes.Contains(raw, []byte("-")) && bytes.Contains(raw, []byte("Credits")) {
			continue // a stroke may come from the answer itself
		}
		for i := range raw {
			notUnlimited(t, raw[:i])
			for bit := range 8 {
				damaged := bytes.Clone(raw)
				damaged[i] ^= 1 << bit
				if damaged[i] == '-' {
					continue // that says negative
				}
				notUnlimited(t, damaged)
			}
		}
	}
}

func notUnlimited(t *testing.T, raw []byte) {
	t.Helper()
	s, err := windsurf.Decode(raw, usage.Source{})
	if err != nil {
		return
	}
	for _, m := range s.Meters {
		if m.State == usage.StateUnlimited {
			t.Fatalf("%s is unlimited by %s", m.ID, raw)
		}
	}
}
