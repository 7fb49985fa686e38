// Package account defines made-up accounts: their credits and quotas, their resets, the
// cost of a prompt, and their use in a time-lapse. It knows nothing of servers.
package account

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	pb "windsock/probe/languageserver"
)

// A Scenario is a made-up account in a certain situation.
type Scenario struct {
	Name  string
	About string // one line, for people
	// plan is nil where no user is signed in.
	plan func(Clock) *pb.PlanStatus
	// window is the main window in a time-lapse; zero is the billing cycle.
	window time.Duration
	// pace is how fast a time-lapse uses it up.
	pace pace
	// onTop moves the plan information to the top of the response. For a plan by quota
	// or ACUs it is in both places, for other plans below only (PROTOCOL.md 3.1).
	onTop bool
}

// Scenarios returns all scenarios, the one of the zero Config first.
func Scenarios() []Scenario {
	return slices.Clone(scenarios)
}

// scenarios is the table of all accounts. Where a real response is known, the figures
// are those in the tests of other projects: Teams with 47 of 500 credits used, Max with
// 964.22 USD.
var scenarios = []Scenario{
	{
		// The shape of January 2026: no billing strategy yet.
		Name: "teams_credits", About: "Teams, 47 of 500 credits used, half-way through the cycle",
		pace: pace{perDay: 4000},
		plan: func(c Clock) *pb.PlanStatus {
			p := c.credits(info(pb.TeamsTier_TEAMS_TIER_TEAMS, "Teams", 0), 4700, 16*day)
			p.AvailableFlowCredits, p.AvailableFlexCredits, p.UsedFlexCredits = 120000, 2675000, 175550
			return p
		},
	},
	{
		Name: "pro_low", About: "Pro, 80 credits left for the last two days of the cycle",
		pace: pace{perDay: 3000},
		plan: func(c Clock) *pb.PlanStatus { return c.credits(proInfo(), 42000, 29*day) },
	},
	{
		Name: "pro_near_end", About: "Pro, 15 credits left for the last two days of the cycle",
		pace: pace{perDay: 1000},
		plan: func(c Clock) *pb.PlanStatus { return c.credits(proInfo(), 48500, 29*day) },
	},
	{
		Name: "exhausted", About: "Pro, prompt and flex credits used up, twelve days to go",
		pace: pace{perDay: 2000},
		plan: func(c Clock) *pb.PlanStatus {
			p := c.credits(proInfo(), 50000, 19*day)
			p.AvailableFlexCredits, p.UsedFlexCredits = 25000, 25000
			p.TopUpStatus = &pb.TopUpStatus{TopUpTransactionStatus: pb.TransactionStatus_TRANSACTION_STATUS_NO_ACTIVE}
			return p
		},
	},
	{
		Name: "unlimited", About: "Enterprise, no limit on anything",
		plan: func(c Clock) *pb.PlanStatus {
			p := c.cycle(noCredits(&pb.PlanStatus{
				PlanInfo:          info(pb.TeamsTier_TEAMS_TIER_ENTERPRISE_SAAS, "Enterprise", pb.BillingStrategy_BILLING_STRATEGY_CREDITS),
				UsedPromptCredits: 81200,
			}), 10*day)
			p.PlanInfo.IsEnterprise = true
			p.PlanInfo.MonthlyPromptCredits = -1
			return p
		},
	},
	{
		Name: "quota_fresh", About: "Pro, daily and weekly quota untouched",
		pace:   pace{perDay: 120 * percent, daysPerWeek: 5},
		window: day,
		plan: func(c Clock) *pb.PlanStatus {
			return c.quota(pb.TeamsTier_TEAMS_TIER_DEVIN_PRO, "Pro", 100, 100, 23*time.Hour, 6*day+20*time.Hour)
		},
	},
	{
		Name: "quota_tight", About: "Pro, 8 % of the day and 12 % of the week left, extra usage at hand",
		pace:   pace{perDay: 108 * percent, daysPerWeek: 4, extra: extra{price: 90_000, deposit: 12_500_000}},
		window: day,
		plan: func(c Clock) *pb.PlanStatus {
			p := c.quota(pb.TeamsTier_TEAMS_TIER_DEVIN_PRO, "Pro", 8, 12, 9*time.Hour, 2*day+9*time.Hour)
			p.OverageBalanceMicros = 12_500_000
			return p
		},
	},
	{
		Name: "quota_weekly_exhausted", About: "Max, the week is used up: its percentage is zero, hence not sent",
		pace:   pace{perDay: 96 * percent, daysPerWeek: 4, extra: extra{price: 250_000, deposit: 964_220_000}},
		window: week,
		plan: func(c Clock) *pb.PlanStatus {
			p := c.quota(pb.TeamsTier_TEAMS_TIER_DEVIN_MAX, "Max", 100, 0, 12*time.Hour, 3*day+12*time.Hour)
			p.OverageBalanceMicros = 964_220_000
			return p
		},
	},
	{
		Name: "quota_hidden_daily", About: "Max, the daily window is not to be shown",
		pace:   pace{perDay: 75 * percent, daysPerWeek: 5},
		window: week,
		plan: func(c Clock) *pb.PlanStatus {
			p := c.quota(pb.TeamsTier_TEAMS_TIER_DEVIN_MAX, "Max", 100, 94, 12*time.Hour, 5*day+12*time.Hour)
			p.PlanInfo.HideDailyQuota = true
			return p
		},
	},
	{
		Name: "quota_debt", About: "Pro, the day is used up, 1.50 USD owed, grace period running",
		pace:   pace{perDay: 108 * percent, daysPerWeek: 4, extra: extra{price: 41_000, overdraft: 10_000_000, deposit: 2_000_000}},
		window: day,
		plan: func(c Clock) *pb.PlanStatus {
			p := c.quota(pb.TeamsTier_TEAMS_TIER_DEVIN_PRO, "Pro", 0, 35, 6*time.Hour, 3*day+6*time.Hour)
			p.OverageBalanceMicros = -1_500_000
			p.GracePeriodStatus = pb.GracePeriodStatus_GRACE_PERIOD_STATUS_ACTIVE
			p.GracePeriodEnd = timestamppb.New(c.next(graceLeft, month))
			return p
		},
	},
	{
		// The server sends the plan information only at the top of the response.
		Name: "quota_plan_on_top", About: "Teams on quota, plan information at the top of the answer", onTop: true,
		pace:   pace{perDay: 65 * percent, daysPerWeek: 5},
		window: day,
		plan: func(c Clock) *pb.PlanStatus {
			return c.quota(pb.TeamsTier_TEAMS_TIER_DEVIN_TEAMS, "Teams", 42, 87, 9*time.Hour, 4*day+9*time.Hour)
		},
	},
	{
		Name: "acu", About: "Devin Teams, 1,234.5678 of 10,000 ACUs used",
		pace: pace{perDay: 1_500_000},
		plan: func(c Clock) *pb.PlanStatus {
			p := c.cycle(noCredits(&pb.PlanStatus{
				PlanInfo:          info(pb.TeamsTier_TEAMS_TIER_DEVIN_TEAMS_V2, "Devin Teams", pb.BillingStrategy_BILLING_STRATEGY_ACU),
				UsedPromptCredits: -1,
				UsedFlexCredits:   -1,
				AcuConsumed:       new(1234.5678),
				AcuLimit:          new(10000.0),
			}), 8*day)
			p.PlanInfo.MonthlyPromptCredits = -1
			p.PlanInfo.MonthlyFlexCreditPurchaseAmount = -1
			p.PlanInfo.IsDevin = true
			return p
		},
	},
	{
		// The only known live response of a free plan names no strategy and no cycle.
		Name: "free", About: "Free, 60 % of the week left",
		pace:   pace{perDay: 120 * percent, daysPerWeek: 3},
		window: day,
		plan: func(c Clock) *pb.PlanStatus {
			p := c.quota(pb.TeamsTier_TEAMS_TIER_DEVIN_FREE, "Free", 100, 60, 10*time.Hour, 3*day+10*time.Hour)
			p.PlanStart, p.PlanEnd = nil, nil
			p.PlanInfo.BillingStrategy = 0
			p.PlanInfo.HasPaidFeatures = false
			p.AvailablePromptCredits, p.AvailableFlowCredits, p.AvailableFlexCredits = 0, 0, 0
			return p
		},
	},
	{
		Name: "signed_out", About: "nobody is signed in",
	},
}

// Named returns the scenario with that name. The error lists the existing names.
func Named(name string) (Scenario, error) {
	names := make([]string, 0, len(scenarios))
	for _, s := range scenarios {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return Scenario{}, fmt.Errorf("unknown scenario %q, want one of %s", name, strings.Join(names, ", "))
}

// Answer is the response to GetUserStatus for the owner; nil if no user is signed in.
func (s Scenario) Answer(c Clock, owner Person) *pb.GetUserStatusResponse {
	if s.plan == nil {
		return nil
	}
	plan := s.plan(c)
	if pace := s.pace; c.Spending || c.Resets {
		if !c.Spending {
			pace.perDay = 0
		}
		c.spend(plan, pace)
	}
	c.bill(plan)
	answer := &pb.GetUserStatusResponse{UserStatus: &pb.UserStatus{
		Pro:                       plan.GetPlanInfo().GetHasPaidFeatures(),
		Name:                      owner.Name(),
		Email:                     owner.Email(),
		UserId:                    owner.ID(),
		TeamId:                    "team-example",
		TeamStatus:                pb.UserTeamStatus_USER_TEAM_STATUS_APPROVED,
		TeamsTier:                 plan.GetPlanInfo().GetTeamsTier(),
		HasFingerprintSet:         true,
		HasUsedWindsurf:           true,
		MaxNumPremiumChatMessages: plan.GetPlanInfo().GetMaxNumPremiumChatMessages(),
		UserUsedPromptCredits:     int64(max(plan.GetUsedPromptCredits(), 0)),
		PlanStatus:                plan,
		CascadeModelConfigData:    Models(),
	}}
	switch billing := plan.GetPlanInfo().GetBillingStrategy(); {
	case s.onTop:
		answer.PlanInfo, plan.PlanInfo = plan.GetPlanInfo(), nil
	case billing == pb.BillingStrategy_BILLING_STRATEGY_QUOTA, billing == pb.BillingStrategy_BILLING_STRATEGY_ACU:
		answer.PlanInfo = proto.CloneOf(plan.GetPlanInfo()) // clients read either one
	}
	return answer
}

// proInfo is the Pro plan as it was when billed by credits.
func proInfo() *pb.PlanInfo {
	return info(pb.TeamsTier_TEAMS_TIER_PRO, "Pro", pb.BillingStrategy_BILLING_STRATEGY_CREDITS)
}

func info(tier pb.TeamsTier, name string, billing pb.BillingStrategy) *pb.PlanInfo {
	return &pb.PlanInfo{
		TeamsTier:                          tier,
		PlanName:                           name,
		BillingStrategy:                    billing,
		IsTeams:                            strings.Contains(name, "Teams"),
		HasAutocompleteFastMode:            true,
		AllowStickyPremiumModels:           true,
		AllowPremiumCommandModels:          true,
		MaxNumPremiumChatMessages:          -1,
		MaxNumChatInputTokens:              16384,
		MaxCustomChatInstructionCharacters: 600,
		MaxNumPinnedContextItems:           -1,
		MaxLocalIndexSize:                  10000,
		CanBuyMoreCredits:                  true,
		CascadeWebSearchEnabled:            true,
		CascadeCanAutoRunCommands:          true,
		HasTabToJump:                       true,
		CanGenerateCommitMessages:          true,
		KnowledgeBaseEnabled:               true,
		CanAllowCascadeInBackground:        true,
		BrowserEnabled:                     true,
		HasPaidFeatures:                    true,
		DevinInfo:                          &pb.DevinPlanInfo{CanUseCascade: true, CanUseCli: true},
	}
}

// noCredits marks the credit pools as not applicable.
func noCredits(p *pb.PlanStatus) *pb.PlanStatus {
	p.AvailablePromptCredits, p.AvailableFlowCredits, p.AvailableFlexCredits = -1, -1, -1
	return p
}
