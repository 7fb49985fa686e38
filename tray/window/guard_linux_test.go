package window

import (
	"net/http"
	"strings"
	"testing"

	"windsock/probe/probetest"
)

// Another account is refused with everything that it could have read.
func TestOtherAccount(t *testing.T) {
	t.Parallel()
	p := show(t, &fake{}, nil)
	for _, args := range [][]string{
		{"-d", "t=" + p.ticket(), "http://" + p.listen + "/enter"},
		{"-H", "Cookie: " + p.window.served.cookie.Name + "=" + p.window.served.cookie.Value, "http://" + p.listen + "/api/hello"},
	} {
		if got := probetest.Curl(t, probetest.Nobody, append([]string{"-H", "Host: " + p.host}, args...)...); !strings.Contains(got, "foreign_user") {
			t.Errorf("%q: %s", args[len(args)-1], got)
		}
	}
	if got := p.do("POST", "/enter", "t="+p.ticket(), nil); got.status != http.StatusNoContent {
		t.Errorf("the ticket was spent: %+v", got)
	}
}
