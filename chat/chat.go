// Package chat has the values that all programs for prompts share: models and their
// names, a prompt, the events of a growing answer, the answer with its cost, and the
// reasons for a missing answer.
//
// It sends no request: chat/cascade speaks to the editor's Cascade. It knows nothing
// of the plan's quota; the engine that answers a prompt reports the prompt's cost.
package chat
