package agy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// fakeAgy is the variable that makes this test's program an agy, and says which.
const fakeAgy = "WINDSOCK_TEST_AGY"

// saw is what a fake agy was started with.
type saw struct {
	Args          []string
	Files, Input  int
	Mode, Session string
	Tokens        []string
}

func TestMain(m *testing.M) {
	if how := os.Getenv(fakeAgy); how != "" {
		os.Exit(beAgy(how))
	}
	os.Exit(m.Run())
}

// beAgy is the fake agy. It adds a line to the file AGY_RUNS.
func beAgy(how string) int {
	if list, err := os.OpenFile(os.Getenv("AGY_RUNS"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
		_, _ = list.WriteString("run\n")
		_ = list.Close()
	}
	switch how {
	case "hang", "hang_child":
		if how == "hang_child" { // one that keeps the output open
			child := exec.Command(os.Args[0])
			child.Env = append(os.Environ(), fakeAgy+"=hang")
			child.Stdout = os.Stdout
			if child.Start() != nil {
				return 2
			}
			fmt.Println(child.Process.Pid)
			_ = os.WriteFile(os.Getenv("AGY_CHILD"), []byte(fmt.Sprint(child.Process.Pid)), 0o600)
		}
		time.Sleep(20 * time.Second)
	case "long": // an answer, were it not for the limit
		fmt.Println(`{"status":"SUCCESS","command":{"data":{"groups":[{"buckets":[{"id":"gemini-5h","remaining_fraction":0.5}]}]}}}`)
		if _, err := os.Stdout.Write(bytes.Repeat([]byte("\n"), 4*maxUsage)); err != nil {
			return 1
		}
	case "saw":
		input, _ := io.ReadAll(os.Stdin)
		entries, _ := os.ReadDir(".")
		info, _ := os.Stat(".")
		s := saw{Args: os.Args[1:], Files: len(entries), Input: len(input), Mode: info.Mode().Perm().String()}
		for _, variable := range os.Environ() {
			if strings.Contains(variable, "secret-token") {
				s.Tokens = append(s.Tokens, variable)
			}
		}
		text, _ := json.Marshal(s) //nolint:errchkjson // strings and numbers do not fail
		_ = os.WriteFile(os.Getenv("AGY_SAW"), text, 0o600)
		_ = os.WriteFile("left", nil, 0o600) // is removed
	default: // "CODE TEXT"
		code, text, _ := strings.Cut(how, " ")
		fmt.Print(text)
		fmt.Fprint(os.Stderr, "secret of agy")
		return len(code) - 1 // "0" is 0, "01" is 1
	}
	return 0
}
