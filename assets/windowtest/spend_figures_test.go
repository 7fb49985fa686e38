package windowtest

import "fmt"

// spendRow is a row of what was spent, with its cells; a nil one is unknown.
func spendRow(key, label string, share any, note string, figures ...any) object {
	return object{"key": key, "label": label, "share": share, "note": note, "cells": figures}
}

// spent is what a plan's cascades cost by model, in two weeks of one person.
func spent(rows ...any) object {
	return object{
		"plan": "windsurf", "untold": "", "cycle": true, "empty": "", "problem": "", "notes": items{}, "reading": nil,
		"columns": items{"Credits", "Prompts", "per prompt", "per day", "Tokens in", "cached", "Tokens out"},
		"rows":    rows, "total": items{"312.5", "84", "3.72", "", "12,345,678", "9,800,120", "402,113"},
		"words": items{
			"By the meter, 340 prompt credits were used in this time; 27.5 of them elsewhere: completions, another computer, the Devin web app.",
			"Most expensive for one prompt: Claude Opus 4.7 (9 credits on average).",
		},
	}
}

func someModels() items {
	return items{
		spendRow("claude-opus-4-7", "Claude Opus 4.7", 100, "", "180", "20", "9", "36", "4,100,210", "3,004,000", "150,400"),
		spendRow("claude-sonnet-4-5", "Claude Sonnet 4.5", 61.1, "2 of 120 steps tell no cost", "110", "40", "2.75", "11", "6,045,468", "5,796,120", "201,713"),
		spendRow("gpt-5-2-high", "GPT-5.2 High", 12.5, "", "22.5", "24", "0.94", "4.5", "2,200,000", "1,000,000", "50,000"),
		spendRow("", "unknown", nil, "3 of 3 steps tell no cost", nil, "0", nil, nil, nil, nil, nil),
	}
}

// fifteenModels are of a plan with the most columns. They have the names that models
// have, and one that tries to be read otherwise than it is.
func fifteenModels() object {
	labels := []string{
		"Claude Opus 4.7 (Thinking, 1M context)", "Claude Sonnet 4.5", "GPT-5.2 High Reasoning Fast", "SWE-1.6", "Gemini 3 Pro High", "模型 🪁", //nolint:gosmopolitan // models are called so
		"MODEL_PRIVATE_3", "Grok Code Fast 1", "Kimi K2.5 Thinking", "a-model-with-a-name-that-has-no-place-at-which-it-could-be-broken-v2-2026-01-15", "DeepSeek-V3.2",
		"Qwen3-Coder 480B A35B Instruct", "penguin \u202etxet siht fo redro eht", "GPT-5.2-Codex Mini", "unknown",
	}
	rows := items{}
	for i, label := range labels {
		share := 100.0 / float64(1+i*i)
		rows = append(rows, spendRow(fmt.Sprintf("m%d", i), label, share, "", fmt.Sprintf("%.2f %%", 1.8*share), fmt.Sprintf("$%.2f", 0.07*share), fmt.Sprint(20+i),
			fmt.Sprintf("%.2f %%", 0.09*share), fmt.Sprintf("%.2f %%", 0.3*share), "1,204,100", "1,004,000", "50,400"))
	}
	made := spent(rows...)
	made["columns"] = items{"Quota", "Extra usage", "Prompts", "per prompt", "per day", "Tokens in", "cached", "Tokens out"}
	made["total"] = items{"361.34 %", "$14.05", "405", "0.89 %", "", "18,061,500", "15,060,000", "756,000"}
	made["words"] = items{"By the meter, 380 % of the daily quota was used in this time; 18.66 % elsewhere: completions, another computer, the Devin web app."}
	return made
}

// narrowed are one model's cascades.
func narrowed() object {
	made := spent(
		spendRow("c1", "Refactor the billing service into smaller modules", 100, "", "120", "12", "10", "3,100,210", "2,004,000", "100,400"),
		spendRow("c2", "<img src=x onerror=alert(1)> in a title \u202eand more", 50, "", "60", "8", "7.5", "1,000,000", "1,000,000", "50,000"),
		spendRow("c3", "Write a Dockerfile for the API", 0, "", "0", "0", nil, nil, nil, nil),
	)
	made["columns"] = items{"Credits", "Prompts", "per prompt", "Tokens in", "cached", "Tokens out"}
	made["total"] = items{"180", "20", "9", "4,100,210", "3,004,000", "150,400"}
	made["words"] = items{}
	return made
}

// spend shows the section of that report.
func (b *browser) spend(s *stub, report object) {
	b.t.Helper()
	s.set("GET /api/usage/spend", report)
	// The stream's first event has what is new read, if it comes after the view.
	js[any](b, "import('/assets/lib/server.js').then((m) => { m.listen('settings', () => { globalThis.settled = true; }); return 0; })")
	s.listened(b.t)
	s.tell("settings", object{})
	b.until("globalThis.settled")
	b.view("usage")
	b.until("document.querySelector('.plot canvas')") // which moves what is below it
	b.until("document.querySelector('.spend :is(table, .empty)')")
	b.toSpend()
}

// toSpend scrolls to the section, where there is one.
func (b *browser) toSpend() {
	b.t.Helper()
	js[any](b, "(shown => shown && scrollTo(0, shown.offsetTop - document.querySelector('.top').offsetHeight))(document.querySelector('.spend'))")
}
