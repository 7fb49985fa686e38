package chat

import "sync"

// conversations are those that are open for further prompts: the engine of each, by ref.
type conversations struct {
	mu      sync.Mutex // guards engines
	engines map[string]Engine
}

// of returns the engine of a conversation, or nil.
func (c *conversations) of(ref string) Engine {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.engines[ref]
}

func (c *conversations) add(ref string, engine Engine) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.engines == nil {
		c.engines = map[string]Engine{}
	}
	c.engines[ref] = engine
}

func (c *conversations) remove(ref string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.engines, ref)
}
