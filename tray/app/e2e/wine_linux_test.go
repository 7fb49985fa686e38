package e2e

import (
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"windsock/tray/icon"
	"windsock/tray/traytest"
)

// TestWindowsOnDesktop is the life of the program for Windows, under Wine, in
// front of a person: its icon, tooltip and menu, and what clicks do.
func TestWindowsOnDesktop(t *testing.T) {
	t.Parallel()
	d := traytest.StartDesktop(t, traytest.Dark)
	wine := d.Wine(t)
	config := filepath.Join(wine.AppData(), "windsock", "config.toml")
	if err := os.MkdirAll(filepath.Dir(config), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte("[usage]\nvariant = \"windsurf-insiders\"\n[log]\nlevel = \"debug\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	app := wine.Start(t, shippedForWindows(t))
	written := func() string {
		text, _ := os.ReadFile(filepath.Join(wine.LocalAppData(), "windsock", "windsock.log")) // soon there
		return string(text)
	}
	defer func() {
		if t.Failed() {
			t.Logf("the app's log:\n%s", written())
		}
	}()
	logged := func(part string) func() bool {
		return func() bool { return strings.Contains(written(), part) }
	}
	waitFor(t, "first answer in the log", logged("no figures"))

	// The panel may still show the icon of before the answer.
	var place image.Rectangle
	var screen *image.NRGBA
	var looks icon.Band
	defer func() {
		if looks != icon.Error {
			t.Logf("the icon looks like %v", icon.Icon{Band: looks})
		}
	}()
	waitFor(t, "an icon that says that there are no figures", func() bool {
		place, screen = d.IconPlace(t), d.Still(t)
		looks = likest(screen, place)
		return looks == icon.Error
	})
	traytest.Save(t, "windows-icon", screen)
	tray := trayOfWindows{d, place.Min.Add(place.Size().Div(2)), screen}

	tip := tray.open(t, 12, func() { d.Move(t, tray.icon.X, tray.icon.Y) })
	d.Screenshot(t, "windows-tooltip")
	menu := tray.openMenu(t, traytest.Right)
	rows := menuRows(traytest.Crop(d.Screenshot(t, "windows-menu"), menu))
	if len(rows) < 9 {
		t.Fatalf("the menu has rows at %v", rows)
	}
	for i, row := range rows[1:] {
		if row.Min.Y-rows[i].Max.Y > 20 { // a row takes 17, a separator 9
			t.Errorf("there is an empty row between %v and %v", rows[i], row)
		}
	}
	// From below: quit, start at login, local API, settings, diagnostics, manage plan,
	// refresh, usage history, quick prompt. Between that and the app's name is the
	// sentence that the tooltip has in one line; it is longer than the 63 units for which
	// there was room in 1995.
	width := 0
	for _, row := range rows[1 : len(rows)-9] {
		width += row.Dx()
	}
	if tip.Dx() < width || tip.Dy() > 30 {
		t.Errorf("the tooltip is at %v, and its text %d wide", tip, width)
	}
	// The sentence above the rows may become longer a moment later. During an automatic
	// fetch the row cannot be clicked, and the menu stays open.
	choose := func(fromBelow int, what string, done func() bool) {
		t.Helper()
		waitFor(t, what, func() bool {
			menu := tray.openMenu(t, traytest.Left)
			rows := menuRows(traytest.Crop(d.Screen(t), menu))
			row := rows[max(0, len(rows)-fromBelow)].Add(menu.Min)
			d.Click(t, row.Min.X+row.Dx()/2, row.Min.Y+row.Dy()/2, traytest.Left)
			if soon(done) {
				return true
			}
			d.Click(t, 0, 300, traytest.Left)
			return done()
		})
	}
	d.Click(t, 0, 300, traytest.Left)
	choose(7, "click in the log", logged(`msg="row clicked" row="Refresh now`))
	choose(2, "click on the check mark in the log", logged(`msg="row clicked" row="Start at login"`))
	again := tray.openMenu(t, traytest.Left)
	checked := menuRows(traytest.Crop(d.Screenshot(t, "windows-menu-checked"), again))
	if mark, text := checked[len(checked)-2].Min.X, rows[len(rows)-2].Min.X; mark > text-8 {
		t.Errorf("there is no check mark: the row begins at %d, without one at %d", mark, text)
	}
	d.Click(t, 0, 300, traytest.Left)

	choose(1, "end in the log", logged("msg=ended"))
	if code := app.Wait(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if output := app.Output(); output != "" {
		t.Errorf("it wrote %q", output)
	}
	if left, err := os.ReadDir(wine.Temp()); err != nil || len(left) > 0 {
		t.Errorf("still there: %v, %v", left, err)
	}
	waitFor(t, "panel without the icon", func() bool {
		return traytest.Changed(traytest.Crop(screen, place), traytest.Crop(d.Screen(t), place)).Dx() > 8
	})
}

// TestWindowsCommands are the commands of the program for Windows.
func TestWindowsCommands(t *testing.T) {
	t.Parallel()
	bus := traytest.StartBus(t)
	wine := bus.Wine(t)
	program := shippedForWindows(t)
	tests := []struct {
		args string
		code int
		want string
	}{
		{"version", 0, " windows/amd64 "},
		{"config", 0, `\AppData\Roaming\windsock\config.toml`},
		{"status", 3, "windsock: Windsurf (Devin Desktop) is not running. Start Windsurf (Devin Desktop) and try again."},
		// Its server is found, and read; but Wine does not know which ports it has.
		{"demo status", 3, "windsock: Windsurf runs, but its language server does not answer: "},
		{"statsu", 2, "windsock: there is no command \"statsu\"; did you mean status? "},
	}
	for _, tt := range tests {
		p := wine.Start(t, program, strings.Fields(tt.args)...)
		if code := p.Wait(t); code != tt.code || !strings.Contains(p.Output(), tt.want) {
			t.Errorf("%s: exit code %d, want %d; it wrote %q, want %q in it", tt.args, code, tt.code, p.Output(), tt.want)
		}
	}
}

// TestWindowsPackages runs the tests of those packages that have to do with the
// system, on Windows.
func TestWindowsPackages(t *testing.T) {
	t.Parallel()
	bus := traytest.StartBus(t)
	wine := bus.Wine(t)
	packages := []string{"chat/acp/e2e", "chat/acp/process", "probe", "probe/files", "probe/simulator", "probe/system", "tray", "tray/autostart", "tray/desktop", "tray/instance", "tray/shortcut", "usage"}
	// Of these only what has to do with processes, or with the errors of the system.
	only := map[string]string{
		"chat/acp/e2e":    "^(TestKilled|TestUnread|TestFaults)$/^(crashes.*|deaf.*|hangs.*|leaves.*|plain|in_.*|while_.*|at_.*|)$",
		"probe/files":     "^TestCure$",
		"probe/simulator": "^(TestAgent.*|TestAgy.*|TestProtocols|TestSharedDirectory)$",
	}
	programs := filepath.Join(bus.Dir(), "tests")
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-trimpath", "-o", programs+"/")
	for _, pkg := range packages {
		build.Args = append(build.Args, "windsock/"+pkg)
	}
	build.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, pkg := range packages {
		t.Run(pkg, func(t *testing.T) {
			const tries = 3
			for try := range tries {
				cmd := wine.Command(t, filepath.Join(programs, filepath.Base(pkg)+".test.exe"), "-test.timeout=180s", "-test.parallel=1", "-test.run="+only[pkg])
				cmd.Dir = filepath.Join("..", "..", "..", pkg)
				p := bus.Start(t, cmd)
				// Whole packages take longer than anything else that is waited for.
				for deadline := time.Now().Add(200 * time.Second); p.Running() && time.Now().Before(deadline); {
					time.Sleep(50 * time.Millisecond)
				}
				code := p.Wait(t)
				if code == 0 {
					return
				}
				if try == tries-1 || !strings.Contains(p.Output(), wineRefuses) {
					t.Fatalf("exit code %d\n%s", code, p.Output())
				}
			}
		})
	}
}

// wineRefuses is the error with which Wine, and not Windows, now and then starts no program
// beside another one.
const wineRefuses = "Internal error."

// trayOfWindows is a desktop with the icon of a program for Windows. Such an
// icon is not on the bus, and there is no text to read.
type trayOfWindows struct {
	*traytest.Desktop

	icon image.Point  // its middle
	bare *image.NRGBA // the screen without windows
}

// open does what opens a window of that height or more, and returns its place
// when it is drawn. No other is open then.
func (w trayOfWindows) open(t *testing.T, height int, do func()) image.Rectangle {
	t.Helper()
	windows := func(screen *image.NRGBA) image.Rectangle {
		const panel = 37
		below := func(screen *image.NRGBA) *image.NRGBA {
			return traytest.Crop(screen, image.Rect(0, panel, screen.Rect.Dx(), screen.Rect.Dy()))
		}
		return traytest.Changed(below(w.bare), below(screen)).Add(image.Pt(0, panel))
	}
	w.Move(t, 0, 300)
	waitFor(t, "screen without windows", func() bool { return windows(w.Screen(t)).Empty() })
	do()
	var place image.Rectangle
	waitFor(t, "a window", func() bool {
		if windows(w.Screen(t)).Dy() >= height {
			place = windows(w.Still(t))
		}
		return place.Dy() >= height
	})
	return place
}

func (w trayOfWindows) openMenu(t *testing.T, button int) image.Rectangle {
	t.Helper()
	return w.open(t, 60, func() {
		w.Click(t, w.icon.X, w.icon.Y, button)
		w.Move(t, 0, 300) // or the tooltip comes over the menu
	})
}

// menuRows are the places in a menu where there is text.
func menuRows(menu *image.NRGBA) []image.Rectangle {
	const frame = 4
	inside := menu.Rect.Inset(frame)
	background := menu.NRGBAAt(frame, frame)
	var rows []image.Rectangle
	above := false
	for y := inside.Min.Y; y < inside.Max.Y; y++ {
		var line image.Rectangle
		for x := inside.Min.X; x < inside.Max.X; x++ {
			if menu.NRGBAAt(x, y) != background {
				line = line.Union(image.Rect(x, y, x+1, y+1))
			}
		}
		switch {
		case line.Empty():
		case above:
			rows[len(rows)-1] = rows[len(rows)-1].Union(line)
		default:
			rows = append(rows, line)
		}
		above = !line.Empty()
	}
	return slices.DeleteFunc(rows, func(row image.Rectangle) bool { return row.Dy() < 4 }) // separators
}

// likest is the band whose icon a place on the panel is most like. Windows scales
// icons, so it is never the same.
func likest(screen *image.NRGBA, place image.Rectangle) icon.Band {
	const size, around = 16, 4
	likest, least := icon.Unknown, -1
	for band := icon.Unknown; band <= icon.Error; band++ {
		picture := icon.Icon{Band: band, Level: icon.Steps / 2}.Image(size)
		for dy := -around; dy <= around; dy++ {
			for dx := -around; dx <= around; dx++ {
				d := difference(screen, place.Min.Add(image.Pt(dx, dy)), picture)
				if least < 0 || d < least {
					likest, least = band, d
				}
			}
		}
	}
	return likest
}

// difference is how much a part of the panel differs from a picture before the
// panel.
func difference(screen *image.NRGBA, at image.Point, picture *image.NRGBA) int {
	sum := 0
	for y := range picture.Rect.Dy() {
		for x := range picture.Rect.Dx() {
			front := picture.Pix[picture.PixOffset(x, y):]
			back := screen.Pix[screen.PixOffset(0, at.Y+y):]
			got := screen.Pix[screen.PixOffset(at.X+x, at.Y+y):]
			for i := range 3 {
				want := (int(front[i])*int(front[3]) + int(back[i])*(255-int(front[3]))) / 255
				sum += max(want-int(got[i]), int(got[i])-want)
			}
		}
	}
	return sum
}
