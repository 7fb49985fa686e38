package acp

// guarded is true: the directories that are searched are the person's own, or an
// administrator's.
func guarded(string) bool { return true }
