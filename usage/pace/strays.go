package pace

// knots are elapsed shares of a window, and levels are shares of people. The tables
// below hold, for each knot, the factor by which the rest of a window strayed from what
// was expected, at each level: one person in ten stays below the second figure of a
// line. They were read off 151 people who are unknown to this program otherwise.
var (
	knots  = [...]float64{.05, .20, .45, .75, .95}
	levels = [...]float64{.02, .1, .2, .3, .4, .5, .6, .7, .8, .9, .98}

	cycleStrays = [len(knots)][len(levels)]float64{
		{.13, .35, .54, .69, .84, 1, 1.19, 1.43, 1.71, 2.32, 4.13},
		{.11, .35, .54, .69, .85, 1.01, 1.21, 1.44, 1.74, 2.32, 3.84},
		{.06, .29, .47, .66, .83, 1.01, 1.2, 1.49, 1.86, 2.42, 4.3},
		{0, .12, .32, .5, .72, .95, 1.24, 1.61, 2.14, 3.17, 6.42},
		{0, 0, 0, 0, .16, .39, .79, 1.32, 2.26, 3.95, 11.67},
	}
	weekStrays = [len(knots)][len(levels)]float64{
		{0, .15, .36, .57, .8, 1.08, 1.43, 1.82, 2.41, 3.87, 8.78},
		{0, .15, .4, .64, .88, 1.17, 1.54, 1.98, 2.65, 4.1, 8.47},
		{0, .02, .22, .45, .69, .98, 1.35, 1.82, 2.5, 3.97, 8.98},
		{0, 0, 0, 0, .2, .46, .81, 1.29, 2.06, 3.75, 10.13},
		{0, 0, 0, 0, 0, 0, 0, .78, 2.11, 5.67, 32.68},
	}
	dayStrays = [len(knots)][len(levels)]float64{
		{0, 0, 0, .31, .58, .95, 1.45, 2.08, 3.25, 5.4, 11.91},
		{0, 0, 0, .31, .62, 1.03, 1.57, 2.33, 3.63, 6.43, 15.51},
		{0, 0, 0, .12, .55, 1.08, 1.85, 3, 4.86, 8.89, 22.43},
		{0, 0, 0, 0, 0, 1.04, 2.23, 4.01, 7.26, 15.55, 48.93},
		{0, 0, 0, 0, 0, 0, 0, .69, 5.68, 17.87, 93.08},
	}
)

// The places in levels of the ends of the range, one in ten on each side, and of the
// median.
const (
	lowLevel, median, highLevel = 1, 5, 9
)

// outlook is what may be used in a window, in shares of its total.
type outlook struct {
	// used is what is used, rest what is expected to be used until the reset.
	used, rest float64
	// strays are the factors of rest, at each level.
	strays [len(levels)]float64
}

// straysAt are the factors at an elapsed share: on a straight line between the knots.
func (k *kind) straysAt(elapsed float64) (at [len(levels)]float64) {
	i := 1
	for i < len(knots)-1 && elapsed > knots[i] {
		i++
	}
	x := min(1, max(0, (elapsed-knots[i-1])/(knots[i]-knots[i-1])))
	for j := range at {
		at[j] = (1-x)*k.strays[i-1][j] + x*k.strays[i][j]
	}
	return at
}

// reaches is the share used at the reset, at a level.
func (o outlook) reaches(level int) float64 { return o.used + o.rest*o.strays[level] }

// chance is the chance that more than a share of the total is used at the reset, if
// nothing stops the person.
func (o outlook) chance(share float64) float64 {
	x := (share - o.used) / o.rest
	if first := o.strays[0]; x <= first {
		return 1 - levels[0]*x/first
	}
	for j := 1; j < len(levels); j++ {
		if from, to := o.strays[j-1], o.strays[j]; x <= to {
			return 1 - levels[j-1] - (levels[j]-levels[j-1])*(x-from)/(to-from)
		}
	}
	return (1 - levels[len(levels)-1]) * o.strays[len(levels)-1] / x
}
