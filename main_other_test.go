//go:build !linux

package main

func removeTestProgram() {}
