package openai

import (
	"bytes"
	"encoding/base64"
	"errors"
	"testing"
)

func TestReadDataURL(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, url string
		want      string
		err       error
	}{
		{"plain", "data:image/png;base64,aGVsbG8=", "hello", nil},
		{"without_padding", "data:image/png;base64,aGVsbG8", "hello", nil},
		{"without_kind", "data:;base64,aGVsbG8=", "hello", nil},
		{"with_a_parameter", "data:image/png;name=a.png;base64,aGVsbG8=", "hello", nil},
		{"capitals", "DATA:IMAGE/PNG;BASE64,aGVsbG8=", "hello", nil},
		{"in_lines", "data:image/png;base64,aGVs\r\nbG8=", "hello", nil},
		{"empty", "data:image/png;base64,", "", nil},
		{"not_in_base64", "data:text/plain,hello", "", errNoBase64},
		{"cut_off", "data:image/png;base64", "", errNoBase64},
		{"other_alphabet", "data:image/png;base64,_-_-", "", errNoBase64},
		{"spaces", "data:image/png;base64,aGVs bG8=", "", errNoBase64},
		{"nothing", "", "", errNoData},
		{"link", "https://example.com/data:image/png;base64,aGVsbG8=", "", errNoData},
		{"path", "/etc/passwd", "", errNoData},
		{"blob", "blob:https://example.com/1", "", errNoData},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := readDataURL(tt.url)
			if string(got) != tt.want || !errors.Is(err, tt.err) {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

// Whatever is read is what the URL has, and no error has any of it.
func FuzzDataURL(f *testing.F) {
	for _, url := range []string{tinyImage, "data:,", "data:;base64,AA==", "data:image/png;base64,AA=A", "https://a", "data:;base64,AA\n=="} {
		f.Add(url)
	}
	f.Fuzz(func(t *testing.T, url string) {
		file, err := readDataURL(url)
		if err != nil {
			if err != errNoData && err != errNoBase64 || file != nil { //nolint:errorlint // not even wrapped
				t.Errorf("%q, %v", file, err)
			}
			return
		}
		again, err := readDataURL("data:;base64," + base64.StdEncoding.EncodeToString(file))
		if err != nil || !bytes.Equal(again, file) {
			t.Errorf("%q is %q, %v", file, again, err)
		}
	})
}
