package system

import (
	"encoding/binary"
	"unicode/utf16"
)

// decodeUTF16 reads little-endian UTF-16, as Windows keeps all text and an editor some of its values. Half a unit
// at the end is passed over, half a pair becomes U+FFFD.
func decodeUTF16(data []byte) string {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(data[2*i:])
	}
	return string(utf16.Decode(units))
}

// parseEnvironBlock reads the environment of a process on Windows: strings in
// UTF-16 that end in a NUL each, and an empty one behind the last. What follows
// that, or a string without its NUL, is not of the environment.
func parseEnvironBlock(data []byte) []string {
	var environ []string
	start := 0
	for end := 0; end+1 < len(data); end += 2 {
		if data[end] != 0 || data[end+1] != 0 {
			continue
		}
		if end == start {
			break
		}
		environ = append(environ, decodeUTF16(data[start:end]))
		start = end + 2
	}
	return environ
}
