package chat

import (
	"fmt"
	"net/http"
	"slices"

	"windsock/probe/say"
)

// The limits of a prompt's images (PROTOCOL.md 7.12).
const (
	// MaxImages is how many images a prompt may have.
	MaxImages = 20
	// MaxImage is the size limit of an image, and MaxImageBytes that of all images of a
	// prompt together, in bytes of the image's file.
	MaxImage      = 4 << 20
	MaxImageBytes = 8 << 20
)

// Image is a picture in a prompt. It is in memory only: on no disk, in no log and in no
// error.
type Image struct {
	// Kind is a MIME type: image/png, image/jpeg, image/gif or image/webp.
	Kind string
	Data []byte // of the file
}

var imageKinds = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// Errors of AddImage, which package say can tell.
var (
	ErrImageKind  = &say.Error{Code: "image_kind", What: "This is no image that models can read.", Cure: "Take a PNG, JPEG, GIF or WebP.", Exit: say.ExitUsage}
	ErrImageLarge = &say.Error{Code: "image_too_large", What: fmt.Sprintf("The image has more than %d MB.", MaxImage>>20), Cure: "Make it smaller.", Exit: say.ExitUsage}
	ErrImages     = &say.Error{Code: "too_many_images", What: fmt.Sprintf("A prompt takes at most %d images, of %d MB together.", MaxImages, MaxImageBytes>>20), Exit: say.ExitUsage}
)

// AddImage appends the image of a file, which it keeps, to those of a prompt. The first
// bytes tell the kind, whatever the file's name or its sender says. The error is one of
// those above.
func AddImage(images []Image, file []byte) ([]Image, error) {
	kind := http.DetectContentType(file)
	total := len(file)
	for _, other := range images {
		total += len(other.Data)
	}
	switch {
	case len(file) > MaxImage:
		return nil, ErrImageLarge
	case !slices.Contains(imageKinds, kind):
		return nil, ErrImageKind
	case len(images) >= MaxImages || total > MaxImageBytes:
		return nil, ErrImages
	}
	return append(images, Image{kind, file}), nil
}

// refuseImages is the error for images to a model of that UID, if it takes none or is not
// in the list. An empty UID is the program's own choice.
func (c Catalogue) refuseImages(uid, engine string) error {
	at := slices.IndexFunc(c.Models, func(m Model) bool { return m.UID == uid || uid == "" && m.ServerDefault })
	if at < 0 && uid == "" {
		return nil // which one that is is not told: the program refuses them
	}
	if at < 0 {
		return &ModelError{Code: UnknownModel, Engine: engine, Name: uid}
	}
	if c.Models[at].Images {
		return nil
	}
	refused := &ModelError{Code: NoImages, Engine: engine, Name: c.Models[at].Label}
	for _, m := range c.Models {
		if m.Images && !m.Disabled {
			refused.Candidates = append(refused.Candidates, m)
		}
	}
	return refused
}
