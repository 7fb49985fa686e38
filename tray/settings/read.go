package settings

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"windsock/probe/redact"
)

// maxSize is a hundred times what a file with every key has.
const maxSize = 1 << 20

// read returns what is in a file; nothing for one that is not there. Its error is a
// *BrokenError.
func read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(path); err == nil {
			return nil, broken("it is a link to a file that is not there", nil)
		}
		return nil, nil
	case err != nil:
		return nil, unreadable(err)
	case info.IsDir():
		return nil, broken("it is a directory, and has to be a file", nil)
	case !info.Mode().IsRegular(): // a pipe would be waited for
		return nil, broken("it is no ordinary file", nil)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, unreadable(err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err != nil {
		return nil, unreadable(err)
	}
	if len(text) > maxSize {
		return nil, broken("it is larger than 1 MB, which no configuration is", nil)
	}
	return text, nil
}

func unreadable(err error) error {
	cause := redact.Path(err)
	return broken("it cannot be read: "+cause.Error(), cause)
}
