// Package savedtest tests what the products' packages save of an answer. Only tests
// import it.
package savedtest

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/field"
	"windsock/usage/pace"
	"windsock/usage/saved"
	"windsock/usage/usagetest"
)

// Product is what a product's package does with an answer.
type Product struct {
	Decode    func(raw []byte, src usage.Source) (usage.Snapshot, error)
	Anonymize func(raw []byte) []byte
}

// Save returns what is saved of an answer. It fails unless that reads like the answer
// itself, but for whose it is and for names that are not the product's own.
func (p Product) Save(t *testing.T, raw []byte) []byte {
	t.Helper()
	before := bytes.Clone(raw)
	kept := p.Anonymize(raw)
	if !bytes.Equal(raw, before) {
		t.Fatal("the input was written to")
	}
	if !json.Valid(kept) || kept[len(kept)-1] != '\n' {
		t.Fatalf("not JSON and a line feed: %q", kept)
	}
	_, ok := field.Object(raw)
	if again := p.Anonymize(kept); ok && !bytes.Equal(again, kept) {
		t.Fatalf("saved again (-once +twice):\n%s", cmp.Diff(string(kept), string(again)))
	}
	src := usage.Source{Kind: usage.KindFile, FetchedAt: usagetest.Noon}
	want, wantErr := p.Decode(raw, src)
	got, gotErr := p.Decode(kept, src)
	if diff := cmp.Diff(say.Sentence(wantErr, ""), say.Sentence(gotErr, "")); diff != "" {
		t.Fatalf("error (-want +got):\n%s\nof %s", diff, kept)
	}
	judged := func(s usage.Snapshot) usage.Snapshot { return pace.Judge(s, nil, pace.Options{}).At(usagetest.Noon) }
	for _, pair := range [][2]usage.Snapshot{{want, got}, {judged(want), judged(got)}} {
		if diff := cmp.Diff(pair[0], pair[1], alike); diff != "" {
			t.Fatalf("snapshot (-want +got):\n%s\nof %s", diff, kept)
		}
	}
	if got.Plan.Account.Known() {
		t.Fatal("it says whose it is")
	}
	return kept
}

// alike compares snapshots whose removed names may be any.
var alike = cmp.Options{
	cmpopts.IgnoreFields(usage.Snapshot{}, "Plan"), cmpopts.IgnoreUnexported(usage.Snapshot{}),
	cmpopts.IgnoreSliceElements(func(m usage.Meter) bool { return m.Name != "" }),
	cmp.FilterPath(
		func(p cmp.Path) bool { return p.Last().String() == ".PlanName" },
		cmp.Comparer(func(a, b string) bool {
			return a == b || a != "" && b == saved.RemovedName || b != "" && a == saved.RemovedName
		}),
	),
}

// Cases saves answers: each name has one, and what is saved of it. White space does not
// count.
func (p Product) Cases(t *testing.T, cases map[string][2]string) {
	t.Helper()
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got, want bytes.Buffer
			if err := json.Compact(&got, p.Save(t, []byte(tt[0]))); err != nil {
				t.Fatal(err)
			}
			if err := json.Compact(&want, []byte(tt[1])); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want.String(), got.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// plants must not be in a saved answer, whatever was in the answer.
var plants = []string{
	"robin@example.com", "Robin Q. Example", "0b6e2f0a-3c1d-4a51-9a4e-2f6d0c9b7e11", "sk-ws-01-AbCdEf0123456789",
	"cog_7f3a9c", "/home/robin/secret-project", "eyJhbGciOiJIUzI1NiJ9",
}

// Fuzz saves any answer. A plant takes the place of every P, and must not be in what is
// saved. holds checks what the answer was decoded into.
func (p Product) Fuzz(f *testing.F, holds func(t *testing.T, s usage.Snapshot, err error)) {
	f.Helper()
	f.Fuzz(func(t *testing.T, raw []byte, which uint8) {
		s, err := p.Decode(raw, usage.Source{Kind: usage.KindFile, FetchedAt: usagetest.Noon})
		holds(t, s, err)
		holds(t, s.At(usagetest.Noon), err)
		p.Save(t, raw)
		plant := plants[int(which)%len(plants)]
		if kept := p.Save(t, bytes.ReplaceAll(raw, []byte("P"), []byte(plant))); bytes.Contains(kept, []byte(plant)) {
			t.Fatalf("%q is still in %s", plant, kept)
		}
	})
}
