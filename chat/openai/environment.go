package openai

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"time"

	"github.com/spf13/cobra"

	"windsock/probe/say"
	"windsock/probe/secret"
)

// defaultShell is the one that --print-env without a value prints for.
const defaultShell = "auto"

const bourne = "export %s='%s'\n"

// shells are how a variable is set in each. No value has a quote in it.
var shells = map[string]string{
	"sh":         bourne,
	"bash":       bourne,
	"zsh":        bourne,
	"fish":       "set -gx %s '%s'\n",
	"powershell": "$Env:%s = '%s'\n",
}

// printEnvironment prints what programs need. A key is made where there is none
// yet, so that it can be given to a program first.
func (c *serveCommand) printEnvironment(cmd *cobra.Command, port int) error {
	shell := c.printEnv
	if shell == defaultShell {
		shell = systemShell
	}
	line, ok := shells[shell]
	if !ok {
		return say.Usage("--print-env takes sh, bash, zsh, fish or powershell, as in --print-env=fish.")
	}
	key, err := anyKey(cmd.Context(), c.Dir)
	if err != nil {
		return err
	}
	port, served, err := servedAt(cmd.Context(), c.Dir, port)
	if err != nil {
		return err
	}
	if !served {
		if _, err := fmt.Fprintln(cmd.ErrOrStderr(), "windsock: Nothing is served now. Start `windsock serve`; it takes this port if it is free."); err != nil {
			return fmt.Errorf("write environment: %w", err)
		}
	}
	if _, err := fmt.Fprint(cmd.OutOrStdout(), environment(line, port, key)); err != nil {
		return fmt.Errorf("write environment: %w", err)
	}
	return nil
}

// anyKey is the key, made where there is none yet.
func anyKey(ctx context.Context, dir string) (secret.Secret, error) {
	key, err := readKey(dir)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	at, err := take(ctx, dir)
	if errors.Is(err, errServes) { // by a process that has made one meanwhile
		return readKey(dir)
	}
	if err != nil {
		return secret.Secret{}, err
	}
	key, err = at.key()
	return key, errors.Join(err, at.leave())
}

const (
	// startTime is how long a process may take to its lock that was started at the
	// same time, as by `windsock serve & eval "$(windsock serve --print-env)"`; before
	// that, nothing tells of it.
	startTime = 2 * time.Second
	// lockedTime is when one that has the lock is not waited for any more.
	lockedTime = 3 * time.Second
)

// servedAt is where it is served, or else would be; what is about to be served is
// waited for. Where somebody else listens, who would be given the key, the error is
// errTaken.
func servedAt(ctx context.Context, dir string, wanted int) (port int, served bool, _ error) {
	for began := time.Now(); ; {
		locked := serves(dir)
		if told, ok := readPort(dir); ok && locked {
			return told, true, nil
		}
		if waited := time.Since(began); waited >= lockedTime || waited >= startTime && !locked {
			break
		}
		select {
		case <-ctx.Done():
			return 0, false, ctx.Err()
		case <-time.After(lockPoll):
		}
	}
	var dialer net.Dialer
	if c, err := dialer.DialContext(ctx, "tcp4", fmt.Sprintf("127.0.0.1:%d", wanted)); err == nil {
		_ = c.Close() // nothing was said on it
		return 0, false, errTaken
	}
	return wanted, false, nil
}

// environment are the variables that OpenAI's libraries read.
func environment(line string, port int, key secret.Secret) string {
	return fmt.Sprintf(line, "OPENAI_BASE_URL", baseURL(port)) + fmt.Sprintf(line, "OPENAI_API_KEY", key.Reveal())
}
