package files

import "golang.org/x/sys/windows"

// Windows itself never says ENOSPC or EROFS.
var (
	full     = []error{windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL, windows.ERROR_DISK_QUOTA_EXCEEDED}
	readOnly = []error{windows.ERROR_WRITE_PROTECT}
)
