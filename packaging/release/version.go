package main

import (
	"fmt"
	"regexp"
	"strings"
)

// A version is what the program was stamped with, in the forms that the packages
// take. Each sorts before the release that it leads to.
type version struct {
	tag  string // v1.2.0, v1.2.0-rc.1, or v1.2.1-0.20261121113911-0672f71cb6a1
	core string // 1.2.0
	pre  string // rc.1, or "" for a release
}

var (
	versionForm = regexp.MustCompile(`^v(\d+\.\d+\.\d+)(?:-([0-9A-Za-z.-]+))?$`)
	// pseudo is the end that Go gives to a commit without a tag.
	pseudo = regexp.MustCompile(`(?:^|\.)(\d{14})-[0-9a-f]{12}$`)
	// apkSuffix is what apk knows of versions before a release.
	apkSuffix = regexp.MustCompile(`^(alpha|beta|pre|rc)\.?(\d*)$`)
)

func parseVersion(tag string) (version, error) {
	m := versionForm.FindStringSubmatch(tag)
	if m == nil {
		return version{}, fmt.Errorf("read version %q: it is not like v1.2.3 or v1.2.3-rc.1", tag)
	}
	v := version{tag, m[1], m[2]}
	if v.pre != "" && !pseudo.MatchString(v.pre) && !apkSuffix.MatchString(v.pre) {
		return version{}, fmt.Errorf("read version %q: apk knows alpha, beta, pre and rc before a release only", tag)
	}
	return v, nil
}

// plain is the version without its v, as Homebrew, Scoop, winget and the names of
// files have it.
func (v version) plain() string { return strings.TrimPrefix(v.tag, "v") }

// tilde is deb's and rpm's form, where a tilde sorts before everything.
func (v version) tilde() string {
	if v.pre == "" {
		return v.core
	}
	return v.core + "~" + strings.ReplaceAll(v.pre, "-", ".")
}

// arch is pacman's form: letters right after a number sort before its end.
func (v version) arch() string {
	if date := v.date(); date != "" {
		return v.core + "pre" + date
	}
	return v.core + strings.ReplaceAll(v.pre, "-", ".")
}

// apk is Alpine's form.
func (v version) apk() string {
	if date := v.date(); date != "" {
		return v.core + "_pre" + date
	}
	if m := apkSuffix.FindStringSubmatch(v.pre); m != nil {
		return v.core + "_" + m[1] + m[2]
	}
	return v.core
}

// date is the time of the commit in a pseudo-version.
func (v version) date() string {
	if m := pseudo.FindStringSubmatch(v.pre); m != nil {
		return m[1]
	}
	return ""
}
