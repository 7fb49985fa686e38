package clean

import (
	"fmt"
	"time"

	"github.com/dustin/go-humanize"
)

// AgeWords words a cascade's age: in days, or in hours below two days.
func AgeWords(age time.Duration) string {
	switch {
	case age < time.Hour:
		return "less than an hour"
	case age < 2*Day:
		return Counted(int(age/time.Hour), "hour")
	default:
		return Counted(int(age/Day), "day")
	}
}

// Counted is "1 hour" or "2 hours".
func Counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return humanize.Comma(int64(n)) + " " + noun
}

// SizeWords words a size in bytes.
func SizeWords(bytes int64) string {
	return humanize.Bytes(uint64(max(bytes, 0)))
}

// SizeWords words the cascade's disk space.
func (i Item) SizeWords() string {
	if !i.BytesKnown {
		return "unknown"
	}
	return SizeWords(i.Bytes)
}

// Reason is why some cascades stay, in words, such as "archived already".
type Reason struct {
	Count int    `json:"count"`
	Words string `json:"words"`
}

// Reasons are those that apply to any cascade.
func (k *Kept) Reasons() []Reason {
	reasons := []Reason{}
	for _, r := range []Reason{
		{k.Running, "running"},
		{k.Archived, "archived already"},
		{k.Hidden, "hidden"},
		{k.Newest, "among the newest"},
		{k.Recent, "touched lately"},
		{k.UnknownTime, "of unknown time"},
		{k.UnusableID, "with an unusable id"},
	} {
		if r.Count > 0 {
			reasons = append(reasons, r)
		}
	}
	return reasons
}

// Words tell the result of a run.
func (r Result) Words() string {
	text := "Nothing was archived."
	if n := len(r.Archived); n > 0 {
		text = "Archived " + Counted(n, "cascade")
		switch {
		case !r.BytesKnown:
			text += ". What that has freed on disk is not known."
		case r.BytesFreed == 0:
			text += ". So far that has freed nothing on disk."
		default:
			text += ", which has freed " + SizeWords(r.BytesFreed) + " on disk."
		}
	}
	if r.Changed > 0 {
		text += fmt.Sprintf(" %d had changed since and stayed.", r.Changed)
	}
	return text
}

// Words tell the result of an undo.
func (r UndoResult) Words() string {
	text := "Nothing was put back."
	if n := len(r.Restored); n > 0 {
		text = Counted(n, "cascade") + " put back into the editor's list."
	}
	if n := len(r.Gone); n > 0 {
		text += fmt.Sprintf(" %d not there any more.", n)
	}
	return text
}
