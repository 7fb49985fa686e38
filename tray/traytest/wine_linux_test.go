package traytest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const windowsProgram = `package main

import (
	"crypto/rand"
	"fmt"
	"os"
)

func main() {
	fmt.Println(os.Args[1:], os.TempDir(), os.Getenv("APPDATA"), os.Getenv("LOCALAPPDATA"), len(rand.Text()))
	dir, _ := os.MkdirTemp("", "")
	os.WriteFile(dir+"/file", nil, 0o600)
	fmt.Println(os.RemoveAll(dir))
	os.Exit(7)
}
`

func TestWine(t *testing.T) {
	t.Parallel()
	b := StartBus(t)
	w := b.Wine(t)
	dir := t.TempDir()
	source, program := filepath.Join(dir, "main.go"), filepath.Join(dir, "main.exe")
	writeFile(t, source, windowsProgram)
	build := exec.Command("go", "build", "-o", program, source)
	build.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p := w.Start(t, program, "a b", `"`)
	if code := p.Wait(t); code != 7 {
		t.Errorf("exit code %d", code)
	}
	const home = `C:\users\Zoë Q\AppData`
	want := `[a b "] ` + home + `\Local\Temp ` + home + `\Roaming ` + home + `\Local 26` + "\n<nil>"
	if diff := cmp.Diff(want, strings.TrimSpace(p.Output())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
