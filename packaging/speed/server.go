package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"windsock/probe/languageserver"
	"windsock/probe/simulator"
)

const (
	key   = "sk-ws-01-speed"
	token = "00000000-0000-4000-8000-00000000feed"
	// think is what the server takes for a GetUserStatus.
	think = 10 * time.Millisecond
	// answerEnv names the file that serve answers GetUserStatus with; without it
	// serve is the simulator.
	answerEnv   = "SPEED_ANSWER"
	tokenHeader = "X-Codeium-Csrf-Token" //nolint:gosec // a header's name
)

// server is a running language server.
type server struct {
	pid   int
	base  string // scheme, address and port
	cmd   *exec.Cmd
	stdin io.Closer // closing it ends the process
}

// start starts a server that passes for an editor's own. The simulator gives its
// place, its command line, its environment and its answer, and a plain server
// takes over from it, which costs next to nothing beside think: what a server
// takes for other things would make the ratios look better.
func start(ctx context.Context, dir string) (*server, error) {
	// An empty WINDSOCK_SIMULATOR is a server that Windsock does not take for a
	// simulated one.
	model, err := simulator.Start(ctx, simulator.Options{
		Root: dir, Env: []string{"WINDSOCK_SIMULATOR="}, Config: simulator.Config{Token: token},
	})
	if err != nil {
		return nil, err
	}
	argv, err := words(model.Ready().PID, "cmdline")
	environ, eerr := words(model.Ready().PID, "environ")
	answer, aerr := ask(ctx, model.URL())
	if err := errors.Join(err, eerr, aerr, model.Stop()); err != nil {
		return nil, fmt.Errorf("take the simulator for a model: %w", err)
	}
	file := filepath.Join(dir, "answer.json")
	if err := os.WriteFile(file, answer, 0o600); err != nil {
		return nil, fmt.Errorf("keep answer: %w", err)
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	environ = append(environ, answerEnv+"="+file)
	cmd.Env = environ
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start server: %w", err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start server: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start server: %w", err)
	}
	s := &server{pid: cmd.Process.Pid, cmd: cmd, stdin: stdin}
	var port int
	if _, err := fmt.Fscanln(stdout, &port); err != nil {
		s.stop()
		return nil, fmt.Errorf("read the server's port: %w", err)
	}
	s.base = "http://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	return s, nil
}

func (s *server) stop() {
	_ = s.stdin.Close()
	_ = s.cmd.Wait() // how it ended is not of interest
}

// words are the strings of a file of /proc.
func words(pid int, name string) ([]string, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, name))
	return strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00"), err
}

// ask returns a server's answer to GetUserStatus.
func ask(ctx context.Context, base string) ([]byte, error) {
	body, err := requestBody()
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, base+languageserver.LanguageServerServiceGetUserStatusProcedure, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set(tokenHeader, token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, errors.New(response.Status)
	}
	return io.ReadAll(response.Body)
}

// serve is the main function of the server's process. It ends with its standard
// input, so with whoever started it.
func serve() {
	file := os.Getenv(answerEnv)
	if file == "" {
		simulator.Main()
	}
	if err := replay(file); err != nil {
		fmt.Fprintln(os.Stderr, "speed:", err)
		os.Exit(1)
	}
}

// replay answers RPCs on one port, and is silent on the other, as an editor's
// server is.
func replay(file string) error {
	answer, err := os.ReadFile(file) //nolint:gosec // start names it
	if err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	var config net.ListenConfig
	rpc, err := config.Listen(context.Background(), "tcp4", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	silent, err := config.Listen(context.Background(), "tcp4", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	defer silent.Close()
	methods := http.NewServeMux()
	method := func(name string, think time.Duration, answer []byte) {
		methods.HandleFunc("POST "+name, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "application/json")
			if r.Header.Get(tokenHeader) != token {
				w.WriteHeader(http.StatusForbidden)
				_, _ = io.WriteString(w, `{"code":"permission_denied"}`) // a client that is gone needs none
				return
			}
			time.Sleep(think)
			_, _ = w.Write(answer)
		})
	}
	method(languageserver.LanguageServerServiceGetUnleashDataProcedure, 0, []byte("{}"))
	method(languageserver.LanguageServerServiceGetUserStatusProcedure, think, answer)
	s := &http.Server{Handler: methods, ReadHeaderTimeout: time.Minute, ErrorLog: nil}
	go func() { // ends with the input
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = s.Close()
	}()
	tcp, ok := rpc.Addr().(*net.TCPAddr)
	if !ok {
		return errors.New("listen: no TCP address")
	}
	if _, err := fmt.Fprintln(os.Stdout, tcp.Port); err != nil {
		return fmt.Errorf("tell port: %w", err)
	}
	if err := s.Serve(rpc); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}
