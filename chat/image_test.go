package chat_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windsock/chat"
	"windsock/probe/say"
)

func TestAddImage(t *testing.T) {
	t.Parallel()
	const png = "\x89PNG\r\n\x1a\n"
	filled := func(size int) []byte { return append([]byte(png), bytes.Repeat([]byte{0}, size-len(png))...) }
	many := make([]chat.Image, chat.MaxImages)
	heavy := []chat.Image{{Data: make([]byte, chat.MaxImageBytes-100)}}
	tests := []struct {
		name   string
		before []chat.Image
		file   []byte
		kind   string
		err    error
	}{
		{"png", nil, []byte(png), "image/png", nil},
		{"jpeg", nil, []byte("\xff\xd8\xff\xe0"), "image/jpeg", nil},
		{"gif", nil, []byte("GIF89a"), "image/gif", nil},
		{"webp", nil, []byte("RIFF\x00\x00\x00\x00WEBPVP8 "), "image/webp", nil},
		{"largest", nil, filled(chat.MaxImage), "image/png", nil},
		{"last", many[1:], []byte(png), "image/png", nil},
		{"heaviest", heavy, filled(100), "image/png", nil},
		{"nothing", nil, nil, "", chat.ErrImageKind},
		{"text", nil, []byte("image/png"), "", chat.ErrImageKind},
		{"bmp", nil, []byte("BM      "), "", chat.ErrImageKind},
		{"svg", nil, []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), "", chat.ErrImageKind},
		{"pdf", nil, []byte("%PDF-1.7"), "", chat.ErrImageKind},
		{"too_large", nil, filled(chat.MaxImage + 1), "", chat.ErrImageLarge},
		{"too_many", many, []byte(png), "", chat.ErrImages},
		{"too_heavy", heavy, filled(101), "", chat.ErrImages},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := chat.AddImage(tt.before, tt.file)
			if !errors.Is(err, tt.err) || err != nil && got != nil {
				t.Fatalf("%d images, %v", len(got), err)
			}
			if err != nil {
				return
			}
			if last := got[len(got)-1]; len(got) != len(tt.before)+1 || last.Kind != tt.kind || !bytes.Equal(last.Data, tt.file) {
				t.Errorf("%d images, the last a %s of %d bytes", len(got), last.Kind, len(last.Data))
			}
		})
	}
}

// Images for a model that takes none are not sent, also in a conversation whose model the
// prompt does not name.
func TestServiceRefusesImages(t *testing.T) {
	t.Parallel()
	swe, opus := chat.Model{UID: "swe", Label: "SWE"}, chat.Model{UID: "opus", Label: "Opus", Images: true}
	old := chat.Model{UID: "old", Label: "Old", Images: true, Disabled: true}
	own, plain := chat.Model{UID: "own", Label: "Own", Images: true, ServerDefault: true}, chat.Model{UID: "plain", Label: "Plain", ServerDefault: true}
	images := []chat.Image{{Kind: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")}}
	tests := []struct {
		name   string
		models []chat.Model
		begin  string // the model of the conversation
		prompt chat.Prompt
		says   string
		code   chat.Code
	}{
		{"takes", []chat.Model{swe, opus}, "", chat.Prompt{Model: "opus", Images: images}, "", ""},
		{"takes_none", []chat.Model{swe, opus, old}, "", chat.Prompt{Model: "swe", Images: images}, "SWE takes no images. Models that do: Opus.", chat.NoImages},
		{"none_does", []chat.Model{swe, old}, "", chat.Prompt{Model: "swe", Images: images}, "SWE takes no images, and no other model of this server does.", chat.NoImages},
		{"own_choice", []chat.Model{opus, swe, own}, "", chat.Prompt{Images: images}, "", ""},
		{"own_choice_takes_none", []chat.Model{opus, plain}, "", chat.Prompt{Images: images}, "Plain takes no images. Models that do: Opus.", chat.NoImages},
		{"own_choice_is_not_told", []chat.Model{swe}, "", chat.Prompt{Images: images}, "", ""},
		{"unknown", []chat.Model{opus}, "", chat.Prompt{Model: "swe", Images: images}, "There is no model \"swe\". `windsock models` lists all.", chat.UnknownModel},
		{"without_images", []chat.Model{swe}, "", chat.Prompt{Model: "swe"}, "", ""},
		{"further", []chat.Model{swe, opus}, "opus", chat.Prompt{Further: "of cascade", Images: images}, "", ""},
		{"further_takes_none", []chat.Model{swe, opus}, "swe", chat.Prompt{Further: "of cascade", Images: images}, "SWE takes no images. Models that do: Opus.", chat.NoImages},
		{"further_with_another", []chat.Model{swe, opus}, "swe", chat.Prompt{Further: "of cascade", Model: "opus", Images: images}, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := &engine{id: "cascade", left: chat.LeftOpen, models: tt.models}
			s := chat.NewService(chat.ServiceParts{Engine: e.serves})
			if tt.begin != "" {
				if _, err := s.Ask(t.Context(), chat.Prompt{Model: tt.begin, Keep: true}, nil); err != nil {
					t.Fatal(err)
				}
			}
			e.asked = chat.Prompt{}
			answer, err := s.Ask(t.Context(), tt.prompt, nil)
			if got := say.Sentence(err, ""); got != tt.says || say.Code(err) != string(tt.code) {
				t.Errorf("%q, %s", got, say.Code(err))
			}
			want, wantAnswer := tt.prompt, chat.Answer{Text: "Hi.", Engine: "cascade", Ref: "of cascade", Left: chat.LeftOpen}
			if tt.says != "" {
				want, wantAnswer = chat.Prompt{}, chat.Answer{Engine: "cascade"}
			}
			if diff := cmp.Diff(want, e.asked); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(wantAnswer, answer); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}
