package simulator

import (
	"strings"
	"time"

	"windsock/probe/simulator/account"
)

// fields are a message in JSON.
type fields map[string]any

// quotaSummary is the response to RetrieveUserQuotaSummary. A fraction of zero is
// written.
func quotaSummary(a account.Antigravity, c account.Clock) fields {
	quotas := a.Quotas(c)
	groups := make([]fields, 0, len(quotas))
	for _, quota := range quotas {
		buckets := []fields{}
		for _, b := range quota.Buckets {
			buckets = append(buckets, fields{
				"bucketId": b.ID, "displayName": b.Name, "window": b.Window,
				"remainingFraction": b.Left, "resetTime": stamp(b.Reset),
				"description": "You have used some of your quota.",
			})
		}
		groups = append(groups, fields{"displayName": quota.Name, "description": about(quota), "buckets": buckets})
	}
	return fields{"response": fields{
		"description": "Within each group, models share a weekly limit and a 5-hour limit.", "groups": groups,
	}}
}

// about describes a group of models.
func about(quota account.ModelQuota) string {
	return "Models within this group: " + strings.Join(quota.Models, ", ")
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// userStatus is the response to GetUserStatus, about 150 KB. It holds the five-hour
// quotas only, once for each model, and a fraction of zero is not written. The credits
// are left-overs of another product, and mean nothing.
func userStatus(a account.Antigravity, c account.Clock, owner account.Person) fields {
	var models []fields
	for _, quota := range a.Quotas(c) {
		for _, label := range quota.Models {
			model := fields{
				"label": label, "modelOrAlias": fields{"model": modelID(label)},
				"description": filler, "tagTitle": "New", "tagDescription": "This model is new.",
			}
			for _, b := range quota.Buckets {
				if b.Window != "5h" {
					continue
				}
				info := fields{"resetTime": stamp(b.Reset)}
				if b.Left != 0 {
					info["remainingFraction"] = b.Left
				}
				model["quotaInfo"] = info
			}
			models = append(models, model)
		}
	}
	return fields{"userStatus": fields{
		"name": owner.Name(), "email": owner.Email(),
		"userTier": fields{"id": strings.ToLower(strings.ReplaceAll(a.Tier, " ", "_")), "name": a.Tier, "description": a.Tier},
		"planStatus": fields{
			"planInfo":               fields{"planName": "Pro", "monthlyPromptCredits": 50000, "monthlyFlowCredits": 150000},
			"availablePromptCredits": 500, "availableFlowCredits": 100, "usedFlexCredits": 5000,
		},
		"cascadeModelConfigData": fields{"clientModelConfigs": models},
	}}
}

// filler makes the list of models as long as a real one.
var filler = strings.TrimSpace(strings.Repeat("Made for long changes that touch many files. ", 300))

// modelID makes claude-opus-4-6-thinking of "Claude Opus 4.6 (Thinking)".
func modelID(label string) string {
	return strings.ToLower(strings.NewReplacer(" ", "-", ".", "-", "(", "", ")", "").Replace(label))
}

// agyUsage is what agy prints for /usage. Its names are not those of quotaSummary.
func agyUsage(a account.Antigravity, c account.Clock) fields {
	quotas := a.Quotas(c)
	groups := make([]fields, 0, len(quotas))
	for _, quota := range quotas {
		buckets := []fields{}
		for _, b := range quota.Buckets {
			buckets = append(buckets, fields{
				"id": b.ID, "name": b.Name, "window": b.Window,
				"remaining_fraction": float64(b.Left), "reset_time": stamp(b.Reset),
			})
		}
		groups = append(groups, fields{"name": quota.Name, "description": about(quota), "buckets": buckets})
	}
	return fields{
		"conversation_id": "", "status": "SUCCESS", "response": agyUsageText(a, c), "duration_seconds": 0, "num_turns": 0,
		"usage":   fields{"input_tokens": 0, "output_tokens": 0, "thinking_tokens": 0, "cache_read_tokens": 0, "total_tokens": 0},
		"command": fields{"name": "usage", "data": fields{"groups": groups}},
	}
}

// statusLine is what agy writes to the standard input of a status line's command. All
// but the quota, the tier, the version and the state is nobody's business.
func statusLine(a account.Antigravity, c account.Clock, owner account.Person, cwd string) fields {
	quotas := fields{}
	for _, quota := range a.Quotas(c) {
		for _, b := range quota.Buckets {
			quotas[b.ID] = fields{
				"remaining_fraction": float64(b.Left), "reset_time": stamp(b.Reset),
				"reset_in_seconds": b.Reset.Unix() - c.Now.Unix(),
			}
		}
	}
	return fields{
		"session_id": "00000000-0000-4000-8000-000000000000", "version": agyVersion, "agent_state": "idle",
		"plan_tier": a.Tier, "quota": quotas,
		"email": owner.Email(), "cwd": cwd, "conversation_title": "Find the memory leak in the worker",
		"transcript_path": cwd + "/transcript.jsonl", "workspace": fields{"current_dir": cwd, "project_dir": cwd},
	}
}
