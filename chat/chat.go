// Package chat has what every program that answers prompts has in common, as values:
// models and how a person names one, a prompt, what happens while the answer grows,
// the answer with its cost, and why there is none.
//
// It asks nobody: chat/cascade speaks to the editor's Cascade. It knows nothing of
// what a plan has left; what a prompt cost comes from the engine that answered it.
package chat
