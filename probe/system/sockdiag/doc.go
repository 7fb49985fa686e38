// Package sockdiag asks Linux for TCP sockets: by netlink (sock_diag(7)), and where a
// sandbox forbids that in /proc/net/tcp, for which the kernel walks its whole table
// of connections, 5 ms a time on a large machine, however few there are.
package sockdiag
