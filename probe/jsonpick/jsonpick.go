// Package jsonpick reads JSON and passes on only those members of objects that are asked
// for. It reads a stream: what it leaves out takes no memory, however long it is.
//
// It is for answers of many megabytes of which little is needed. What it passes on has
// its brackets and quotes in order; whether it is valid JSON in each detail is for the
// reader of it to check, as for any other answer (package jsoncheck).
package jsonpick

import (
	"bytes"
	"errors"
	"io"

	"windsock/probe/jsoncheck"
)

// Fields are the members of an object that are passed on, by name, each with the Fields
// of its value. Nil passes on all of a value. The Fields of an array are those of each
// element. A value that is neither object nor array is passed on. A name that is written
// with escapes counts as another one.
type Fields map[string]Fields

// ErrBroken says that the text is not one JSON value, or is nested too deeply
// ([jsoncheck.MaxDepth]).
var ErrBroken = errors.New("not a JSON value, or nested too deeply")

// chunkSize is how many bytes are read at once.
const chunkSize = 64 << 10

// maxName is longer than the name of any member that is asked for.
const maxName = 64

// Reader is an io.Reader of what is picked.
type Reader struct {
	from  io.Reader
	chunk []byte
	out   []byte // picked, of the last chunk
	given int    // of out
	err   error  // after out

	expects part
	open    []bracket // around the next part, if members are picked from them
	fields  Fields    // of the next value
	keeps   bool      // passes on the next value, or the one under way
	name    []byte    // of the next member, as far as it was read
	inside  []byte    // closing brackets of a value that is not picked from
	escaped bool      // the next byte is behind a backslash in a text
}

// bracket is an open bracket.
type bracket struct {
	closing byte
	fields  Fields
	some    bool // a member was passed on
}

// part is a part of JSON, with the space before it.
type part int

const (
	value        part = iota
	firstElement      // or the end of the array
	firstName         // or the end of the object
	nextName
	restOfName
	colon
	restOfText   // of a value
	restOfWord   // a number, true, false, null
	restOfInside // an object or an array that is not picked from
	commaOrEnd   // of the object or the array
	nothing      // the value has ended
)

// NewReader returns a Reader of the one JSON value in from. Its error is ErrBroken or
// from's.
func NewReader(from io.Reader, pick Fields) *Reader {
	return &Reader{from: from, fields: pick, keeps: true}
}

// Read implements io.Reader.
func (r *Reader) Read(p []byte) (int, error) {
	for r.given == len(r.out) && r.err == nil {
		r.fill()
	}
	if r.given == len(r.out) {
		return 0, r.err
	}
	n := copy(p, r.out[r.given:])
	r.given += n
	return n, nil
}

func (r *Reader) fill() {
	if r.chunk == nil {
		r.chunk = make([]byte, chunkSize)
	}
	r.out, r.given = r.out[:0], 0
	n, err := r.from.Read(r.chunk)
	for rest := r.chunk[:n]; len(rest) > 0; {
		if rest = rest[r.read(rest):]; r.err != nil {
			r.out = r.out[:0]
			return
		}
	}
	if r.err = err; errors.Is(err, io.EOF) && r.expects != nothing && (r.expects != restOfWord || len(r.open) > 0) {
		r.err = ErrBroken
	}
}

// read reads at least one byte of the part that is expected, or finds that it has ended,
// and returns how many it has read.
func (r *Reader) read(text []byte) int {
	switch r.expects { //nolint:exhaustive // the others begin with their first byte
	case restOfName:
		return r.readName(text)
	case restOfText, restOfWord, restOfInside:
		n := r.readWhole(text)
		if r.keeps {
			r.out = append(r.out, text[:n]...)
		}
		return n
	}
	c := text[0]
	if c == ' ' || c == '\n' || c == '\r' || c == '\t' {
		return 1
	}
	switch {
	case r.expects == value, r.expects == firstElement && c != ']':
		return r.begin(c)
	case c == '"' && (r.expects == firstName || r.expects == nextName):
		r.name, r.expects = r.name[:0], restOfName
	case c == ':' && r.expects == colon:
		r.choose()
	case c == ',' && r.expects == commaOrEnd:
		r.next()
	case (r.expects == commaOrEnd || r.expects == firstElement || r.expects == firstName) && c == r.open[len(r.open)-1].closing:
		r.open = r.open[:len(r.open)-1]
		r.out = append(r.out, c)
		r.end()
	default:
		r.err = ErrBroken
	}
	return 1
}

// begin begins a value with its first byte, and returns how many bytes it has read.
func (r *Reader) begin(c byte) int {
	picks := r.keeps && r.fields != nil
	switch {
	case c == '{' && picks:
		r.open, r.expects = append(r.open, bracket{'}', r.fields, false}), firstName
		r.checkDepth()
	case c == '[' && picks:
		r.open, r.expects = append(r.open, bracket{']', r.fields, false}), firstElement
		r.checkDepth()
	case c == '{' || c == '[':
		r.expects = restOfInside
		return 0
	case c == '"':
		r.expects = restOfText
	case c == ',' || c == ':' || c == '}' || c == ']':
		r.err = ErrBroken
	default:
		r.expects = restOfWord
		return 0
	}
	if r.keeps {
		r.out = append(r.out, c)
	}
	return 1
}

// checkDepth follows a bracket.
func (r *Reader) checkDepth() {
	if len(r.open)+len(r.inside) > jsoncheck.MaxDepth {
		r.err = ErrBroken
	}
}

// choose decides what becomes of a member whose name was read.
func (r *Reader) choose() {
	in := &r.open[len(r.open)-1]
	r.fields, r.keeps = in.fields[string(r.name)]
	r.expects = value
	if !r.keeps {
		return
	}
	if in.some {
		r.out = append(r.out, ',')
	}
	in.some = true
	r.out = append(r.out, '"')
	r.out = append(r.out, r.name...)
	r.out = append(r.out, '"', ':')
}

// next goes on behind a comma.
func (r *Reader) next() {
	in := r.open[len(r.open)-1]
	if in.closing == '}' {
		r.expects = nextName
		return
	}
	r.out = append(r.out, ',')
	r.fields, r.keeps, r.expects = in.fields, true, value
}

// end ends a value.
func (r *Reader) end() {
	if r.expects = commaOrEnd; len(r.open) == 0 {
		r.expects = nothing
	}
}

func (r *Reader) readName(text []byte) int {
	n, ended := r.readText(text)
	part := text[:n]
	if ended {
		part = text[:n-1]
		r.expects = colon
	}
	r.name = append(r.name, part[:min(len(part), maxName)]...) // a name that was cut is nobody's
	r.name = r.name[:min(len(r.name), maxName)]
	return n
}

// readWhole reads a value that is passed on, or left out, as a whole.
func (r *Reader) readWhole(text []byte) (n int) {
	var ended bool
	switch r.expects {
	case restOfText:
		n, ended = r.readText(text)
	case restOfWord:
		if n = bytes.IndexAny(text, ",]} \n\r\t\":[{"); n < 0 {
			return len(text)
		}
		ended = true
	default:
		n, ended = r.readInside(text)
	}
	if ended {
		r.end()
	}
	return n
}

// readInside reads an object or an array up to its last bracket, and returns how many
// bytes it has read and whether the bracket is the last of them.
func (r *Reader) readInside(text []byte) (n int, ended bool) {
	for n < len(text) {
		if len(r.inside) > 0 && r.inside[len(r.inside)-1] == '"' {
			read, ended := r.readText(text[n:])
			if n += read; ended {
				r.inside = r.inside[:len(r.inside)-1]
			}
			continue
		}
		c := text[n]
		n++
		switch c {
		case '"':
			r.inside = append(r.inside, '"')
		case '{', '[':
			r.inside = append(r.inside, c+2) // the closing one
			if r.checkDepth(); r.err != nil {
				return n, false
			}
		case '}', ']':
			last := len(r.inside) - 1
			if r.inside[last] != c {
				r.err = ErrBroken
				return n, false
			}
			if r.inside = r.inside[:last]; last == 0 {
				return n, true
			}
		}
	}
	return n, false
}

// readText reads a text up to its closing quote, and returns how many bytes it has read
// and whether the quote is the last of them.
func (r *Reader) readText(text []byte) (n int, ended bool) {
	if r.escaped {
		r.escaped, n = false, 1
	}
	for n < len(text) {
		quote := bytes.IndexByte(text[n:], '"')
		end := n + quote
		if quote < 0 {
			end = len(text)
		}
		odd := false
		for i := end; i > n && text[i-1] == '\\'; i-- {
			odd = !odd
		}
		if quote < 0 {
			r.escaped = odd
			return end, false
		}
		if n = end + 1; !odd {
			return n, true
		}
	}
	return n, false
}
