//go:build !linux

package main

func removeBuilds() {}
