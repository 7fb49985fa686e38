package window

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
)

// fakeCloud is two sign-ins: Cursor's host is always the same, that of Devin's command
// line stands in the sign-in.
type fakeCloud struct {
	host   string   // that the sign-in of Devin's command line names
	known  bool     // it is the maker's
	done   []string // in order
	broken error    // of the settings
}

func (f *fakeCloud) SignIns() []SignIn {
	f.done = append(f.done, "list")
	return []SignIn{
		{Name: "devin-cli", App: "Devin CLI", File: "~/.local/share/devin/credentials.toml", There: true, Wording: []string{"It reads.", "It sends."}, State: "off"},
		{
			Name: "cursor", App: "Cursor", File: "~/.config/cursor/auth.json", Host: "api2.cursor.sh", Allowed: true, Wording: []string{"It asks."},
			State: "offline", Failed: "api2.cursor.sh cannot be reached. Check the network.", Figures: noon.Add(-time.Hour),
		},
	}
}

func (f *fakeCloud) Offer(_ context.Context, name string) (Offer, error) {
	f.done = append(f.done, "open "+name)
	if !f.known {
		return Offer{}, spoken{"host_not_allowed", "Windsock does not know " + f.host + "."}
	}
	return Offer{Host: f.host, Wording: []string{"It sends to " + f.host + "."}}, nil
}

func (f *fakeCloud) Allow(_ context.Context, name, host string) error {
	f.done = append(f.done, "allow "+name+"@"+host)
	return f.broken
}

func (f *fakeCloud) Deny(name string) error {
	f.done = append(f.done, "deny "+name)
	return f.broken
}

func TestConsent(t *testing.T) {
	t.Parallel()
	c := &fakeCloud{host: "portal.example"}
	p := enter(t, &fake{}, func(w *Window) { w.config.Cloud = c })
	want := `{"sign_ins":[` +
		`{"name":"devin-cli","app":"Devin CLI","file":"~/.local/share/devin/credentials.toml","host":"","there":true,"allowed":false,` +
		`"wording":["It reads.","It sends."],"state":"off","failed":"","last":""},` +
		`{"name":"cursor","app":"Cursor","file":"~/.config/cursor/auth.json","host":"api2.cursor.sh","there":false,"allowed":true,` +
		`"wording":["It asks."],"state":"offline","failed":"api2.cursor.sh cannot be reached. Check the network.","last":"11:00"}]}`
	if diff := cmp.Diff(want, p.do("GET", "/api/cloud", "", nil).body); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	steps := []struct {
		name, path, body string
		before           func()
		want             int
		answer           string
	}{
		{"unknown_host", "/api/cloud/offer", `{"name":"devin-cli"}`, nil, 422, `{"error":{"code":"host_not_allowed","sentence":"Windsock does not know portal.example."}}`},
		{"offer", "/api/cloud/offer", `{"name":"devin-cli"}`, func() { c.host, c.known = "eu.windsurf.com", true }, 200, `{"host":"eu.windsurf.com","wording":["It sends to eu.windsurf.com."]}`},
		{"allow", "/api/cloud/allow", `{"name":"devin-cli","host":"eu.windsurf.com"}`, nil, 200, "{}"},
		{"deny", "/api/cloud/deny", `{"name":"cursor"}`, nil, 200, "{}"},
		{"no_json", "/api/cloud/allow", `name=cursor`, nil, 400, `{"error":{"code":"bad_request","sentence":"The page sent something that cannot be read."}}`},
		{"disk_fails", "/api/cloud/deny", `{"name":"cursor"}`, func() { c.broken = spoken{"", "The disk is full."} }, 422, `{"error":{"code":"failed","sentence":"The disk is full."}}`},
	}
	for _, step := range steps {
		if step.before != nil {
			step.before()
		}
		if got := p.do("POST", step.path, step.body, nil); got.status != step.want || got.body != step.answer {
			t.Errorf("%s: %+v", step.name, got)
		}
	}
	done := []string{"list", "open devin-cli", "open devin-cli", "allow devin-cli@eu.windsurf.com", "deny cursor", "deny cursor"}
	if diff := cmp.Diff(done, c.done); diff != "" {
		t.Errorf("what was done (-want +got):\n%s", diff)
	}
}

// Nobody but the page lists, opens or allows anything.
func TestConsentIsThePagesAlone(t *testing.T) {
	t.Parallel()
	c := &fakeCloud{host: "eu.windsurf.com", known: true}
	p := enter(t, &fake{}, func(w *Window) { w.config.Cloud = c })
	stranger := &page{Client: &http.Client{Transport: p.Transport}, t: t, window: p.window, host: p.host, listen: p.listen}
	for _, path := range []string{"/api/cloud/offer", "/api/cloud/allow", "/api/cloud/deny"} {
		const body = `{"name":"cursor","host":"api2.cursor.sh"}`
		for name, tt := range map[string]struct {
			page   *page
			method string
			header map[string]string
			want   int
		}{
			"no_cookie":    {stranger, "POST", nil, 401},
			"foreign_page": {p, "POST", map[string]string{"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}, 403},
			"rebinding":    {p, "POST", map[string]string{"Host": "evil.example"}, 403},
			"by_address":   {p, "GET", nil, 405},
		} {
			if got := tt.page.do(tt.method, path, body, tt.header); got.status != tt.want {
				t.Errorf("%s %s: %+v", name, path, got)
			}
		}
	}
	if len(c.done) > 0 {
		t.Errorf("done: %v", c.done)
	}
}

// Where nothing can be asked, the page has nothing to list.
func TestConsentWithoutTheCloud(t *testing.T) {
	t.Parallel()
	p := enter(t, &fake{}, nil)
	if got := p.do("GET", "/api/cloud", "", nil); gjson.Get(got.body, "sign_ins.#").Int() != 0 || got.status != 200 {
		t.Errorf("listed: %+v", got)
	}
	if got := p.do("POST", "/api/cloud/allow", `{"name":"cursor","host":"api2.cursor.sh"}`, nil); got.status != 404 {
		t.Errorf("allowed: %+v", got)
	}
}
