// Package pace judges whether a meter lasts: [Judge] computes it as of the time of the
// figures, from the figures, what was seen before ([History]) and the work days.
//
// It takes what the person usually uses in such a window, and what was used in this one,
// equally seriously. How far other people's rest strayed from that gives the range and
// the chance.
//
// # What is expected
//
// Past windows of the same length count by their age: half as much for each 45 days.
// What is usually used is their weighted mean, beside half a window of what most people
// use. Shares of the total are meant everywhere, of each window's own. Of a window that
// was used up, only the time until then counts; a window that nobody saw, between two
// that were seen, was not used; but days off do not count, nor does time without a window
// where windows begin with their first use. With k for the weight of
// the usual use, which is that of at most one window (of two days), and f for the elapsed
// share,
//
//	rest = (k·usual + used) / (k + f) · (1 − f)
//
// In a day, f is the share of the day's usual use that is over, by the hours at which the
// person and all people work. With work days set, no other time counts.
//
// The rest of 151 people strayed from that by factors whose quantiles are in the tables
// of strays.go. They make the projection, its range and the chance to run out.
//
// # Verdicts
//
// A figure alone gives used_up, too_early (in the first 2 % of a window and its first 15
// minutes) and unused. Otherwise the chance to run out decides:
//
//	            runs_out from   tight from
//	cycle       60 %            35 %          longer than 10 days
//	week        55 %            30 %          2 to 10 days
//	day         54 %            30 %          8 hours to 2 days
//	hours       70 %            40 %          shorter; borrowed from the day
//
// A window of a day or less is not runs_out but tight, with the reason "fast day" or "fast
// hours". Either verdict is left only when the chance has fallen 12 points below. What was
// said before is not stored: it follows from the samples of the window, so that all who
// read the same history say the same.
//
// # How good it is
//
// Held against the windows of 151 real people, whom the tables are from: by how many
// points of the total the projection is off, and in brackets use by time; the Brier score
// of the chance; how many outcomes are in the range, where all that is used beyond the
// total is the same; how many looks warn in a window that lasts; how many windows that
// run out were warned of a day ahead (in a day, an hour); and how often the verdict
// changes in a window.
//
//	        off by        Brier   in range   false   warned   changes
//	cycle   12.4 (15.1)   0.162   90 %       14 %    79 %     1.2
//	week    16.7 (19.4)   0.192   93 %       20 %    59 %     0.6
//	day     21.3 (23.1)   0.215   99 %       23 %    43 %     0.3
//
// The chances come true. Of the looks at which the chance to run out was said to be from
// 0 to 10, 10 to 20 … 90 to 100 %, so many in 100 did:
//
//	cycle   8   16   26   35   48   60   64   72   87   96
//	week    7   19   27   35   43   52   61   72   80   92
//	day     5   18   26   34   42   50   60   72    –    –
//
// TestForecast makes such a comparison with made-up people.
package pace
