package tray

// Latest puts a value into a channel of capacity 1, and replaces one that was not
// received yet. It does not block, and several goroutines may send this way.
func Latest[T any](ch chan T, value T) {
	for {
		select {
		case ch <- value:
			return
		default:
		}
		select {
		case <-ch:
		default:
		}
	}
}
