// Package probetest is what the tests of several rooms have in common: golden
// files, and the step down from root to an ordinary user. It knows nothing of the
// project, and lies here because every room may know probe's. Only tests import
// it.
package probetest
