package autostart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// propertyList is the dictionary of an XML property list, in its order. A value is
// kept as it stands in the file, so that one that is not changed stays as it was.
// Comments are not kept.
type propertyList struct{ items []plistItem }

type plistItem struct {
	key string
	raw string // the element of the value
}

var errNotPlist = errors.New("not an XML property list")

const (
	plistHead = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
`
	plistFoot = "</dict>\n</plist>\n"
)

// parsePropertyList reads a property list in XML; the binary form, into which other
// programs may have turned it, is errNotPlist.
func parsePropertyList(content []byte) (*propertyList, error) {
	p := &propertyList{}
	d := xml.NewDecoder(bytes.NewReader(content))
	for _, name := range []string{"plist", "dict"} {
		if start, err := nextStart(d); err != nil || start.Name.Local != name {
			return p, errNotPlist
		}
	}
	for {
		start, err := nextStart(d)
		if errors.Is(err, io.EOF) {
			return p, nil // the end of the dictionary
		}
		var key string
		if err != nil || start.Name.Local != "key" || d.DecodeElement(&key, &start) != nil {
			return p, errNotPlist
		}
		raw, err := nextElement(d, content)
		if err != nil {
			return p, errNotPlist
		}
		p.items = append(p.items, plistItem{key, raw})
	}
}

// nextStart returns the next start of an element on this level, or io.EOF at its end.
func nextStart(d *xml.Decoder) (xml.StartElement, error) {
	for {
		token, err := d.Token()
		if err != nil {
			return xml.StartElement{}, errNotPlist // too early
		}
		switch token := token.(type) {
		case xml.StartElement:
			return token, nil
		case xml.EndElement:
			return xml.StartElement{}, io.EOF
		case xml.CharData:
			if len(bytes.TrimSpace(token)) > 0 {
				return xml.StartElement{}, errNotPlist
			}
		}
	}
}

// nextElement returns the text of the next element as it stands in content.
func nextElement(d *xml.Decoder, content []byte) (string, error) {
	for {
		from := d.InputOffset()
		token, err := d.Token()
		if err != nil {
			return "", err
		}
		switch token.(type) {
		case xml.StartElement:
			err := d.Skip()
			return string(content[from:d.InputOffset()]), err
		case xml.EndElement:
			return "", errNotPlist
		}
	}
}

func (p *propertyList) bytes() []byte {
	var b strings.Builder
	b.WriteString(plistHead)
	for _, item := range p.items {
		b.WriteString("\t<key>" + escapeXML(item.key) + "</key>\n\t" + item.raw + "\n")
	}
	b.WriteString(plistFoot)
	return []byte(b.String())
}

// raw returns the element of a key, of several the last, or "".
func (p *propertyList) raw(key string) string {
	for _, item := range slices.Backward(p.items) {
		if item.key == key {
			return item.raw
		}
	}
	return ""
}

// plistValue is what this package understands of a value.
type plistValue struct {
	XMLName xml.Name `xml:""`
	Text    string   `xml:",chardata"`
	Strings []string `xml:"string"`
}

func (p *propertyList) value(key string) plistValue {
	var v plistValue
	if raw := p.raw(key); raw != "" && xml.Unmarshal([]byte(raw), &v) != nil {
		return plistValue{}
	}
	return v
}

func (p *propertyList) isTrue(key string) bool { return p.value(key).XMLName.Local == "true" }

// text returns the value of a string, or "".
func (p *propertyList) text(key string) string {
	if v := p.value(key); v.XMLName.Local == "string" {
		return v.Text
	}
	return ""
}

// texts returns the strings of an array, or of a string alone.
func (p *propertyList) texts(key string) []string {
	switch v := p.value(key); v.XMLName.Local {
	case "array":
		return v.Strings
	case "string":
		return []string{v.Text}
	default:
		return nil
	}
}

// set gives a key a value, in the place of the old one or at the end.
func (p *propertyList) set(key, raw string) {
	at := slices.IndexFunc(p.items, func(i plistItem) bool { return i.key == key })
	if at < 0 {
		p.items = append(p.items, plistItem{key, raw})
		return
	}
	p.items[at].raw = raw
	rest := slices.DeleteFunc(p.items[at+1:], func(i plistItem) bool { return i.key == key })
	p.items = p.items[:at+1+len(rest)]
}

func (p *propertyList) remove(key string) {
	p.items = slices.DeleteFunc(p.items, func(i plistItem) bool { return i.key == key })
}

// rawString is the element of a string.
func rawString(s string) string { return "<string>" + escapeXML(s) + "</string>" }

func rawArray(list []string) string {
	var b strings.Builder
	b.WriteString("<array>\n")
	for _, s := range list {
		b.WriteString("\t\t" + rawString(s) + "\n")
	}
	b.WriteString("\t</array>")
	return b.String()
}

// escapeXML also writes white space as numbers, which a reader would change.
func escapeXML(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder takes everything
	return b.String()
}

// isXML tells whether XML 1.0 can hold the words: no control characters but white
// space, and neither of the two code points that are none.
func isXML(words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool {
		return !utf8.ValidString(w) || strings.ContainsFunc(w, func(r rune) bool {
			return r < ' ' && !strings.ContainsRune("\t\n\r", r) || r == 0xFFFE || r == 0xFFFF
		})
	})
}
