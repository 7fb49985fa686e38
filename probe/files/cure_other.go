//go:build !windows

package files

import "syscall"

var (
	full     = []error{syscall.ENOSPC, syscall.EDQUOT}
	readOnly = []error{syscall.EROFS}
)
