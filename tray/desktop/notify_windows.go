package desktop

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows/registry"

	"windsock/probe/files"
	"windsock/probe/redact"
	"windsock/tray/icon"
)

// toastEntry is where Windows looks up the name and the picture of a toast, also in
// the settings of notifications. beeep shows toasts with the app's name as the ID.
//
// beeep v0.11.3, by go-toast v1.1.2, also makes a missing entry, but without a
// picture, and keeps a different existing one. The effect of the entry is untested on
// Windows: Wine has a registry, but no toasts.
const toastEntry = `Software\Classes\AppUserModelId\` + AppName

// notifyPicture is the picture file of a notification. It is our own file, and it stays
// until the next one: beeep would remove a file before it is read, and Windows shows
// toasts again later. Without the file there is no picture.
func notifyPicture(i icon.Icon) any {
	app, err := writeToastPicture("windsock.png", AppIcon)
	if err == nil {
		err = writeToastEntry(toastEntry, app)
	}
	file := app
	if err == nil {
		file, err = writeToastPicture("notification.png", i)
	}
	if err != nil {
		slog.Warn("notification has no picture", slog.Any("err", redact.Path(err)))
		return ""
	}
	return file
}

// writeToastPicture writes a file that is missing or different.
func writeToastPicture(name string, i icon.Icon) (file string, err error) {
	dir, err := os.UserCacheDir() // %LOCALAPPDATA%, with the log
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, "windsock")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	file = filepath.Join(dir, name)
	picture := i.PNG(notifyIconSize)
	if there, err := files.Read(file, 1<<20); err == nil && bytes.Equal(there, picture) {
		return file, nil
	}
	return file, files.Replace(file, picture, 0o600)
}

// writeToastEntry updates an entry.
func writeToastEntry(path, picture string) error {
	key, _, err := registry.CreateKey(registry.CURRENT_USER, path, registry.QUERY_VALUE|registry.SET_VALUE)
	if err != nil {
		return err
	}
	defer func() { _ = key.Close() }()
	for name, value := range map[string]string{"DisplayName": AppName, "IconUri": picture} {
		if there, _, err := key.GetStringValue(name); err == nil && there == value {
			continue
		}
		if err := key.SetStringValue(name, value); err != nil {
			return err
		}
	}
	return nil
}
