package chat

import "sync"

// conversations are those that are open for further prompts, by ref.
type conversations struct {
	mu      sync.Mutex // guards engines
	engines map[string]began
}

// began is what a conversation began with.
type began struct {
	Engine

	model string // UID
}

// of returns what a conversation began with; without an Engine there is none.
func (c *conversations) of(ref string) began {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.engines[ref]
}

func (c *conversations) add(ref string, of began) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.engines == nil {
		c.engines = map[string]began{}
	}
	c.engines[ref] = of
}

func (c *conversations) remove(ref string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.engines, ref)
}
