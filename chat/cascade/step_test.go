package cascade

import "testing"

// The words for a step are harmless to a terminal.
func TestStepWords(t *testing.T) {
	t.Parallel()
	for step, want := range map[string]string{
		"CORTEX_STEP_TYPE_VIEW_FILE": "view file…", "CORTEX_STEP_TYPE_VIEW_\u202eFILE": "view file…", "": "working…",
	} {
		if got := stepWords(step); got != want {
			t.Errorf("%q: %q, want %q", step, got, want)
		}
	}
}
