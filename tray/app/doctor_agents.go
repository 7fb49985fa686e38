package app

import (
	"context"
	"errors"
	"strings"
	"time"

	"windsock/chat"
	"windsock/chat/acp"
	"windsock/probe/doctor"
)

// checkAgents says what is known of the agents. The one that the settings name is asked
// for its version and its login, without a session. Another one is not started; it is
// left out where it is not.
func (p parts) checkAgents(agents *agents) func(context.Context) []doctor.Step {
	return func(ctx context.Context) (steps []doctor.Step) {
		s, _ := p.chatSettings() // the check of the settings reports the error
		for _, id := range chat.Engines()[1:] {
			engine, err := agents.of(id, s.Agent)
			if err != nil {
				continue // there is no command
			}
			start := time.Now()
			step := doctor.Step{OK: true}
			if id == s.Engine {
				step = examineAgent(ctx, engine)
			} else if path, err := engine.Program(); err == nil {
				step.Finding = "is at " + path + "; not asked, since chat.engine does not name it"
			} else {
				continue
			}
			step.Name, step.Duration = id, time.Since(start)
			steps = append(steps, step)
		}
		return steps
	}
}

// examineAgent asks the program for its version and its login.
func examineAgent(ctx context.Context, engine *acp.Engine) doctor.Step {
	about, err := engine.About(ctx)
	if failure, ok := errors.AsType[*chat.Failure](err); ok {
		told := failure.Tell()
		return doctor.Step{Finding: strings.TrimSuffix(told.What, "."), Cure: told.Cure}
	} else if err != nil {
		return doctor.Step{Finding: "could not be asked in time"}
	}
	step := doctor.Step{OK: true, Finding: "is at " + about.Path + ", and does not tell its version"}
	if about.Version != "" {
		step.Finding = "is at " + about.Path + ", " + about.Version
	}
	switch {
	case about.Status == "":
		step.Finding += "; whether it is signed in is not known before a prompt"
	case about.SignedIn:
		step.Finding += "; signed in"
	default:
		step.OK = false
		step.Finding += "; not signed in, says " + about.Status
		step.Cure = engine.Login()
	}
	return step
}
