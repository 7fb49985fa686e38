// Package system asks the operating system for the language servers of the current
// user: their processes, and the sockets that they listen at. Each system has its
// own way, behind the interface System.
//
// It knows what such a process is called and what its command line and environment
// tell, and nothing of what it answers. It dials nothing.
package system
