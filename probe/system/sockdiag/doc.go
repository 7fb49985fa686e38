// Package sockdiag lists TCP sockets on Linux: by netlink (sock_diag(7)), or if a
// sandbox forbids that from /proc/net/tcp. For the latter the kernel walks its whole
// connection table, which takes 5 ms on a large machine, however few sockets there are.
package sockdiag
