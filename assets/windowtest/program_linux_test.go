package windowtest

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// program is the whole of Windsock, which hosts the window for a demo's editor.
type program struct {
	cmd *exec.Cmd
	// file is the browser's start file, and address its target.
	file, address string
	output        *bytes.Buffer
}

// windsock builds the program once, into built.
var windsock = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "windsock-built")
	if err != nil {
		return "", err
	}
	built = dir
	path := filepath.Join(dir, "windsock")
	out, err := exec.Command("go", "build", "-o", path, "windsock").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build: %w: %s", err, out)
	}
	return path, nil
})

// start runs `windsock demo prompt` with a fake browser, which keeps the address for
// the test's own browser.
func start(t *testing.T, scenario, view string) *program {
	t.Helper()
	path, err := windsock()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	opener, told := filepath.Join(dir, "opener"), filepath.Join(dir, "address")
	if err := os.WriteFile(opener, []byte("#!/bin/sh\n"+
		`{ echo "$1"; sed -n 's/.*location.replace("\(.*\)").*/\1/p' "${1#file://}"; } >`+told+".part && mv "+told+".part "+told+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	p := &program{output: &bytes.Buffer{}}
	p.cmd = exec.CommandContext(context.WithoutCancel(t.Context()), path, "demo", "--scenario", scenario, "prompt", "--view", view)
	p.cmd.Env = append(os.Environ(), "HOME="+dir, "TMPDIR="+dir, "XDG_RUNTIME_DIR="+dir, "XDG_CONFIG_HOME=", "XDG_STATE_HOME=", "WINDSOCK_BROWSER="+opener)
	p.cmd.Stdout, p.cmd.Stderr = p.output, p.output
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.cmd.Process.Signal(os.Interrupt)
		_ = p.cmd.Wait() // 130
		if t.Failed() {
			t.Logf("the program said:\n%s", p.output)
		}
	})
	for deadline := time.Now().Add(patience); ; <-time.After(10 * time.Millisecond) {
		if text, err := os.ReadFile(told); err == nil {
			p.file, p.address, _ = strings.Cut(strings.TrimSpace(string(text)), "\n")
			return p
		}
		if time.Now().After(deadline) {
			t.Fatal("the program opened no browser")
		}
	}
}

// enter comes in with the program's ticket.
func (b *browser) enter(p *program) {
	b.t.Helper()
	b.do(navigate(p.file))
	b.until("document.querySelector('main section')")
}

// servers are the processes below the program's: the demo's language server.
func (p *program) servers(t *testing.T) []int {
	t.Helper()
	var found []int
	var below func(pid int)
	below = func(pid int) {
		lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
		for _, list := range lists {
			text, _ := os.ReadFile(list)
			for field := range strings.FieldsSeq(string(text)) {
				child, _ := strconv.Atoi(field)
				found = append(found, child)
				below(child)
			}
		}
	}
	below(p.cmd.Process.Pid)
	if len(found) == 0 {
		t.Fatal("the demo has no language server")
	}
	return found
}

func (p *program) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	for _, pid := range p.servers(t) {
		if err := syscall.Kill(pid, s); err != nil {
			t.Fatal(err)
		}
	}
}

// pick chooses a model by typing.
func (b *browser) pick(name string) {
	b.t.Helper()
	b.until("document.querySelector('.picker input').value !== ''")
	js[any](b, "document.querySelector('.picker input').focus()")
	b.do(chromedp.KeyEvent(name))
	b.until("document.querySelector('.picker li.at')")
	b.key(kb.Enter)
}

func TestProgramAnswers(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	p := start(t, "teams_credits", "prompt")
	b.enter(p)
	if got := js[string](b, "location.href"); !strings.HasSuffix(got, "/") || strings.Contains(got, "#") {
		t.Errorf("the address is %s", got)
	}
	b.shows(".left", "Prompt credits")
	b.pick("opus")
	b.write("Tell me of zephyrs turn:markdown")
	b.until("document.querySelector('.turn.done')")
	b.until("document.querySelector('.hljs-keyword')")
	if got := js[string](b, "JSON.stringify([...document.querySelectorAll('.turn *')].map((e) => e.localName).filter((n) => /script|img|svg|iframe|^b$|^a$/.test(n)))"); got != "[]" {
		t.Errorf("the answer has %s in it", got)
	}
	b.shows(".answer", "<script>alert(1)</script>")
	b.until("/ · [0-9.]+ m?s · .*credit/.test(document.querySelector('.turn .foot').innerText)")
	b.keep("answer")

	b.write("turn:never_ends")
	b.shows(".turn .answer", "There is more to come")
	b.key(kb.Escape)
	b.shows(".turn .foot", "stopped")

	b.write("turn:rewrite")
	b.until("document.querySelector('.turn.done .answer')?.innerText.trim() === 'This is the final text, which replaces the draft.'")
	b.write("turn:tool_only")
	b.shows(".turn .told", "its tools alone")
	b.write("turn:error_quota")
	b.shows(".turn.failed .told", "quota has been exhausted")
}

// The server hangs, and recovers. The page's answers continue.
func TestProgramOutlivesAServerThatHangs(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	p := start(t, "teams_credits", "prompt")
	b.enter(p)
	b.until("document.querySelector('.picker input').value !== ''") // the models are the server's, too
	p.signal(t, syscall.SIGSTOP)
	b.write("Is anybody there?")
	b.until("document.querySelector('.turn.failed .told')?.innerText.length > 20 && document.querySelectorAll('.turn').length === 1")
	p.signal(t, syscall.SIGCONT)
	b.until("document.activeElement?.id === 'prompt-text'")
	b.key(kb.Enter, chromedp.ModifierCtrl)
	b.until("document.querySelectorAll('.turn').length === 2 && document.querySelector('.turn').classList.contains('done')")
}

func TestProgramTellsOfAnExhaustedQuota(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	b.enter(start(t, "quota_weekly_exhausted", "prompt"))
	b.shows(".left .critical", "Used up")
	b.write("turn:error_quota_weekly")
	b.shows(".turn.failed .told", "quota has been exhausted")
	b.keep("exhausted")
}

func TestProgramArchivesAndBringsBack(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	b.enter(start(t, "teams_credits", "cascades"))
	b.until("document.querySelectorAll('.plan tbody tr').length > 3")
	count := js[int](b, "document.querySelectorAll('.plan tbody tr').length")
	js[any](b, "document.querySelector('.plan tbody input').click()") // all but one
	b.shows(".total", fmt.Sprintf("%d of %d chosen", count-1, count))
	b.press("Archive")
	b.shows(".told.good", fmt.Sprintf("Archived %d cascades", count-1))
	b.until("document.querySelectorAll('.plan tbody tr').length === 1")
	b.keep("archived")
	b.press("Undo the last run")
	b.shows(".told.good", fmt.Sprintf("%d cascades put back", count-1))
	b.until("![...document.querySelectorAll('button')].some((x) => x.innerText.startsWith('Undo'))")
}

func TestProgramKeepsSettings(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	b.enter(start(t, "teams_credits", "settings"))
	b.until("document.getElementById('key-alerts.thresholds')")
	fill := func(text string) {
		js[any](b, "document.getElementById('key-alerts.thresholds').focus(); document.getElementById('key-alerts.thresholds').select()")
		b.do(chromedp.KeyEvent(text))
	}
	fill("200")
	b.until("document.querySelector('.wrong')")
	fill("33, 7")
	b.press("Save")
	b.shows(".save .state", "Saved.")
	path := js[string](b, "document.querySelector('.places').innerText.match(/\\S+config\\.toml/)?.[0] ?? ''")
	file, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(file), "thresholds = [33, 7]") {
		t.Errorf("the file has %s, %v", file, err)
	}
	b.keep("settings-saved")
	// What somebody else writes into the file is seen.
	if err := os.WriteFile(path, bytes.ReplaceAll(file, []byte("[33, 7]"), []byte("[44, 7]")), 0o600); err != nil {
		t.Fatal(err)
	}
	b.until("document.getElementById('key-alerts.thresholds').value === '44, 7'")
}

func TestProgramShowsUsage(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	b.enter(start(t, "teams_credits", "usage"))
	b.until("document.querySelector('.meter')")
	b.shows(".meter", "453 of 500 left")
	b.until("document.querySelector('.plot canvas') || document.querySelector('.empty')")
	b.until("document.querySelector('.figures')")
	js[any](b, "document.querySelector('.figures').open = true")
	b.shows(".figures", "47 credits")
	b.keep("first-sample")
	// Where it went, down to one day of a model.
	b.shows(".spent", "Claude Opus 4.7")
	b.press("Claude Opus 4.7")
	b.shows(".spent", "Rename Order to Purchase everywhere")
	js[any](b, "document.querySelector('input[name=spend-by][value=day]').click()")
	total := "(all => all && all.cells[1].innerText)(document.querySelector('.spent tfoot tr'))"
	b.until("document.querySelector('.spent th').innerText === 'Day'")
	sum := js[string](b, total)
	js[any](b, "document.querySelector('input[name=spend-by][value=cascade]').click()")
	b.until("document.querySelector('.spent th').innerText === 'Cascade'")
	if again := js[string](b, total); sum == "" || again != sum {
		t.Errorf("%s by day, %s by cascade", sum, again)
	}
}

// TestNothingIsKeptAndNothingLeaves searches all files that the browser wrote for
// prompts, answers, workspaces and titles, and its network log for other hosts.
func TestNothingIsKeptAndNothingLeaves(t *testing.T) {
	t.Parallel()
	b, c := ownBrowser(t)
	p := start(t, "teams_credits", "prompt")
	b.enter(p)
	b.write("quokkaquestion turn:echo quokkaanswer [l](https://quokkalink.example/) ![p](https://quokkapicture.example/p.png)")
	b.until("document.querySelector('.turn.done')")
	b.do(chromedp.KeyEvent("quokkadraft"))
	b.view("usage")
	b.until("document.querySelector('.spent')")
	js[any](b, "document.querySelector('input[name=spend-by][value=workspace]').click()")
	b.press("shop")
	b.shows(".spent", "Rename Order to Purchase everywhere")
	saved := b.save(".spend a[download]")
	if !strings.Contains(saved, "Rename Order to Purchase everywhere") {
		t.Errorf("the CSV has %s", saved)
	}
	origin, _, _ := strings.Cut(p.address, "/boot")
	for _, address := range b.requests() {
		if address != p.file && !strings.HasPrefix(address, origin+"/") {
			t.Errorf("the page asked for %s", address)
		}
	}
	if err := c.end(); err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(c.netLog)
	if err != nil || !bytes.Contains(log, []byte(origin)) {
		t.Fatalf("the network log has nothing of the page: %v", err)
	}
	if bytes.Contains(log, []byte("quokka")) {
		t.Error("the network log has a host of the answer's")
	}
	files := 0
	err = fs.WalkDir(os.DirFS(c.profile), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		files++
		data, err := os.ReadFile(filepath.Join(c.profile, path))
		for _, personal := range []string{"quokka", "robin", "Rename Order"} { // a prompt, a workspace, a title
			wide := strings.Join(strings.Split(personal, ""), "\x00") + "\x00"
			if bytes.Contains(data, []byte(personal)) || bytes.Contains(data, []byte(wide)) {
				t.Errorf("%s has %s", path, personal)
			}
		}
		return err
	})
	if err != nil || files < 10 {
		t.Errorf("looked through %d files of the profile: %v", files, err)
	}
}

// save follows a link to a file, and returns what was saved.
func (b *browser) save(selector string) string {
	b.t.Helper()
	dir := b.t.TempDir()
	if _, err := chromedp.Call(b.ctx, cdpbrowser.SetDownloadBehavior, cdpbrowser.SetDownloadBehaviorParams{
		Behavior: cdpbrowser.SetDownloadBehaviorBehaviorAllow, DownloadPath: dir,
	}); err != nil {
		b.t.Fatal(err)
	}
	b.do(chromedp.Click(chromedp.CSS(selector)))
	for deadline := time.Now().Add(patience); ; <-time.After(10 * time.Millisecond) {
		if files, _ := filepath.Glob(filepath.Join(dir, "*.csv")); len(files) > 0 {
			if text, err := os.ReadFile(files[0]); err == nil && len(text) > 0 {
				return string(text)
			}
		}
		if time.Now().After(deadline) {
			b.t.Fatalf("nothing was saved by %s", selector)
		}
	}
}
