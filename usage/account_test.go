package usage

import "testing"

// The key of a plan holds its product and what its short name is made of.
func TestReadKey(t *testing.T) {
	t.Parallel()
	salt := []byte("salt")
	for _, product := range Products() {
		for _, account := range []Account{{}, NewAccount("a"), NewAccount("a", "b")} {
			plan := Plan{product, account}
			if got, short := ReadKey(plan.Key(salt)); got != product || short != plan.Short(salt) || (short != "") != account.Known() {
				t.Errorf("%s: %s, %q", plan.Key(salt), got, short)
			}
		}
	}
}
