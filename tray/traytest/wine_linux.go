package traytest

import (
	_ "embed"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"windsock/probe/probetest"
)

var (
	//go:embed wine/bcryptprimitives.c
	bcryptPrimitives string
	//go:embed wine/run.c
	runC string
)

// Wine runs programs for Windows in a session. On a desktop their icons are on its
// panel and their windows on its screen; without a desktop they have no screen. Its
// drive C: and its registry belong to the session, and contain only Wine's libraries.
type Wine struct {
	bus    *Bus
	prefix string
	env    []string
}

// wineUser is the user's name on that Windows. It tests how programs handle such a
// name in a path.
const wineUser = "Zoë Q"

// Wine prepares to run programs for Windows (amd64) until the end of the test.
// It needs wine and the C compiler of MinGW.
func (b *Bus) Wine(tb testing.TB) *Wine {
	tb.Helper()
	const compiler = "x86_64-w64-mingw32-gcc"
	probetest.NeedTools(tb, "wine", "wineserver", compiler)
	w := &Wine{bus: b, prefix: filepath.Join(b.Dir(), "wine")}
	system := filepath.Join(w.prefix, "drive_c", "windows", "system32")
	for _, dir := range []string{system, w.AppData(), w.LocalAppData(), w.Temp()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			tb.Fatal(err)
		}
	}
	temp := `C:\users\` + wineUser + `\AppData\Local\Temp`
	w.env = []string{
		"WINEPREFIX=" + w.prefix,
		// Wine would copy 700 MB of its libraries into the prefix, in ten seconds. It
		// skips a prefix that is marked as up to date, and uses the installed libraries
		// during its set-up. A program that another program starts without this
		// variable uses the links below.
		"WINEBOOTSTRAPMODE=1",
		"WINEDEBUG=-all",
		"WINEDLLOVERRIDES=mscoree,mshtml,winemenubuilder.exe=", // no .NET, HTML, nor entries in menus
		"USER=" + wineUser, "LOGNAME=" + wineUser,
		"WINETEMP=" + temp, "WINETMP=" + temp, // the part before the = is TEMP and TMP there
	}
	writeFile(tb, filepath.Join(w.prefix, ".update-timestamp"), "disable\n")
	compile := func(source string, args ...string) {
		tb.Helper()
		file := filepath.Join(w.prefix, "source.c")
		writeFile(tb, file, source)
		cmd := command(tb, compiler, append([]string{"-s", "-Wall", "-Werror", file, "-o"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			tb.Fatalf("compile for Windows: %v\n%s", err, out)
		}
	}
	compile(bcryptPrimitives, filepath.Join(system, "bcryptprimitives.dll"), "-shared")
	compile(runC, w.runner())
	libraries, _ := filepath.Glob("/usr/lib/*/wine/x86_64-windows/*") // Debian's path
	for _, library := range libraries {
		err := os.Symlink(library, filepath.Join(system, filepath.Base(library)))
		if err != nil && !errors.Is(err, os.ErrExist) { // a later Wine also has the library that is compiled above
			tb.Fatal(err)
		}
	}
	tb.Cleanup(func() { w.end(tb) })
	return w
}

// Command is a program, by its absolute path on Linux, ready for [Bus.Start]. Exit
// code and outputs are the program's. A signal does not reach it, but [Process.Stop]
// ends it at once.
func (w *Wine) Command(tb testing.TB, program string, args ...string) *exec.Cmd {
	tb.Helper()
	program = "Z:" + strings.ReplaceAll(program, "/", `\`)
	cmd := command(tb, "wine", append([]string{w.runner(), program}, args...)...)
	cmd.Env = slices.Clone(w.env)
	return cmd
}

// Start runs a program until the end of the test, see [Wine.Command].
func (w *Wine) Start(tb testing.TB, program string, args ...string) *Process {
	tb.Helper()
	return w.bus.Start(tb, w.Command(tb, program, args...))
}

// AppData is %APPDATA% as Linux sees it.
func (w *Wine) AppData() string { return filepath.Join(w.home(), "AppData", "Roaming") }

// LocalAppData is %LOCALAPPDATA% as Linux sees it.
func (w *Wine) LocalAppData() string { return filepath.Join(w.home(), "AppData", "Local") }

// Temp is %TEMP% as Linux sees it.
func (w *Wine) Temp() string { return filepath.Join(w.LocalAppData(), "Temp") }

func (w *Wine) runner() string { return filepath.Join(w.prefix, "run.exe") }

func (w *Wine) home() string { return filepath.Join(w.prefix, "drive_c", "users", wineUser) }

// end ends all of its programs, also those that Wine itself has started, and waits
// until they have ended. They are in no group of the session.
func (w *Wine) end(tb testing.TB) {
	tb.Helper()
	for _, how := range []string{"--kill", "--wait"} {
		cmd := command(tb, "wineserver", how)
		cmd.Env = append(w.bus.Env(), w.env...)
		_ = cmd.Run() // fails if none is running
	}
}
