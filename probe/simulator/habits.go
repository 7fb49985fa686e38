package simulator

import "time"

// habits are those of the scenarios' people, chosen so that each lapse has a
// story that shows within a minute or a few. Who has none does not use the
// account: "unlimited" has nothing to lose.
var habits = map[string]habit{
	// The release is two weeks off: low on the second Thursday (14 s), critical from
	// Friday on (16 s), flex credits on Monday (22 s), and the reset on the next
	// Friday (29 s). The month after it runs out shortly before its end (84 s), and the
	// one after that does not.
	"teams_credits": {
		weekday: time.Thursday, hour: 8, perHour: 300, hotDays: 7,
		phases: []phase{{15, 228}, {31, 100}, {31, 55}, {16, 100}},
	},
	// Low from the beginning, and critical on the day before the reset.
	"pro_low": {weekday: time.Thursday, hour: 8, perHour: 400, hotDays: 6},
	// The last credits go on Friday, hours before the reset. Then a sprint of two
	// weeks that would not last, and a holiday in which it does.
	"pro_near_end": {
		weekday: time.Thursday, hour: 8, perHour: 400, hotDays: 6,
		phases: []phase{{2, 40}, {16, 100}, {11, 0}, {4, 40}, {29, 80}},
	},
	// There is nothing until the reset. The month then does not last either, with
	// no flex credits to go on with.
	"exhausted": {weekday: time.Monday, hour: 8, perHour: 330, hotDays: 8},
	// An untouched day is used up late in the evening; on a quieter one something is
	// left, and at the week's end little of that.
	"quota_fresh": {
		weekday: time.Monday, hour: 9, hours: long, perHour: 9_000_000, hotDays: 5, daysPerWeek: 5,
	},
	// The day is used up within the hour, and it goes on as extra usage. So it does
	// on the next day with the week, until nothing of the balance is left.
	"quota_tight": {
		weekday: time.Tuesday, hour: 14, hours: long, perHour: 9_000_000, hotDays: 4, daysPerWeek: 4,
		extra: extra{price: 60_000, deposit: 12_500_000},
	},
	// Extra usage until the week's reset on Saturday.
	"quota_weekly_exhausted": {
		weekday: time.Tuesday, hour: 20, perHour: 12_000_000, hotDays: 4, daysPerWeek: 4,
		extra: extra{price: 250_000, deposit: 964_220_000},
	},
	// Extra hours until Friday, which leave enough; in the next week a sprint that
	// would not last, from Monday to Wednesday, and then hardly anything.
	"quota_hidden_daily": {
		weekday: time.Tuesday, hour: 20, perHour: 7_000_000, hotDays: 4, daysPerWeek: 5,
		phases: []phase{{6, 100}, {3, 130}, {5, 10}},
	},
	// Debt grows until the evening's reset, and again when the week is used up. It
	// is paid at the week's end, and begins anew in the next week.
	"quota_debt": {
		weekday: time.Tuesday, hour: 14, hours: long, perHour: 9_000_000, hotDays: 4, daysPerWeek: 4,
		extra: extra{price: 40_000, overdraft: 10_000_000, deposit: 2_000_000},
	},
	// A morning's sprint calms down, and then it is on course, day after day.
	"quota_plan_on_top": {
		weekday: time.Tuesday, hour: 14, hours: long, perHour: 3_500_000, daysPerWeek: 5,
	},
	// On course all the time.
	"acu": {weekday: time.Monday, hour: 8, perHour: 180_000, hotDays: 8},
	// A few hours of curiosity use up nearly a day, and two days nearly a week; the
	// rest of it there is nothing to be had.
	"free": {
		weekday: time.Tuesday, hour: 14, hours: []span{{14, 16}, {20, 21}}, daily: true,
		perHour: 45_000_000, daysPerWeek: 3,
	},
}
