package history

import "io"

// WriteCSV writes samples as `windsock history --csv` does.
func WriteCSV(out io.Writer, samples []Sample) error { return unwritten(samplesCSV(out, samples)) }
