package probe

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"windsock/probe/jsonpick"
	"windsock/probe/languageserver"
)

// An endless response costs no more than the longest readable one, for any status: then
// the connection is closed.
func TestEndlessAnswers(t *testing.T) {
	t.Parallel()
	for name, status := range map[string]int{"answer": 200, "connect_error": 500} {
		for method, want := range map[string]Code{"GetUserStatus": BadResponse, "GetUnleashData": NoPort} {
			t.Run(name+"_"+method, func(t *testing.T) {
				t.Parallel()
				written := make(chan int, 8)
				endless := func(w http.ResponseWriter, _ *http.Request) {
					answer(w, status, `{"code":"internal","message":"`)
					chunk, total := []byte(strings.Repeat("a", 1<<16)), 0
					for {
						n, err := w.Write(chunk)
						if total += n; err != nil || total > 1<<30 {
							break
						}
					}
					written <- total
				}
				server := rpc(t, endless)
				if method == "GetUnleashData" {
					server.Config.Handler = http.HandlerFunc(endless)
				}
				sys := windsurfAt(server.URL)
				_, _, err := sys.finder(t, testKey).UserStatus(t.Context(), Variants())
				if failure, ok := errors.AsType[*Failure](err); !ok || failure.code != want {
					t.Errorf("error = %v", err)
				}
				select {
				case total := <-written:
					if total > 2*maxMessage { // includes the system's buffers
						t.Errorf("%d MB were taken", total>>20)
					}
				case <-time.After(time.Minute):
					t.Error("the connection stays open")
				}
			})
		}
	}
}

// Nor does one of which little is picked go on for ever.
func TestEndlessPick(t *testing.T) {
	t.Parallel()
	written := make(chan int, 8)
	server := record(t, map[string]func(http.ResponseWriter){"StartCascade": func(w http.ResponseWriter) {
		answer(w, http.StatusOK, `{"cascadeId":"c1","x":"`)
		chunk, total := []byte(strings.Repeat("a", 1<<16)), 0
		for total < 2*maxPicked {
			n, err := w.Write(chunk)
			if total += n; err != nil {
				break
			}
		}
		written <- total
	}})
	rpc := RPC{Procedure: startProcedure, Pick: jsonpick.Fields{"cascadeId": nil}}
	_, err := Call[languageserver.StartCascadeRequest, RawJSON](t.Context(), open(t, windsurfAt(server.URL)), rpc, startCascade)
	if failure, ok := errors.AsType[*Failure](err); !ok || failure.code != BadResponse {
		t.Errorf("error = %v", err)
	}
	select {
	case total := <-written:
		if total > maxPicked+maxMessage { // includes the system's buffers
			t.Errorf("%d MB were taken", total>>20)
		}
	case <-time.After(time.Minute):
		t.Error("the connection stays open")
	}
}
