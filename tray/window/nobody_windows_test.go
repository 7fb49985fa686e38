package window

import "os/exec"

func becomeNobody(*exec.Cmd) {}
