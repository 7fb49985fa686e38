package window

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"

	"windsock/tray/settings"
	"windsock/tray/shortcut"
	"windsock/usage"
	"windsock/usage/poll"
)

// Preferences are the person's settings: a [settings.File].
type Preferences interface {
	Form() settings.Form
	Check(values map[string]json.RawMessage) map[string]string
	Fill(values map[string]json.RawMessage, loseComments bool) error
}

// Place is the path of something.
type Place struct {
	What string `json:"what"`
	Path string `json:"path"`
}

type autostartState struct {
	On        bool `json:"on"`
	Available bool `json:"available"`
}

type mute struct {
	// Plan is the name of the meter's plan.
	Plan  string        `json:"plan"`
	Meter usage.MeterID `json:"meter"`
	// Label names the meter, and its plan if there are several.
	Label string `json:"label"`
	Muted bool   `json:"muted"`
	// Until is the reset in words, "" if unknown.
	Until string `json:"until"`

	of usage.Plan
}

func (s *served) readSettings(w http.ResponseWriter, r *http.Request) {
	answer := struct {
		settings.Form

		Autostart autostartState `json:"autostart"`
		Shortcut  shortcut.State `json:"shortcut"`
		Mutes     []mute         `json:"mutes"`
		Places    []Place        `json:"places"`
	}{s.config.Preferences.Form(), s.atLogin(r), s.shortcut(), s.mutes(), s.config.Places}
	write(w, http.StatusOK, answer)
}

// atLogin reports whether the app starts at login.
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

// shortcut is what has become of the key for the prompt.
func (s *served) shortcut() (state shortcut.State) {
	if s.config.Shortcut != nil {
		state = s.config.Shortcut()
	}
	return state
}

func (s *served) mutes() []mute {
	all := []mute{}
	if s.config.Mutes == nil {
		return all
	}
	plans := s.plans()
	headings, words := plans.Headings(), s.config.Words()
	for _, m := range s.config.Mutes.Muted() {
		i := slices.IndexFunc(plans, func(state poll.State) bool { return state.Snapshot.Plan == m.Plan })
		if i < 0 {
			continue
		}
		meter, ok := plans[i].Snapshot.Meter(m.Meter)
		if !ok {
			continue
		}
		made := mute{Plan: plans[i].Name, Meter: m.Meter, Label: meter.Label(), Muted: m.On, of: m.Plan}
		if len(plans) > 1 {
			made.Label += " of " + headings[i]
		}
		if !m.Until.IsZero() {
			made.Until = words.Moment(m.Until, plans[i].At)
		}
		all = append(all, made)
	}
	return all
}

type formValues struct {
	Values       map[string]json.RawMessage `json:"values"`
	LoseComments bool                       `json:"lose_comments"`
}

func (s *served) checkSettings(w http.ResponseWriter, r *http.Request) {
	var form formValues
	if s.read(w, r, &form) {
		write(w, http.StatusOK, map[string]map[string]string{"errors": s.config.Preferences.Check(form.Values)})
	}
}

func (s *served) saveSettings(w http.ResponseWriter, r *http.Request) {
	var form formValues
	if !s.read(w, r, &form) {
		return
	}
	err := s.config.Preferences.Fill(form.Values, form.LoseComments)
	refused, isRefused := errors.AsType[*settings.RefusedError](err)
	switch {
	case err == nil:
		write(w, http.StatusOK, struct{}{})
	case isRefused:
		write(w, http.StatusUnprocessableEntity, struct {
			Error  failure           `json:"error"`
			Errors map[string]string `json:"errors"`
		}{failure{"refused", "Not every value is one that its setting takes."}, refused.Sentences})
	case errors.Is(err, settings.ErrComments):
		fail(w, http.StatusConflict, "comments", "The file would have to be written anew, which loses your comments in it, and what cannot be read.")
	default:
		failWith(w, http.StatusInternalServerError, err)
	}
}

func (s *served) autostart(w http.ResponseWriter, r *http.Request) {
	var body struct{ On bool }
	if !s.read(w, r, &body) {
		return
	}
	if s.config.Autostart == nil {
		fail(w, http.StatusNotFound, "unavailable", "Starting at login cannot be changed here.")
		return
	}
	change := s.config.Autostart.Disable
	if body.On {
		change = s.config.Autostart.Enable
	}
	if err := change(); err != nil {
		failWith(w, http.StatusInternalServerError, err)
		return
	}
	write(w, http.StatusOK, s.atLogin(r))
}

// notify shows a sample warning.
func (s *served) notify(w http.ResponseWriter, r *http.Request) {
	if err := s.config.Notify("This is a test", "Warnings of Windsock look like this."); err != nil {
		s.config.Log.WarnContext(r.Context(), "test notification not shown", slog.Any("err", err))
		fail(w, http.StatusServiceUnavailable, "not_shown", "The desktop did not take the notification.")
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *served) mute(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Plan  string        `json:"plan"`
		Meter usage.MeterID `json:"meter"`
		Muted bool          `json:"muted"`
	}
	if !s.read(w, r, &body) {
		return
	}
	all := s.mutes()
	i := slices.IndexFunc(all, func(m mute) bool { return m.Plan == body.Plan && m.Meter == body.Meter })
	if i < 0 {
		fail(w, http.StatusNotFound, "no_meter", "There is nothing to mute of that.")
		return
	}
	s.config.Mutes.Mute(all[i].of, body.Meter, body.Muted)
	w.WriteHeader(http.StatusNoContent)
}
