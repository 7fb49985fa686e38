package cascade

import (
	"encoding/json"
	"testing"

	"github.com/tidwall/gjson"
)

// BenchmarkPoll is one poll of a turn of a megabyte, from the server's answer in
// JSON to what is new in it. Every other poll takes back what grew.
func BenchmarkPoll(b *testing.B) {
	var answers [2][]byte
	for i, end := range []string{"now", "now it grows"} {
		answer, err := json.Marshal(map[string]any{"transcript": longTurn(101, end), "numTotalSteps": 102})
		if err != nil {
			b.Fatal(err)
		}
		answers[i] = answer
	}
	f, client := newFollower("hi"), &Client{}
	f.transcript(longTurn(101, "now it grows"))
	b.SetBytes(int64(len(answers[0])))
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		answer := answers[n%2]
		if err := client.errorInside(answer); err != nil {
			b.Fatal(err)
		}
		if len(f.transcript(gjson.GetBytes(answer, "transcript").String())) == 0 {
			b.Fatal("nothing new")
		}
	}
}
