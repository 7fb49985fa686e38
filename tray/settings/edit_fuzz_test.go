package settings

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzEdit: whatever the file holds, a save changes nothing but its value,
// or says that it would.
func FuzzEdit(f *testing.F) {
	for _, seed := range []string{template(f), "", "[usage]\nclock='12h' # x", "usage.clock='24h'", "[usage", "[[usage]]", "usage={}", "\ufeff[usage]\r\n", "a='''\n[usage]\n'''"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file := at("")
		before, after := file.read([]byte(text)).value, file.read([]byte(text)).value
		after.Usage.Clock, after.Tray.Left = "12h", []int{42}
		all, err := changes(before, after)
		if err != nil {
			t.Fatal(err)
		}
		edited, ok := file.edit([]byte(text), all, after)
		if !ok {
			return
		}
		got, err := file.parse(edited)
		if diff := cmp.Diff(after, got); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	})
}
