package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"windsock/probe/languageserver"
	"windsock/probe/simulator"
)

// answersFile is the variable with a talkative server's answers. It makes a server of
// this program, under a language server's name.
const answersFile = "WINDSOCK_TEST_ANSWERS"

// It cannot wait for TestMain, which makes a simulator of such a process.
func init() { //nolint:gochecknoinits // see above
	if name := os.Getenv(answersFile); name != "" && simulator.IsServer(os.Args[0]) {
		if err := talk(name); err != nil {
			_, _ = fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
}

// talkative has a server's answers, as the bytes of HTTP: the simulator's are all
// well-formed. In Status, Header and Body, requestMark becomes the request, with the
// key and the token in it. Raw is sent instead of them.
type talkative struct {
	Status string            `json:"status"`
	Header map[string]string `json:"header"`
	Body   string            `json:"body"`
	Raw    string            `json:"raw"`
}

const requestMark = "@REQUEST@"

// talk is the server: it answers by the method's name until its input ends.
func talk(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var answers map[string]talkative
	if err := json.Unmarshal(text, &answers); err != nil {
		return err
	}
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go func() { // ends with the process
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go serveTalk(conn, answers)
		}
	}()
	_, _ = fmt.Println("ready")
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

func serveTalk(conn net.Conn, answers map[string]talkative) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	for {
		request, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return
		}
		asked := fmt.Sprintf("%s %v %s", request.URL, request.Header, body)
		answer := answers[filepath.Base(request.URL.Path)]
		if _, err := conn.Write(answer.bytes(asked)); err != nil || answer.Raw != "" {
			return
		}
	}
}

func (a talkative) bytes(asked string) []byte {
	quoted := strings.Trim(strconv.Quote(asked), `"`) // fit for a line and for JSON
	if a.Raw != "" {
		return []byte(strings.ReplaceAll(a.Raw, requestMark, quoted))
	}
	if a.Status == "" {
		a.Status = "200 OK"
	}
	var out bytes.Buffer
	body := strings.ReplaceAll(a.Body, requestMark, quoted)
	fmt.Fprintf(&out, "HTTP/1.1 %s\r\nContent-Length: %d\r\n", a.Status, len(body))
	if a.Header["Content-Type"] == "" {
		out.WriteString("Content-Type: application/json\r\n")
	}
	for name, value := range a.Header {
		fmt.Fprintf(&out, "%s: %s\r\n", name, value)
	}
	fmt.Fprintf(&out, "\r\n%s", body)
	return out.Bytes()
}

// plantedStatus is an answer with figures, for an account that is low, with the
// secrets in every other text field, and in unknown fields. change may break it.
func plantedStatus(t *testing.T, change func(root, plan map[string]any)) string {
	t.Helper()
	message := &languageserver.GetUserStatusResponse{}
	plantTexts(message.ProtoReflect(), 0)
	text, err := protojson.Marshal(message)
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	plantUnknown(root)
	plan := root["userStatus"].(map[string]any)["planStatus"].(map[string]any)
	info := plan["planInfo"].(map[string]any)
	delete(root, "planInfo")
	info["planName"], info["billingStrategy"] = "Pro", "BILLING_STRATEGY_QUOTA"
	plan["dailyQuotaRemainingPercent"], plan["weeklyQuotaRemainingPercent"] = 3, 60
	plan["dailyQuotaResetAtUnix"], plan["weeklyQuotaResetAtUnix"] = "4102444800", "4102444800"
	plan["overageBalanceMicros"] = "1500000"
	if change != nil {
		change(root, plan)
	}
	text, err = json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// plantTexts fills all fields with texts, also those of messages and of lists.
func plantTexts(m protoreflect.Message, depth int) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		field := fields.Get(i)
		switch {
		case field.IsMap() || strings.HasPrefix(string(m.Descriptor().FullName()), "google."):
		case field.Kind() == protoreflect.StringKind && field.IsList():
			m.Mutable(field).List().Append(protoreflect.ValueOfString(plantedText))
		case field.Kind() == protoreflect.StringKind:
			m.Set(field, protoreflect.ValueOfString(plantedText))
		case field.Kind() == protoreflect.MessageKind && depth < 6 && field.IsList():
			plantTexts(m.Mutable(field).List().AppendMutable().Message(), depth+1)
		case field.Kind() == protoreflect.MessageKind && depth < 6:
			plantTexts(m.Mutable(field).Message(), depth+1)
		}
	}
}

// plantUnknown adds what no version knows to every object.
func plantUnknown(object map[string]any) {
	for _, value := range object {
		if inner, ok := value.(map[string]any); ok {
			plantUnknown(inner)
		}
	}
	object["note"] = plantedText
	object["notes"] = []any{plantedText, map[string]any{"note": plantedText}}
	for _, one := range secrets {
		object[one.text] = 1
	}
}

// plantedCache is what an editor keeps of such an answer, in protobuf.
func plantedCache(t *testing.T) []byte {
	t.Helper()
	message := &languageserver.GetUserStatusResponse{}
	plantTexts(message.ProtoReflect(), 0)
	status := message.GetUserStatus()
	plan := status.GetPlanStatus()
	plan.PlanInfo.PlanName = "Pro"
	plan.AvailablePromptCredits, plan.UsedPromptCredits = 50000, 4700
	binary, err := proto.Marshal(status)
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// startTalkative starts a server process that says what answers say, with the
// secrets in its environment and on its command line, and returns its PID.
func startTalkative(t *testing.T, dir string, answers map[string]talkative) int {
	t.Helper()
	if _, ok := answers["GetUnleashData"]; !ok {
		answers["GetUnleashData"] = talkative{Body: `{"context":{"sessionId":"s"}}`}
	}
	text, err := json.Marshal(answers)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "answers.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "usr/share/windsurf/resources/app/extensions/windsurf/bin/language_server_linux_x64")
	install(t, program)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	cmd := exec.CommandContext(ctx, program, append([]string{"--ide_name", "windsurf"}, plantedArgs()...)...)
	cmd.Env = append(plantedEnv(), answersFile+"="+file, "WINDSURF_CSRF_TOKEN="+secretNamed("csrf token"))
	cmd.Stderr = os.Stderr
	if _, err := cmd.StdinPipe(); err != nil { // whose end, with this process, ends the server
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait() // killed
	})
	if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "ready\n" {
		t.Fatalf("server said %q, %v", line, err)
	}
	return cmd.Process.Pid
}

func secretNamed(name string) string {
	for _, one := range secrets {
		if one.name == name {
			return one.text
		}
	}
	return ""
}

// plantedArgs and plantedEnv are what an editor may give its server, and more.
func plantedArgs() []string {
	return []string{
		"--workspace_id", "file_" + plantedText, "--database_dir", secretNamed("path") + "/.codeium/windsurf/database",
		"--parent_pipe_path=" + plantedText, plantedText,
	}
}

func plantedEnv() []string {
	return []string{"USER=" + secretNamed("first name in the way of a login"), "EMAIL=" + secretEmail, "NOTE=" + plantedText}
}
