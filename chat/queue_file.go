package chat

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"windsock/probe/redact"
)

var errTooLarge = errors.New("larger than it can be")

// readBounded reads a file of the state directory.
func readBounded(path string, limit int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = errTooLarge
	}
	return text, err
}

// replaceFile writes a file that only this user may read, which is there as it
// was or as it will be at any moment. Its caller holds a lock: what a killed
// process has left behind is written over.
func replaceFile(path string, text []byte) error {
	whole := path + ".new"
	// Another one's permissions would stay.
	if err := os.Remove(whole); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := os.OpenFile(whole, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(whole, path)
	}
	if err != nil {
		_ = os.Remove(whole)
	}
	return err
}

// moveAside gives a file that cannot be read a name of its own beside it.
// Nothing is overwritten. Its caller holds a lock.
func moveAside(path string) error {
	base := path + "-unreadable-" + time.Now().UTC().Format("20060102-150405")
	aside := base
	for n := 2; ; n++ {
		if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
			return os.Rename(path, aside)
		} else if err != nil || n > 100 {
			return errors.Join(err, fs.ErrExist)
		}
		aside = fmt.Sprintf("%s-%d", base, n)
	}
}

// makeStateDir makes the directory that only this user may look into.
func makeStateDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make state directory: %w", redact.Path(err))
	}
	return nil
}
