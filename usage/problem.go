package usage

// The codes of problems that this package finds. Those of finding and calling
// a server come from elsewhere.
const (
	CodeBadPayload      = "bad_payload"
	CodeNoPlanStatus    = "no_plan_status"
	CodeNoUsageFields   = "no_usage_fields"
	CodeUnreadableField = "unreadable_field"
)

// Problem is something that keeps a figure from being known. Message is one or
// more sentences for people and holds nothing of the answer but field names.
type Problem struct {
	Code, Message string
}

// PayloadError says why an answer holds no usage.
type PayloadError struct {
	code string
	kind SourceKind
}

// NewPayloadError says so with one of the codes, of an answer of that kind.
func NewPayloadError(code string, kind SourceKind) *PayloadError { return &PayloadError{code, kind} }

// Code is CodeBadPayload, CodeNoPlanStatus or CodeNoUsageFields.
func (e *PayloadError) Code() string { return e.code }

// ExitCode is what the process ends with.
func (*PayloadError) ExitCode() int { return 1 }

// Error is for logs.
func (e *PayloadError) Error() string {
	switch e.code {
	case CodeBadPayload:
		return "decode plan status: not a JSON object"
	case CodeNoPlanStatus:
		return "decode plan status: no plan status"
	default:
		return "decode plan status: no usage fields"
	}
}

// Sentence tells people what happened and what to do.
func (e *PayloadError) Sentence() string {
	said := map[string]string{
		CodeBadPayload:    "The answer about the plan is not a JSON object.",
		CodeNoPlanStatus:  "The answer says nothing about the plan.",
		CodeNoUsageFields: "The answer names no credits and no quota.",
	}[e.code]
	switch e.kind {
	case KindFile:
		return said + " Save the server's answer again, then try again."
	case KindCache:
		return said + " Start the editor, then try again."
	default:
		return said + " Restart the editor, then try again."
	}
}
