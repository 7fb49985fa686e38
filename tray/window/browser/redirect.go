package browser

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"windsock/probe/redact"
)

const (
	// maxRedirects limits the files in a directory: one for each browser that has not
	// come yet.
	maxRedirects = 8
	// oldRedirect is the age from which the ticket in a file has surely expired.
	oldRedirect = time.Minute
)

// redirect is the browser's start page. It leads to the address with the ticket, so
// that the ticket is on no command line, where others could read it. A person who
// opens the file otherwise reads its purpose.
const redirect = `<!doctype html>
<!-- This opens Windsock's window. It is good in a browser, once, and for half a minute. -->
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>Windsock</title>
<script>location.replace(%s)</script>
<noscript>Windsock's window needs JavaScript, which comes from this computer alone.</noscript>
</html>
`

// writeRedirect writes the page into a directory, for this account only, and returns
// its path. It uses few names: browsers remember a window's place by the name.
func writeRedirect(dir, address string) (path string, err error) {
	dir = filepath.Join(dir, "window")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("write redirect: %w", redact.Path(err))
	}
	sweepRedirects(dir)
	text, err := json.Marshal(address)
	if err != nil {
		return "", fmt.Errorf("write redirect: %w", err)
	}
	for n := range maxRedirects {
		path = redirectPath(dir, n)
		var file *os.File
		file, err = os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			_, err = fmt.Fprintf(file, redirect, text)
			err = errors.Join(err, file.Close())
		}
		break
	}
	if err != nil {
		return "", fmt.Errorf("write redirect: %w", redact.Path(err))
	}
	return path, nil
}

func redirectPath(dir string, n int) string {
	return filepath.Join(dir, fmt.Sprintf("windsock-%d.html", n+1))
}

// sweepRedirects removes the files that a killed process left behind.
func sweepRedirects(dir string) {
	for n := range maxRedirects {
		path := redirectPath(dir, n)
		if info, err := os.Lstat(path); err == nil && time.Since(info.ModTime()) > oldRedirect {
			_ = os.Remove(path) // if it fails, the next name is used
		}
	}
}

// fileAddress is the address of a file.
func fileAddress(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive of Windows
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
