package cloud

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/tidwall/gjson"
)

// dashboard is Cursor's service that knows what is left of a plan (PROTOCOL.md 10.2).
const dashboard = "/aiserver.v1.DashboardService/"

// The members of Cursor's answer: methods of the dashboard, and the older call for plans
// that count requests.
const (
	currentPeriod = "GetCurrentPeriodUsage"
	planInfo      = "GetPlanInfo"
	hardLimit     = "GetHardLimit"
	requestUsage  = "usage"
)

// askCursor asks what is used each time, and what changes seldom once a day.
func (s *service) askCursor(ctx context.Context, q Question, with credential) ([]byte, *Failure) {
	if q.BeforeOf == nil || !q.BeforeOf(gjson.ParseBytes(with.user).String()) {
		q.Before, q.BeforeAt = nil, time.Time{}
	}
	bearer := func(h http.Header) { h.Set("Authorization", "Bearer "+with.token.Reveal()) }
	ask := func(method string, message []byte) ([]byte, *Failure) {
		return s.call(ctx, dashboard+method, message, bearer)
	}
	used, failure := ask(currentPeriod, []byte("{}"))
	if failure != nil {
		return nil, failure
	}
	whose := []byte("{}") // the message that asks for the user's own, or for the seat in a team
	if noPlanOfTheirOwn(used) {
		seat, message, failure := teamSeat(ask)
		if failure != nil {
			return nil, failure
		}
		if seat != nil {
			used, whose = seat, message
		}
	}
	answer := map[string]json.RawMessage{currentPeriod: used}
	fresh := sameDay(q.BeforeAt, s.now()) && sameCycle(q.Before, used)
	if needed := !hasShares(used) || countsRequests(gjson.GetBytes(q.Before, requestUsage)); needed || !fresh {
		counted, failure := s.call(ctx, "/auth/usage", nil, bearer)
		switch {
		case failure == nil && (needed || countsRequests(gjson.ParseBytes(counted))):
			answer[requestUsage] = counted
		case failure != nil && needed && !failure.bearable():
			return nil, failure
		}
	}
	if with.user != nil {
		answer["user"] = with.user
	}
	s.addSeldom(answer, q.Before, fresh, func(method string) ([]byte, *Failure) {
		if method == planInfo {
			return ask(method, []byte("{}"))
		}
		return ask(method, whose)
	})
	raw, err := json.Marshal(answer)
	if err != nil {
		return nil, s.failed(BadResponse, "", nil)
	}
	return raw, nil
}

// addSeldom adds the plan's name and whether more can be bought: from the last answer, or
// asked for anew once a day and in a new cycle. The figures are worth showing without them.
func (s *service) addSeldom(answer map[string]json.RawMessage, last []byte, fresh bool, ask func(method string) ([]byte, *Failure)) {
	for _, method := range []string{planInfo, hardLimit} {
		before := gjson.GetBytes(last, method)
		if !fresh || !before.IsObject() {
			if said, failure := ask(method); failure == nil {
				answer[method] = said
				continue
			}
		}
		if before.IsObject() {
			answer[method] = json.RawMessage(before.Raw)
		}
	}
}

func sameDay(a, b time.Time) bool {
	return a.UTC().Truncate(24 * time.Hour).Equal(b.UTC().Truncate(24 * time.Hour))
}

// sameCycle reports whether two answers are of one billing cycle. A seat of a team has
// none in an answer about the user alone: it begins and ends now.
func sameCycle(before, used []byte) bool {
	was := gjson.GetBytes(before, currentPeriod)
	return noPlanOfTheirOwn(used) || was.Get("billingCycleEnd").Int() == gjson.GetBytes(used, "billingCycleEnd").Int()
}

// noPlanOfTheirOwn reports whether an answer is that of a seat in a team, which has no
// plan of its own: no usage, and a cycle that ends as it begins (PROTOCOL.md 10.2).
func noPlanOfTheirOwn(used []byte) bool {
	fields := gjson.GetManyBytes(used, "planUsage", "billingCycleStart", "billingCycleEnd")
	return !fields[0].IsObject() && fields[1].String() != "" && fields[1].String() == fields[2].String()
}

// teamSeat asks for the figures of the seat in the user's team, and returns the message
// that has asked. Nothing comes of several teams: none of them is known to be the one.
func teamSeat(ask func(method string, message []byte) ([]byte, *Failure)) (seat, message []byte, failure *Failure) {
	teams, failure := ask("GetTeams", []byte("{}"))
	if failure != nil {
		return nil, nil, failure.unlessBearable()
	}
	ids := gjson.GetBytes(teams, "teams.#.id").Array()
	if len(ids) != 1 || ids[0].Int() <= 0 {
		return nil, nil, nil
	}
	message = fmt.Appendf(nil, `{"teamId":%d}`, ids[0].Int())
	seat, failure = ask(currentPeriod, message)
	if failure != nil {
		return nil, nil, failure.unlessBearable()
	}
	return seat, message, nil
}

// countsRequests reports whether the plan has an allowance of requests, for any model.
func countsRequests(counted gjson.Result) (counts bool) {
	counted.ForEach(func(_, model gjson.Result) bool {
		counts = counts || model.Get("maxRequestUsage").Int() > 0
		return !counts
	})
	return counts
}

// hasShares reports whether an answer has percentages. Few plans with them count requests
// too, so that those are asked for once a day only.
func hasShares(used []byte) bool {
	for _, name := range []string{"autoPercentUsed", "apiPercentUsed", "totalPercentUsed"} {
		if v := gjson.GetBytes(used, "planUsage."+name); v.Exists() && v.Type != gjson.Null {
			return true
		}
	}
	return false
}

// bearable reports whether the other calls of a question still mean what they say after
// this failure: the method is not for this account. A service in trouble says nothing of
// that, and what the other calls tell would take the place of the last figures.
func (f *Failure) bearable() bool {
	return f.Code == Unsupported || f.Code == Refused || f.Code == BadResponse
}

func (f *Failure) unlessBearable() *Failure {
	if f.bearable() {
		return nil
	}
	return f
}
