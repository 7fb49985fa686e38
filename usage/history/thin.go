package history

// keep tells which samples of one meter stay: the first, of each part of time the
// last one, and both sides of every edge. What was used in a part is the same without the
// others.
func keep(samples []Sample, part func(Sample) int64) []bool {
	stays := make([]bool, len(samples))
	for i, s := range samples {
		if i == 0 || i == len(samples)-1 || part(s) != part(samples[i+1]) {
			stays[i] = true
		}
		if i > 0 && edge(samples[i-1], s) {
			stays[i-1], stays[i] = true, true
		}
	}
	return stays
}

// thin is what keep keeps.
func thin(samples []Sample, part func(Sample) int64) []Sample {
	var kept []Sample
	for i, stays := range keep(samples, part) {
		if stays {
			kept = append(kept, samples[i])
		}
	}
	return kept
}
