package windowtest

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windsock/assets"
)

// The text box is there and has the focus while everything that it can do without
// is still on its way.
func TestTextBoxWaitsForNothingElse(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	held := make(chan struct{})
	defer close(held)
	s.mu.Lock()
	for _, address := range []string{"/api/models", "/api/events", "/assets/parts/answer.js", "/assets/views/usage.js", "/assets/views/cascades.js", "/assets/views/settings.js"} {
		s.held[address] = held
	}
	s.mu.Unlock()
	s.set("POST /enter", nil)
	b.do(navigate(s.URL + "/boot#TICKET"))
	b.until(focused + " === 'prompt-text'")
	b.shows(".left", "228 of 500 left")
}

// All parts of the first view are requested at once, not one module after the other as
// each is found in the previous one.
func TestModulesArePreloaded(t *testing.T) {
	t.Parallel()
	index, err := fs.ReadFile(assets.Window, "index.html")
	if err != nil {
		t.Fatal(err)
	}
	named := func(pattern, text string) (names []string) {
		for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			names = append(names, match[1])
		}
		return names
	}
	preloaded := named(`<link rel="modulepreload" href="/assets/([^"]+)">`, string(index))
	needed := named(`<script type="module" src="/assets/([^"]+)">`, string(index))
	for i := 0; i < len(needed); i++ { // it grows
		source, err := fs.ReadFile(assets.Window, needed[i])
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range named(`(?m)^import .* from '(\.[^']+)';$`, string(source)) {
			if name = path.Join(path.Dir(needed[i]), name); !slices.Contains(needed, name) {
				needed = append(needed, name)
			}
		}
	}
	slices.Sort(preloaded)
	needed = slices.Sorted(slices.Values(needed[1:]))
	if diff := cmp.Diff(needed, preloaded); diff != "" {
		t.Errorf("index.html preloads (-needed +preloaded):\n%s", diff)
	}
}

// observe counts the drawing of the answer on the page from now on: the blocks, the
// number of times that any were drawn, which the page marks, and the screen's frames.
func (b *browser) observe() {
	b.t.Helper()
	js[any](b, `performance.clearMarks(); window.work = {blocks: 0, frames: 0, get draws() { return performance.getEntriesByType('mark').length }};
		new MutationObserver((changes) => {
			for (const change of changes) { window.work.blocks += change.addedNodes.length }
		}).observe(document.querySelector('.answer'), {childList: true});
		(function frame() { window.work.frames++; requestAnimationFrame(frame) })(); 0`)
}

type work struct{ Blocks, Draws, Frames int }

// The cost of a growing text depends on the new part, not on the whole.
func TestOnlyWhatChangedIsDrawn(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	b.open(s)
	b.write("Count")
	b.until("document.querySelector('.turn.runs')")
	s.ask("grows", object{"text": "It begins.\n\n"})
	b.shows(".answer", "It begins.")
	b.observe()
	const events = 30
	for n := range events { // each drawn by itself
		part := fmt.Sprintf("Part %d", n)
		s.ask("grows", object{"text": "A paragraph with `code` of " + part + "\n\n"})
		b.shows(".answer", part)
	}
	// The last block that there was may be drawn once more with each event.
	if got := js[work](b, "window.work"); got.Blocks < events || got.Blocks > 2*events {
		t.Errorf("%d blocks were drawn for %d", got.Blocks, events)
	}
}

// A text that comes in more pieces than the screen has frames is not drawn with
// each of them.
func TestFrameDrawsOnceAtMost(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	b.open(s)
	b.write("Much")
	b.until("document.querySelector('.turn.runs')")
	s.ask("grows", object{"text": "It begins.\n\n"})
	b.shows(".answer", "It begins.")
	b.observe()
	for n := range 400 {
		s.ask("grows", object{"text": fmt.Sprintf("## Part %d\n\n%s\n\n", n, strings.Repeat("much ", 200))})
	}
	b.shows(".answer", "Part 399")
	if got := js[work](b, "window.work"); got.Draws == 0 || got.Draws > got.Frames+1 {
		t.Errorf("%d draws in %d frames", got.Draws, got.Frames)
	}
}
