package openai

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"

	"windsock/chat"
	"windsock/probe/say"
)

// readImage reads a part that is an image: of chat completions, whose URL is in an object,
// or of responses. Nothing is fetched and no file is read, so the URL has to hold the image.
func (r *request) readImage(m *message, raw json.RawMessage, path string) *fault {
	f, wrong := readFields(raw, path+".")
	if wrong != nil {
		return wrong
	}
	if f.raw("file_id") != nil {
		return unsupported(path+".file_id", "%s cannot be used: the local API keeps no files. Send the image itself, as a data: URL in image_url.")
	}
	at, value := path+".image_url", f.raw("image_url")
	if inner, wrong := readFields(value, at+"."); wrong == nil {
		f, at, value = inner, at+".url", inner.raw("url")
	}
	var url string
	if value == nil || json.Unmarshal(value, &url) != nil {
		return bad(at, "%s has to be a data: URL with the image.", at)
	}
	file, err := readDataURL(url)
	switch {
	case errors.Is(err, errNoData):
		return unsupported(at, "%s has to be a data: URL: the local API fetches nothing from the network, and reads no file.")
	case err != nil:
		return bad(at, "%s has to be a data: URL with the image in base64.", at)
	}
	images, err := chat.AddImage(r.images, file)
	if err != nil {
		wrong := bad(at, "%s: %s", at, say.Sentence(err, ""))
		wrong.code = say.Code(err)
		return wrong
	}
	r.images, m.images = images, append(m.images, len(images))
	var detail string
	if json.Unmarshal(f.raw("detail"), &detail) == nil && detail != "auto" {
		r.ignored = append(r.ignored, "detail")
	}
	return nil
}

// Errors of readDataURL.
var (
	errNoData   = errors.New("not a data: URL")
	errNoBase64 = errors.New("not in base64")
)

// readDataURL returns the content of a data: URL (RFC 2397) in base64. What it says of the
// content's kind is left out: the content tells.
func readDataURL(url string) ([]byte, error) {
	const scheme = "data:"
	if len(url) < len(scheme) || !strings.EqualFold(url[:len(scheme)], scheme) {
		return nil, errNoData
	}
	about, content, ok := strings.Cut(url[len(scheme):], ",")
	if !ok || !strings.HasSuffix(strings.ToLower(about), ";base64") {
		return nil, errNoBase64
	}
	file, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(content, "="))
	if err != nil {
		return nil, errNoBase64 // without the text
	}
	return file, nil
}
