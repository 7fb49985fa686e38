package window

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"windsock/usage"
)

// Preferences are the settings of the person.
type Preferences interface {
	// Read is what there is to settle, and how it is settled now.
	Read() PreferencesDocument
	// Check says a sentence for every value that its key does not take.
	Check(values map[string]json.RawMessage) map[string]string
	// Save keeps values, all or none. The error is ErrComments, a RefusedError, or has
	// the method Sentence.
	Save(values map[string]json.RawMessage, loseComments bool) error
	// Places are where things lie, for people; never nil.
	Places() []Place
}

// ErrComments is what Save returns where keeping the values would lose comments.
var ErrComments = errors.New("save settings: comments would be lost")

// RefusedError is values that their keys do not take, with a sentence for each.
type RefusedError struct{ Sentences map[string]string }

func (*RefusedError) Error() string { return "save settings: a value is not taken" }

// PreferencesDocument are all settings.
type PreferencesDocument struct {
	Path     string    `json:"path"`
	Sections []Section `json:"sections"`
	// Problem is a sentence on what is wrong with the file, nil for nothing; its
	// values are what could be read of it then.
	Problem *string `json:"problem"`
	// Comments says that the file has comments that Save would lose.
	Comments bool `json:"comments"`
}

// Section is a part of the settings.
type Section struct {
	Name string       `json:"name"`
	Keys []Preference `json:"keys"`
}

// Preference is one setting.
type Preference struct {
	// Key is the whole name, such as usage.interval.
	Key     string `json:"key"`
	Comment string `json:"comment"`
	Takes   string `json:"takes"`
	// Type is string, bool, int, list or duration; a list's elements are texts or numbers.
	Type    string `json:"type"`
	Value   any    `json:"value"`
	Default any    `json:"default"`
}

// Place is where something lies.
type Place struct {
	What string `json:"what"`
	Path string `json:"path"`
}

type autostartState struct {
	On        bool `json:"on"`
	Available bool `json:"available"`
}

type mute struct {
	Meter usage.MeterID `json:"meter"`
	Label string        `json:"label"`
	Muted bool          `json:"muted"`
	// Until is null where the reset is not known.
	Until *time.Time `json:"until"`
}

func (s *served) settings(w http.ResponseWriter, r *http.Request) {
	answer := struct {
		PreferencesDocument

		Autostart autostartState `json:"autostart"`
		Mutes     []mute         `json:"mutes"`
		Places    []Place        `json:"places"`
	}{s.config.Preferences.Read(), s.atLogin(r), s.mutes(), s.config.Preferences.Places()}
	write(w, http.StatusOK, answer)
}

// atLogin is whether the app starts at login.
func (s *served) atLogin(r *http.Request) autostartState {
	if s.config.Autostart == nil {
		return autostartState{}
	}
	on, err := s.config.Autostart.Enabled()
	if err != nil {
		s.config.Log.WarnContext(r.Context(), "start at login unknown", slog.Any("err", err))
	}
	return autostartState{On: on, Available: err == nil}
}

func (s *served) mutes() []mute {
	all := []mute{}
	if s.config.Mutes == nil {
		return all
	}
	snapshot := s.state().Snapshot
	for _, m := range s.config.Mutes.Muted() {
		meter, ok := snapshot.Meter(m.Meter)
		if !ok {
			continue
		}
		made := mute{Meter: m.Meter, Label: s.config.Words().Line(snapshot, meter).Label, Muted: m.On}
		if !m.Until.IsZero() {
			until := m.Until.UTC()
			made.Until = &until
		}
		all = append(all, made)
	}
	return all
}

type valuesWish struct {
	Values       map[string]json.RawMessage `json:"values"`
	LoseComments bool                       `json:"lose_comments"`
}

func (s *served) checkSettings(w http.ResponseWriter, r *http.Request) {
	var wish valuesWish
	if s.read(w, r, &wish) {
		write(w, http.StatusOK, map[string]map[string]string{"errors": s.config.Preferences.Check(wish.Values)})
	}
}

func (s *served) saveSettings(w http.ResponseWriter, r *http.Request) {
	var wish valuesWish
	if !s.read(w, r, &wish) {
		return
	}
	err := s.config.Preferences.Save(wish.Values, wish.LoseComments)
	refused, isRefused := errors.AsType[*RefusedError](err)
	switch {
	case err == nil:
		write(w, http.StatusOK, struct{}{})
	case isRefused:
		write(w, http.StatusUnprocessableEntity, struct {
			Error  failure           `json:"error"`
			Errors map[string]string `json:"errors"`
		}{failure{"refused", "Not every value is one that its setting takes."}, refused.Sentences})
	case errors.Is(err, ErrComments):
		fail(w, http.StatusConflict, "comments", "The file would have to be written anew, which loses your comments in it, and what cannot be read.")
	default:
		failWith(w, http.StatusInternalServerError, err)
	}
}

func (s *served) autostart(w http.ResponseWriter, r *http.Request) {
	var wish struct{ On bool }
	if !s.read(w, r, &wish) {
		return
	}
	if s.config.Autostart == nil {
		fail(w, http.StatusNotFound, "unavailable", "Starting at login cannot be changed here.")
		return
	}
	change := s.config.Autostart.Disable
	if wish.On {
		change = s.config.Autostart.Enable
	}
	if err := change(); err != nil {
		failWith(w, http.StatusInternalServerError, err)
		return
	}
	write(w, http.StatusOK, s.atLogin(r))
}

// notify shows what a warning looks like.
func (s *served) notify(w http.ResponseWriter, r *http.Request) {
	if err := s.config.Notify("This is a test", "Warnings of Windsock look like this."); err != nil {
		s.config.Log.WarnContext(r.Context(), "test notification not shown", slog.Any("err", err))
		fail(w, http.StatusServiceUnavailable, "not_shown", "The desktop did not take the notification.")
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *served) mute(w http.ResponseWriter, r *http.Request) {
	var wish struct {
		Meter usage.MeterID `json:"meter"`
		Muted bool          `json:"muted"`
	}
	if !s.read(w, r, &wish) {
		return
	}
	if !slices.ContainsFunc(s.mutes(), func(m mute) bool { return m.Meter == wish.Meter }) {
		fail(w, http.StatusNotFound, "no_meter", "There is nothing to mute of that.")
		return
	}
	s.config.Mutes.Mute(wish.Meter, wish.Muted)
	w.WriteHeader(http.StatusNoContent)
}
