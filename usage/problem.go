package usage

import (
	"errors"

	"windsock/probe/say"
)

// The codes of problems that this package finds. Those of finding and calling
// a server come from elsewhere.
const (
	CodeBadPayload      = "bad_payload"
	CodeNoPlanStatus    = "no_plan_status"
	CodeNoUsageFields   = "no_usage_fields"
	CodeUnreadableField = "unreadable_field"
)

// Problem is a reason why a figure is unknown. Message is one or more sentences for
// people and contains nothing of the answer but field names.
type Problem struct {
	Code, Message string
}

// NoUsage is the error for a product's answer from a source of that kind without usage.
// The code is CodeBadPayload, CodeNoPlanStatus or CodeNoUsageFields.
func NoUsage(code string, p Product, kind SourceKind) error {
	e := &say.Error{Code: code, Cause: errors.New("decode plan status: no usage fields")}
	switch code {
	case CodeBadPayload:
		e.What, e.Cause = "The answer about the plan is not a JSON object.", errors.New("decode plan status: not a JSON object")
	case CodeNoPlanStatus:
		e.What, e.Cause = "The answer says nothing about the plan.", errors.New("decode plan status: no plan status")
	default:
		e.What = "The answer names no credits and no quota."
	}
	switch kind {
	case KindCloud:
		if code == CodeNoUsageFields {
			e.What = "There is nothing to show: the service names no credits and no quota for this plan."
		}
	case KindFile:
		e.Cure = "Save the server's answer again, then try again."
	case KindCache:
		e.Cure = "Start the editor, then try again."
	case KindCLI:
		e.What, e.Cure = "agy gave no figures.", "Run agy in a terminal, and see what it says to /usage."
	case KindStatusLine:
		e.Cure = "Use agy in a terminal, then try again."
	case KindLanguageServer:
		e.Cure = "Restart the editor, then try again."
		if p != Windsurf { // which has many editors
			e.Cure = "Restart " + p.Name() + ", then try again."
		}
	}
	return e
}
