package windsurf

import (
	"maps"
	"strings"
)

// billingWords are those that the names of fields and of enums about money are made
// of. There is none among them that a name or a number of somebody would go by, such
// as id, user, name, account or number.
var billingWords = wordSet(`
	acu active allow amount api arena at auto available balance bill billing budget buy by byok cap cents charge can
	consumed cost credit credits criteria currency current custom cycle daily day days debt devin disabled dollars
	due duration enabled end enterprise exceeded exhausted expired expires extra failed features five flex flow free
	fraction from grace has have hidden hide high hour hourly hours in included increment is left limit limited limits
	low max medium messages met micros min model models month monthly more multiplier next no none of on
	orphaned out over overage paid pending percent percentage period plan policy pool pooled premium price pricing
	pro processing prompt prompts purchase quota quotas rate reached reduced refill remaining renews requests reset
	resets rolling rollover session share spend spent standard start state static status strategy succeeded teams
	tier time to token tokens top total trial transaction type unit units unix unlimited unspecified up usage usd use
	used wallet was week weekly window with year yearly`)

// fieldWords are those that a field's name may have to be told when the field is
// gone.
var fieldWords = union(billingWords, wordSet(`
	account admin analytics app avatar browser cascade chat client command commit config configs data default
	description dimensions disable display email feature file fingerprint first generate group has host id ignore
	image index info installation invite jump key knowledge label labels last link local login member members
	message metadata name number org organization override owner permissions phone picture profile promo reason role seat
	seats seen set setting settings sign sorts subscription support tab team telemetry url user uid version web
	webapp windsurf workspace`))

// planWords are those of plans and tiers that everybody can have. A company's own
// plan may go by its name.
var planWords = wordSet(`
	annual basic business code core credits custom devin edition education enterprise flex for free hosted hybrid
	individual legacy lite max monthly plan plus pooled premium pro quota saas self serve standard starter student
	students team teams tier trial ultimate unlimited unset unspecified v waitlist windsurf yearly`)

// modelWords are those of public models and of who makes and runs them.
var modelWords = wordSet(`
	adaptive alias alpha amazon anthropic api arena auto b base bedrock beta byok cascade cerebras chat claude cloud
	code codeium coder codex cognition command deepseek default devin extra fast fireworks flash free gateway gemini
	gemma glm google gpt grok groq haiku high image internal k kimi large latest legacy lite llama low m
	max maverick medium meta mini minimax minimal mistral model moonshot nano no none novita o online open openai
	opus oss own key preview previous priority private pro provider qwen r reasoning recommended scout
	slow small sonnet spark spec super swe thinking tiny together turbo ultra unspecified v vertex vision vista
	with windsurf x xai xhigh z zai`)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

func union(a, b map[string]bool) map[string]bool {
	both := maps.Clone(a)
	maps.Copy(both, b)
	return both
}

// Bounds of what is made of words: no plan's, model's or field's name is longer,
// and a number of somebody is.
const (
	maxMade       = 64
	maxMadeDigits = 8
)

// madeOf reports whether a text consists of words of a vocabulary and of the digits
// of a version, as in "GPT-5.4 (High)", "dailyQuotaResetAtUnix" or "TEAMS_TIER_PRO".
func madeOf(text string, vocabulary map[string]bool) bool {
	if len(text) > maxMade {
		return false
	}
	digits, words, start := 0, 0, 0
	ends := func(end int) bool { // of a word, or of nothing
		word := strings.ToLower(text[start:end])
		if word != "" {
			words++
		}
		return word == "" || vocabulary[word]
	}
	upper := func(i int) bool { return i >= 0 && i < len(text) && text[i] >= 'A' && text[i] <= 'Z' }
	lower := func(i int) bool { return i >= 0 && i < len(text) && text[i] >= 'a' && text[i] <= 'z' }
	for i := range len(text) {
		switch c := text[i]; {
		case lower(i):
		case upper(i):
			// A word begins at a capital after a small letter: dailyQuota.
			if lower(i - 1) {
				if !ends(i) {
					return false
				}
				start = i
			}
		case c >= '0' && c <= '9':
			digits++
			fallthrough
		case strings.IndexByte(" -_.()+", c) >= 0:
			if !ends(i) {
				return false
			}
			start = i + 1
		default:
			return false
		}
	}
	return ends(len(text)) && words > 0 && digits <= maxMadeDigits
}

// isField reports whether a field's name consists of words of a vocabulary.
func isField(name string, vocabulary map[string]bool) bool {
	return !strings.ContainsAny(name, " -.()+") && madeOf(name, vocabulary)
}
