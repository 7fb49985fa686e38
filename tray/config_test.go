package tray

import "testing"

func TestDefaultConfig(t *testing.T) {
	t.Parallel()
	c := DefaultConfig()
	if err := c.Validate(); err != nil || !c.Title {
		t.Errorf("got %+v, %v", c, err)
	}
}
