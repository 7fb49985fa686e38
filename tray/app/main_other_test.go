//go:build !linux

package app

func removeBuilds() {}
