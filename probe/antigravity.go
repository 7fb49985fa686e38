package probe

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"connectrpc.com/connect"
	"github.com/tidwall/gjson"
	"google.golang.org/protobuf/types/known/emptypb"

	"windsock/probe/jsoncheck"
	"windsock/probe/languageserver"
	"windsock/probe/system"
)

// The methods that answer what is left of a plan.
const (
	methodStatus     = "GetUserStatus"
	methodSummary    = "RetrieveUserQuotaSummary"
	procedureSummary = "/" + languageserver.LanguageServerServiceName + "/" + methodSummary
)

// kind is what kind of program an Antigravity process is, the preferred one first: the
// IDE's answer must not hide the fuller ones (PROTOCOL.md 8.1).
type kind int

const (
	notAntigravity kind = iota
	antigravityApp
	antigravityCLI
	antigravityIDE
)

// name is the program's name for people.
func (k kind) name() string {
	switch k {
	case antigravityIDE:
		return "Antigravity IDE"
	case antigravityCLI:
		return "Antigravity CLI"
	default:
		return "Antigravity"
	}
}

// antigravityKind tells an Antigravity process by its name, else by its flags, else, if
// no flag names an editor, by its path.
func antigravityKind(p system.Process) kind {
	file := strings.ToLower(strings.ReplaceAll(p.Path, `\`, "/"))
	if isCLI(file) {
		return antigravityCLI
	}
	named := false
	for _, value := range []string{p.AppDataDir, p.OverrideIDEName, p.IDEName} {
		switch value {
		case "antigravity":
			return antigravityApp
		case "antigravity-ide":
			return antigravityIDE
		}
		named = named || value != ""
	}
	if named {
		return notAntigravity
	}
	if strings.Contains(file, "/extensions/antigravity/bin/") {
		return antigravityIDE
	}
	root, bundle := strings.TrimSuffix(path.Dir(file), "/bin"), false
	for _, inside := range []string{".app/contents/", "/resources/bin/", "/resources/app/"} {
		if i := strings.LastIndex(file, inside); i >= 0 {
			root, bundle = file[:i], strings.HasPrefix(inside, ".app")
			break
		}
	}
	switch root = path.Base(root); {
	case root == "antigravity", root == "google antigravity", root == "gemini" && bundle:
		return antigravityApp
	case root == "antigravity-ide", root == "antigravity ide":
		return antigravityIDE
	}
	return notAntigravity
}

// isCLI reports whether a program, its path in lower case with slashes, is Antigravity's
// command line.
func isCLI(file string) bool {
	name := path.Base(file)
	if strings.Contains(name, "language_server") || strings.Contains(name, "language-server") {
		return false
	}
	return strings.TrimSuffix(name, ".exe") == "agy" || slices.ContainsFunc(strings.Split(file, "/"), func(segment string) bool {
		return segment == "agy" || segment == "antigravity-cli" || segment == "antigravity_cli"
	})
}

// preferFuller puts the servers whose answers hold the most first.
func preferFuller(all []*server) {
	slices.SortStableFunc(all, func(a, b *server) int {
		return cmp.Compare(antigravityKind(a.process), antigravityKind(b.process))
	})
}

// youth is how long after its start the errors of an Antigravity server mean that it is
// not ready: its port opens before it has read its sign-in (PROTOCOL.md 8.5).
const youth = 15 * time.Second

// quota asks Antigravity's server what is left of the plan, as Answer.Raw says. It
// sends no key: the server has its sign-in by itself.
func (s *server) quota(ctx context.Context) (raw []byte, method string, failure *Failure) {
	raw, method, failure = s.askQuota(ctx)
	if age := s.process.Age; failure != nil && age > 0 && age < youth {
		starting := s.fail(NoPort, failure, "")
		starting.says, starting.cure = s.id.App+" has just started, and its language server is not ready", "Try again in a moment."
		starting.reply = failure.reply
		return nil, method, starting
	}
	return raw, method, failure
}

// askQuota asks for the summary and, at the same time, for the account that it is of.
// Where the server has no summary, the status is the answer.
func (s *server) askQuota(ctx context.Context) (raw []byte, method string, _ *Failure) {
	ctx, cancel := context.WithTimeout(ctx, statusTimeout)
	defer cancel()
	var status []byte
	var noStatus *Failure
	var asking sync.WaitGroup // ends here
	asking.Go(func() {
		status, noStatus = s.askPlainly(ctx, languageserver.LanguageServerServiceGetUserStatusProcedure, userStatus)
	})
	summary, failure := s.askPlainly(ctx, procedureSummary, func(*languageserver.Metadata) any { return &emptypb.Empty{} })
	if failure != nil && !failure.Unsupported() {
		cancel()
	}
	asking.Wait()
	switch {
	case failure == nil && noStatus == nil:
		return withStatus(summary, status), methodSummary, nil
	case failure == nil:
		return summary, methodSummary, nil
	case !failure.Unsupported():
		return nil, methodSummary, failure
	case noStatus != nil:
		return nil, methodStatus, noStatus
	}
	return status, methodStatus, nil
}

// askPlainly makes one call, and finds the error that an answer may hold.
func (s *server) askPlainly(ctx context.Context, procedure string, request func(*languageserver.Metadata) any) ([]byte, *Failure) {
	var answer RawJSON
	if failure := call(ctx, s, 0, RPC{Procedure: procedure, most: maxStatus}, request, &answer); failure != nil {
		return nil, failure
	}
	if err := errorInside(answer.Data); err != nil {
		return nil, s.failure(path.Base(procedure), true, err)
	}
	return answer.Data, nil
}

// errorInside is the error that an answer with status 200 holds: a "code" that is
// neither 0 nor empty, as a number or a text (PROTOCOL.md 8.5).
func errorInside(raw []byte) error {
	if !jsoncheck.Valid(raw) {
		return nil // the decoder says so
	}
	found := gjson.GetManyBytes(raw, "code", "message")
	text := found[0].String()
	if found[0].Type == gjson.Null || text == "" || text == "0" {
		return nil
	}
	code := connect.CodeUnknown
	if number, err := strconv.ParseUint(text, 10, 8); err == nil && number <= uint64(connect.CodeUnauthenticated) {
		code = connect.Code(number)
	} else if err := code.UnmarshalText([]byte(strings.ToLower(text))); err != nil {
		code = connect.CodeUnknown
	}
	return connect.NewWireError(code, errors.New(found[1].String()))
}

// withStatus puts what tells the account and the plan from a status into a summary: the
// email, the userTier and the planStatus.planInfo.planName. What is no object stays out,
// or as it is.
func withStatus(summary, status []byte) []byte {
	const userStatus, planStatus, planInfo = "userStatus", "planStatus", "planInfo"
	var whole map[string]json.RawMessage
	own := gjson.GetBytes(status, userStatus) // the long list of models in it is skipped
	account := only(own, "email", "userTier")
	if json.Unmarshal(summary, &whole) != nil || whole == nil || whole[userStatus] != nil || account == nil {
		return summary
	}
	var err error
	if name := only(own.Get(planStatus).Get(planInfo), "planName"); len(name) > 0 {
		account[planStatus], err = json.Marshal(map[string]any{planInfo: name})
	}
	told, failed := json.Marshal(account)
	whole[userStatus] = told
	both, last := json.Marshal(whole)
	if errors.Join(err, failed, last) != nil {
		return summary
	}
	return both
}

// only are the fields of a JSON object with these names; nil if it is no object.
func only(object gjson.Result, names ...string) map[string]json.RawMessage {
	if !object.IsObject() {
		return nil
	}
	fields := map[string]json.RawMessage{}
	for _, name := range names {
		if v := object.Get(name); v.Exists() {
			fields[name] = json.RawMessage(v.Raw)
		}
	}
	return fields
}
