package signin

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// That there is an encrypted sign-in is seen by its key; its value does not leave the
// database.
func TestEncryptedIsNotRead(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.vscdb")
	const key = `secret://{"extensionId":"codeium.windsurf","key":"windsurf_auth.sessions"}`
	conn := openState(t, path)
	execState(t, conn, "INSERT INTO ItemTable VALUES (?, 'encrypted')", key)
	execState(t, conn, setKey, "plain")
	closeState(t, conn)
	got, err := stateAt(t, path).rows(t.Context(), "key > ''")
	want := []row{{authKey, []byte("plain")}, {key, nil}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(row{})); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}
