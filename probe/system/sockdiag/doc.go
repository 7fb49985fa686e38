// Package sockdiag asks Linux for TCP sockets, by netlink (sock_diag(7)). What it
// tells stands in /proc/net/tcp as well, for which the kernel walks its whole table
// of connections, 5 ms a time on a large machine, however few there are.
//
// Some sandboxes forbid netlink, so that whoever asks has to have another way.
package sockdiag
