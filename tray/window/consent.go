package window

import (
	"context"
	"net/http"
	"time"
)

// Cloud is what may be asked over the internet, one sign-in at a time, and the person's
// answers to that. The errors are told by package say.
type Cloud interface {
	// SignIns are all, without a look into their files.
	SignIns() []SignIn
	// Offer prepares the question about a sign-in whose host stands in its file. It opens
	// the file, so the person has to have asked for it.
	Offer(ctx context.Context, name string) (Offer, error)
	// Allow allows a sign-in to be asked with at a host. It fails if Offer would not name
	// that host now.
	Allow(ctx context.Context, name, host string) error
	// Deny ends that at once, and forgets the figures that came of it.
	Deny(name string) error
}

// SignIn is one with which the figures can be asked for without an editor.
type SignIn struct {
	Name string `json:"name"`
	// App is the program that has signed in, and File the place of its sign-in, for
	// people.
	App  string `json:"app"`
	File string `json:"file"`
	// Host is where it would be, or is, asked; "" if that stands in the sign-in.
	Host string `json:"host"`
	// There says that the file is there, and Allowed that it may be asked with.
	There   bool `json:"there"`
	Allowed bool `json:"allowed"`
	// Wording is what a person has to know before they allow it, in paragraphs.
	Wording []string `json:"wording"`
	// State is as in `windsock cloud --json`.
	State string `json:"state"`
	// Failed is why the last question had no answer, as a sentence; "" if it had one.
	Failed string `json:"failed"`
	// Figures is when the last figures came; zero for none.
	Figures time.Time `json:"-"`
}

// Offer is the question whether a sign-in may be asked with at a host.
type Offer struct {
	Host    string   `json:"host"`
	Wording []string `json:"wording"`
}

// readConsent shows what may be asked. No sign-in is opened for it.
func (s *served) readConsent(w http.ResponseWriter, _ *http.Request) {
	type shown struct {
		SignIn

		// Last is when the last figures came, in words; "" for none.
		Last string `json:"last"`
	}
	document := struct {
		SignIns []shown `json:"sign_ins"`
	}{[]shown{}}
	if s.config.Cloud != nil {
		words := s.config.Words()
		for _, signIn := range s.config.Cloud.SignIns() {
			one := shown{SignIn: signIn}
			if !signIn.Figures.IsZero() {
				one.Last = words.Past(signIn.Figures, s.config.Now())
			}
			document.SignIns = append(document.SignIns, one)
		}
	}
	write(w, http.StatusOK, document)
}

// consenting is what a page sends about one sign-in.
type consenting struct {
	Name string `json:"name"`
	Host string `json:"host"`
}

// offerConsent opens a sign-in for its host.
func (s *served) offerConsent(w http.ResponseWriter, r *http.Request) {
	s.consent(w, r, func(ctx context.Context, c consenting) (any, error) { return s.config.Cloud.Offer(ctx, c.Name) })
}

func (s *served) allow(w http.ResponseWriter, r *http.Request) {
	s.consent(w, r, func(ctx context.Context, c consenting) (any, error) {
		return struct{}{}, s.config.Cloud.Allow(ctx, c.Name, c.Host)
	})
}

func (s *served) deny(w http.ResponseWriter, r *http.Request) {
	s.consent(w, r, func(_ context.Context, c consenting) (any, error) { return struct{}{}, s.config.Cloud.Deny(c.Name) })
}

func (s *served) consent(w http.ResponseWriter, r *http.Request, answer func(context.Context, consenting) (any, error)) {
	var asked consenting
	if !s.read(w, r, &asked) {
		return
	}
	if s.config.Cloud == nil {
		fail(w, http.StatusNotFound, "unavailable", "Nothing can be asked over the internet here.")
		return
	}
	value, err := answer(r.Context(), asked)
	if err != nil {
		failWith(w, http.StatusUnprocessableEntity, err)
		return
	}
	write(w, http.StatusOK, value)
}
