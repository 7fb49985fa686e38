package usage

import (
	"context"
	"time"
)

// Reading is one GetUserStatus answer as a server gave it.
type Reading struct {
	// Raw is the body, in JSON.
	Raw []byte
	// Variant and App are the editor's short name and its name for people.
	Variant, App string
	// PID is the language server's process.
	PID int
}

// Fetch asks a running language server for the plan; variant is empty for any.
// Its error may have the methods Code, Sentence and ExitCode, as a PayloadError
// has. The reading beside an error says what is known of the server.
type Fetch func(ctx context.Context, variant string) (Reading, error)

// snapshot is the answer of a fetch, decoded. The one beside an error says what
// is known all the same. now is asked when the answer is there.
func (f Fetch) snapshot(ctx context.Context, variant string, now func() time.Time) (Snapshot, error) {
	reading, err := f(ctx, variant)
	src := Source{
		Kind:    KindLanguageServer,
		Variant: reading.Variant,
		App:     reading.App,
		PID:     reading.PID,
	}
	if err != nil {
		return Snapshot{Source: src}, err
	}
	src.FetchedAt = now()
	return Decode(reading.Raw, src)
}

// noting is the fetch, and raw is what it had from a server.
func (f Fetch) noting(raw *[]byte) Fetch {
	return func(ctx context.Context, variant string) (Reading, error) {
		reading, err := f(ctx, variant)
		if err == nil {
			*raw = reading.Raw
		}
		return reading, err
	}
}
