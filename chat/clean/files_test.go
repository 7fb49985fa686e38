package clean

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windsock/chat/clean/cleantest"
	"windsock/probe/say"
)

func TestCascadeFiles(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("making links takes a right that is seldom given")
	}
	outside, codeium := t.TempDir(), t.TempDir()
	cleantest.WriteCascade(t, outside, "secret", 7, cleantest.DaysAgo(1))
	cleantest.WriteCascade(t, codeium, "plain", 5, cleantest.DaysAgo(1))
	in := func(name string) string { return filepath.Join(codeium, "cascade", name) }
	if err := errors.Join(
		os.Symlink(filepath.Join(outside, "cascade", "secret.pb"), in("link.pb")),
		os.Symlink("plain.pb", in("inner.pb")),
		os.Mkdir(in("folder.pb"), 0o700),
		os.WriteFile(in("plain.txt"), nil, 0o600),
		os.WriteFile(in("a b.pb"), nil, 0o600),
		os.WriteFile(filepath.Join(codeium, "above.pb"), nil, 0o600),
	); err != nil {
		t.Fatal(err)
	}
	dir, err := openCascades(codeium)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.close()
	all, err := dir.all()
	if err != nil {
		t.Fatal(err)
	}
	sizes := map[string]int64{}
	for id, file := range all {
		sizes[id] = file.bytes
		if !file.modified.Equal(cleantest.DaysAgo(1)) {
			t.Errorf("%s: modified %v", id, file.modified)
		}
	}
	if diff := cmp.Diff(map[string]int64{"plain": 5}, sizes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, id := range []string{"link", "inner", "folder", "missing", "../above", "a b", "", "plain.pb/../plain"} {
		if file, err := dir.stat(id); err == nil {
			t.Errorf("%q: got %+v", id, file)
		}
	}
}

func TestCascadeFilesElsewhere(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("making links takes a right that is seldom given")
	}
	outside, codeium := t.TempDir(), t.TempDir()
	cleantest.WriteCascade(t, outside, "secret", 7, cleantest.DaysAgo(1))
	if err := os.Symlink(filepath.Join(outside, "cascade"), filepath.Join(codeium, "cascade")); err != nil {
		t.Fatal(err)
	}
	_, err := openCascades(codeium)
	if err == nil || strings.Contains(err.Error(), codeium) {
		t.Fatalf("got %v", err)
	}
	s := &cleantest.Server{Cascades: cleanListing{"secret": cleantest.Touched(30)}}
	plan, err := newTestCleaner(t, codeium, s).Plan(t.Context(), everything)
	want := []Item{{CascadeID: "secret", Title: "30 days old", LastTouched: cleantest.DaysAgo(30)}}
	if diff := cmp.Diff(want, plan.Items); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	_, err = newTestCleaner(t, codeium, &cleantest.Server{NoList: true}).Plan(t.Context(), everything)
	if !strings.Contains(say.Sentence(err, ""), "nothing is known of them") {
		t.Errorf("planned from files that cannot be seen: %v", err)
	}
}

func TestCascadeFilesNowhere(t *testing.T) {
	t.Parallel()
	for _, codeium := range []string{"", filepath.Join(t.TempDir(), "no"), t.TempDir()} {
		dir, err := openCascades(codeium)
		if err != nil {
			t.Fatal(err)
		}
		all, err := dir.all()
		if _, staterr := dir.stat("a"); len(all) != 0 || err != nil || !isGone(staterr) {
			t.Errorf("%q: got %v, %v, %v", codeium, all, err, staterr)
		}
		dir.close()
	}
}
