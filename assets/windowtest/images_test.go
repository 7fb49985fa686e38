package windowtest

import (
	"slices"
	"strings"
	"testing"
)

// give has the text box pasted or dropped: files of 1 kB by their kind, and a text.
const give = `(async (event, text, ...kinds) => {
	const transfer = new DataTransfer();
	for (const kind of kinds) {
		const canvas = new OffscreenCanvas(30, 20);
		canvas.getContext('2d').fillRect(0, 0, 30, 20);
		const picture = kind.startsWith('image/') ? await canvas.convertToBlob({ type: kind }) : new Blob(['x']);
		transfer.items.add(new File([picture], 'passport', { type: kind }));
	}
	if (text) {
		transfer.setData('text/plain', text);
	}
	const box = document.getElementById('prompt-text');
	const init = { bubbles: true, cancelable: true };
	const given = event === 'paste' ? new ClipboardEvent(event, { ...init, clipboardData: transfer }) : new DragEvent(event, { ...init, dataTransfer: transfer });
	return { taken: !(event === 'paste' ? box : box.closest('section')).dispatchEvent(given) };
})`

func (b *browser) give(args string) (taken bool) {
	b.t.Helper()
	return js[struct{ Taken bool }](b, give+"("+args+")").Taken
}

// Images that are pasted or dropped are shown with their size, can be removed, and go with
// the prompt. One whose prompt is refused is there again.
func TestPromptTakesImages(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	b.open(s)
	b.until("document.querySelector('.picker input').value !== ''")
	const count = "document.querySelectorAll('.images li').length"
	if !b.give("'paste', '', 'image/png'") || !b.give("'drop', '', 'image/png', 'image/webp'") {
		t.Error("the browser would have done something else with the files")
	}
	b.until(count + " === 3")
	b.shows(".images li", "1 kB")
	if got := js[int](b, "[...document.querySelectorAll('.images canvas')].filter((c) => c.getContext('2d').getImageData(32, 32, 1, 1).data[3] === 255).length"); got != 3 {
		t.Errorf("%d thumbnails", got)
	}
	const kept = `(async () => {
		const canvas = new OffscreenCanvas(640, 320);
		canvas.getContext('2d').fillRect(0, 0, 640, 320);
		const { add } = await import('/assets/lib/images.js');
		const { images } = await add([], [new File([await canvas.convertToBlob()], 'x', { type: 'image/png' })]);
		return [images[0].picture.width, images[0].picture.height];
	})()`
	if got := js[[]int](b, kept); !slices.Equal(got, []int{64, 32}) {
		t.Errorf("a picture is kept with %d pixels", got)
	}
	js[any](b, "document.querySelectorAll('.images button')[1].click()")
	b.until(count + " === 2")
	if b.give("'paste', 'a table', 'image/png'") {
		t.Error("a text that is also a picture was not pasted as text")
	}
	b.give("'paste', '', 'application/pdf'")
	b.shows(".composer .bad", "Only PNG, JPEG, GIF and WebP")
	s.set("POST /api/ask", refusal{422, "image_kind", "This is no image that models can read."})
	b.write("What is it?")
	b.shows(".turn .bad", "This is no image that models can read.")
	b.until(count + " === 2")
	s.set("POST /api/ask", nil)
	b.write("What is it?")
	b.until(count + " === 0")
	s.ask("done", answered)
	b.shows(".turn .counted", "2 images")
	s.mu.Lock()
	body := s.asked["POST /api/ask"]
	s.mu.Unlock()
	if !strings.HasPrefix(body, `{"text":"What is it?","model":"claude-opus-4-5","images":["iVBORw0KGgo`) || strings.Count(body, `","`) != 3 || !strings.Contains(body, `","UklGR`) {
		t.Errorf("sent %.200s", body)
	}
	// Another model gets them, too.
	b.press("Ask again with…")
	js[any](b, "[...document.querySelectorAll('.turn .picker li')].find((l) => l.innerText.includes('GPT-5.2 High')).click()")
	s.heard(t, "POST /api/ask", strings.Replace(body, "claude-opus-4-5", "gpt-5-2-high", 1))
}
