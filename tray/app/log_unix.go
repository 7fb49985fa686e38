//go:build unix

package app

import "syscall"

// notThrough makes open refuse a link, and not wait for a pipe.
const notThrough = syscall.O_NOFOLLOW | syscall.O_NONBLOCK
