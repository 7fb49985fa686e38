//go:build unix

package app

import "syscall"

// notThrough has a link refused, and a pipe not waited for.
const notThrough = syscall.O_NOFOLLOW | syscall.O_NONBLOCK
