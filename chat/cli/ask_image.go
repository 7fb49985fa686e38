package cli

import (
	"errors"
	"io/fs"

	"windsock/chat"
	"windsock/probe/files"
	"windsock/probe/say"
)

// readImages reads the files of --image. An error says which one it is by its number: a
// path may hold a person's name.
func readImages(paths []string) (images []chat.Image, _ error) {
	for i, path := range paths {
		file, err := files.Read(path, chat.MaxImage)
		switch {
		case errors.Is(err, files.ErrTooLarge):
			err = chat.ErrImageLarge
		case errors.Is(err, fs.ErrNotExist):
			return nil, say.Usage("The file of --image number %d is not there.", i+1)
		case err != nil:
			return nil, say.Usage("The file of --image number %d cannot be read: %w.", i+1, err)
		default:
			images, err = chat.AddImage(images, file)
		}
		if err != nil {
			return nil, say.Usage("--image number %d: %w", i+1, err)
		}
	}
	return images, nil
}
