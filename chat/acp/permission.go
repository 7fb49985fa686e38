package acp

import "github.com/tidwall/gjson"

// outcome is the answer to a request for permission.
type outcome struct {
	Outcome  string `json:"outcome"`
	OptionID string `json:"optionId,omitempty"` //nolint:tagliatelle // as the protocol has it
}

// refusal is the answer to options of which one may say no this once. An agent would
// remember a no for ever, in its own settings, so that is not said. After a cancel every
// answer has to say so.
func refusal(options gjson.Result, cancelled bool) outcome {
	if !cancelled && options.IsArray() {
		for _, o := range options.Array() {
			if id := o.Get("optionId"); o.Get("kind").String() == "reject_once" && id.Type == gjson.String {
				return outcome{"selected", id.Str}
			}
		}
	}
	return outcome{Outcome: "cancelled"}
}
