package main

// attacks are the rows of SECURITY.md's tables, in their order, each with the code to
// remove to make it succeed. The rest must compile.
var attacks = []attack{
	{"another program listens where the server was", []mutation{
		{"probe/transport.go", `err := sys.Verify(ctx, p, addr); err != nil`, `err := error(nil); err != nil`, []string{"probe TestNothingIsSentToAStranger"}},
		{"probe/system/listener.go", `if !owned(l) {`, `if false {`, []string{"probe TestRealStrangersListener"}},
	}},
	{"a proxy, a redirect, a name that resolves elsewhere", []mutation{
		{"probe/transport.go", `if !addr.Addr().IsLoopback() {`, `if false {`, []string{"probe TestOnlyLoopbackIsDialled"}},
		{"probe/transport.go", `CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },`, ``, []string{"probe TestRedirectsAreNotFollowed"}},
		{"probe/transport.go", `DisableCompression: true,`, `DisableCompression: true, Proxy: http.ProxyFromEnvironment,`, []string{"probe TestNoProxyIsUsed"}},
	}},
	{"Windsurf's key or token sent to Antigravity's server", []mutation{
		{"probe/server.go", `if s.variant.Product == Windsurf { // the key is Windsurf's`, `if s.variant.Product != "" {`, []string{"probe TestAntigravityGetsNothingOfWindsurf"}},
		{"probe/find.go", `p = p.WithFlagToken()`, `_ = p.WithFlagToken`, []string{"probe TestAntigravityGetsNothingOfWindsurf"}},
	}},
	{"a request before you have allowed it, or a file opened for one", []mutation{
		{"tray/app/cloud.go", `if len(allowed.Allow) == 0 {
		return nil, allowed
	}
	return slices.DeleteFunc(cloud.Sources(n.signIns()), func(s cloud.Source) bool {
		_, ok := allowed.Allowed(s.Name)
		return s.Product != string(product) || !ok`, `return slices.DeleteFunc(cloud.Sources(n.signIns()), func(s cloud.Source) bool {
		return s.Product != string(product)`, []string{"tray/app TestCloudOrder/nothing_is_allowed"}},
		{"probe/cloud/choices.go", `listed := Listed{`, `_, _ = source.read(context.Background())
		listed := Listed{`, []string{"tray/app/e2e TestNoConsent"}},
		{"probe/cloud/consent.go", `if c.Invalid() != nil {`, `if false {`, []string{"probe/cloud TestConfigInvalid/twice"}},
	}},
	{"a token sent to a host that you have not allowed it at", []mutation{
		{"probe/cloud/client.go", `case host != q.Host:`, `case host != q.Host && false:`, []string{"probe/cloud TestOtherHost/moved", "probe/cloud TestOtherHost/nothing_allowed"}},
		{"probe/cloud/host.go", `path != prefix(host) || host == hostCursor {
		return "", false`, `path != prefix(host) || host == hostCursor {
		return hostWindsurf, true`, []string{"probe/cloud TestHostOf", "probe/cloud TestOtherHost/odd_url"}},
		{"probe/cloud/transport.go", `r.URL.Host != host {`, `r.URL.Host == "" {`, []string{"probe/cloud TestOnlyOneHostIsReached"}},
		{"probe/cloud/transport.go", `if address != only {`, `if address == only+"?" {`, []string{"probe/cloud TestOnlyOneHostIsReached"}},
	}},
	{"a redirect of a maker's service", []mutation{
		{"probe/cloud/client.go", `CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },`, ``, []string{"probe/cloud TestRedirectsAreNotFollowed"}},
	}},
	{"somebody between here and a maker's service", []mutation{
		{"probe/cloud/transport.go", `&tls.Config{MinVersion: tls.VersionTLS12}`, `&tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: true}`, []string{"probe/cloud TestFaults/untrusted"}},
		{"probe/cloud/transport.go", `&tls.Config{MinVersion: tls.VersionTLS12}`, `&tls.Config{MinVersion: tls.VersionTLS10}`, []string{"probe/cloud TestOldOrNoTLS"}},
	}},
	{"what a maker's service tells of you, passed on", []mutation{
		{"probe/cloud/windsurf.go", `[]string{"userId", "email", "teamId"}`, `[]string{"userId", "email", "teamId", "name"}`, []string{"probe/cloud TestWindsurfRequests/identify"}},
		{"tray/app/cloud.go", `product.Anonymize(of, answer.Raw)`, `slices.Concat(product.Anonymize(of, nil)[:0], answer.Raw)`, []string{"tray/app TestCloudKeepsNothingPersonal"}},
	}},
	{"a maker's service asked again and again", []mutation{
		{"probe/cloud/due.go", `if since < never {`, `if false {`, []string{"probe/cloud TestDue/reset_passed_but_just_asked"}},
		{"probe/cloud/due.go", `if now.Before(until) {`, `if false {`, []string{"probe/cloud TestDue/wait_is_asked_for_and_clicked"}},
		{"probe/kept/place.go", `if l = p.Read(); !due(l) {`, `if l = p.Read(); false {`, []string{"probe/kept TestGetMeanwhile/too_old"}},
	}},
	{"a key or token in a log, an error, a file, a command line", []mutation{
		{"probe/cloud/transport.go", `return errors.New("no answer that can be read")`, `return err`, []string{"probe/cloud TestFailuresTellNoSecret"}},
		{"probe/secret/secret.go", `func (Secret) Format(state fmt.State, _ rune) { _, _ = state.Write([]byte(Redacted)) }`, `func (s Secret) Format(state fmt.State, _ rune) { _, _ = state.Write([]byte(s.Reveal())) }`, []string{"probe/secret TestSecretShowsNowhere"}},
		{"probe/answer.go", `return errors.New(connect.CodeOf(err).String())`, `return err`, []string{"probe TestUserStatusFailures", "tray/app/e2e TestSecretsStayIn/error_internal"}},
	}},
	{"another user's process under the right name", []mutation{
		{"probe/system/system_linux.go", `return err == nil && uid == f.uid`, `return err == nil && uid >= 0`, []string{"probe TestRealServerOfAnotherUser"}},
	}},
	{"a copy of the database left behind, or read by others", []mutation{
		{"probe/signin/copy.go", `os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)`, `os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)`, []string{"probe/signin TestCopyIsPrivate"}},
		{"probe/signin/copy.go", `time.Since(info.ModTime()) > staleCopy`, `time.Since(info.ModTime()) > 1000*staleCopy`, []string{"probe/signin TestRemoveStaleCopies"}},
		{"probe/signin/copy.go", `defer func() { err = errors.Join(err, redact.Path(os.RemoveAll(dir))) }()`, ``, []string{"probe/signin TestCopyIsPrivate"}},
		{"probe/signin/key.go", `removeStaleCopies(d.copies)`, ``, []string{"probe/signin TestLeftOversGo"}},
	}},
	{"escape sequences in a title, a model's label, an answer on a terminal", []mutation{
		{"probe/terminal/line.go", `if plain(text) {`, `if true || plain(text) {`, []string{"chat/clean TestCascadeTitle", "probe/terminal FuzzShort"}},
		{"chat/cli/ask_screen.go", `!unicode.IsControl(r):`, `true || unicode.IsControl(r):`, []string{"chat/cli TestScreen"}},
		{"usage/spend/command_text.go", `label := terminal.Short(l.Label)`, `label := l.Label`, []string{"usage/spend TestText"}},
	}},
	{"a title that a spreadsheet computes", []mutation{
		{"usage/spend/command_document.go", `strings.ContainsRune("=+-@", rune(text[0]))`, `strings.ContainsRune("", rune(text[0]))`, []string{"usage/spend TestCommandGolden"}},
	}},
	{"a prompt sent, and paid, twice", []mutation{
		{"chat/cascade/client.go", `SendUserCascadeMessageProcedure, Timeout: sendTimeout, Once: true}`, `SendUserCascadeMessageProcedure, Timeout: sendTimeout}`, []string{"tray/app/e2e TestAskSendsOnce"}},
		{"chat/acp/engine.go", `if kept == nil || sent || !failed`, `if _ = sent; kept == nil || !failed`, []string{"chat/acp TestNotSentTwice"}},
		{"probe/call.go", ` || once && failed.reply.sent {`, ` {`, []string{"probe TestCallAfterARestart"}},
	}},
	{"an image for a model that takes none", []mutation{
		{"chat/image.go", `if c.Models[at].Images {`, `if true {`, []string{"chat TestServiceRefusesImages"}},
		{"chat/acp/turn.go", `len(p.Images) == 0 || a.images {`, `true {`, []string{"chat/acp TestImages"}},
	}},
	{"an image in a file, a log or an error", []mutation{
		{"chat/openai/image.go", `return nil, errNoBase64 // without the text`, `return nil, err`, []string{"chat/openai TestReadDataURL"}},
		{"chat/cli/ask_image.go", `say.Usage("--image number %d: %w", i+1, err)`, `say.Usage("--image number %d, %s: %w", i+1, path, err)`, []string{"tray/app/e2e TestImagesStayInMemory"}},
	}},
	{"someone else's cascade archived", []mutation{
		{"chat/clean/plan.go", `k.running = k.running || cascade.Runs(summary)`, `_ = cascade.Runs`, []string{"tray/app/e2e TestCleanLeavesWhatRuns"}},
		{"chat/cascade/drain.go", `case t.prompts() > prompts:`, `case t.prompts() > 100*prompts:`, []string{"tray/app/e2e TestDrainLeavesWhatAPersonWentOnWith"}},
		{"chat/clean/clean.go", `case err != nil:`, `case err != nil && false:`, []string{"chat/clean TestListFails"}},
		{"probe/find.go", `case len(sessions) > 0 && silent != nil:`, `case false && silent != nil:`, []string{"tray/app/e2e TestCleanLeavesWhatRuns"}},
	}},
	{"a link out of the cascades' directory", []mutation{
		{"chat/clean/files.go", `codeium.OpenRoot("cascade")`, `os.OpenRoot(codeiumDir + "/cascade")`, []string{"chat/clean TestCascadeFilesElsewhere"}},
		{"chat/clean/files.go", `d.root.Lstat(`, `d.root.Stat(`, []string{"chat/clean TestCascadeFiles"}},
	}},
	{"DNS rebinding, a wrong Host", []mutation{
		{"probe/loopback/guard.go", `!slices.Contains(g.Hosts, r.Host)`, `!slices.Contains(g.Hosts, g.Hosts[0])`, []string{"tray/window TestHost", "tray/window TestAttacks", "probe/loopback TestGuard", "chat/openai TestCurlRefused"}},
	}},
	{"a page on another port", []mutation{
		{"tray/window/guard.go", `site[0] != "same-origin" && site[0] != "none"`, `site[0] == "cross-site"`, []string{"tray/window TestAttacks"}},
	}},
	{"a page that allows Windsock a host of its choice, or without the words about it", []mutation{
		{"tray/app/window_cloud.go", `if offer.Host != host {`, `if offer.Host == "" {`, []string{"tray/app TestWindowCloudRefuses/host_has_changed", "tray/app TestWindowCloudRefuses/another_host_for_cursor"}},
		{"probe/cloud/choices.go", `case typed == "" && !known:`, `case typed == "?" && !known:`, []string{"tray/app TestWindowCloudRefuses/host_of_a_stranger"}},
		{"tray/settings/form.go", `case !ok || s.apart():`, `case !ok:`, []string{"tray/settings TestFormLeavesKeysApart"}},
	}},
	{"another user's program on this computer", []mutation{
		{"probe/loopback/guard.go", `peerOf(r.Context()) == peerForeign`, `peerOf(r.Context()) < peerForeign`, []string{"tray/window TestOtherAccount"}},
		{"probe/system/sockdiag/sockdiag_linux.go", `return s.Inode != 0 && (s.State == stateEstablished || s.State == stateCloseWait)`, `return true`, []string{"probe/loopback TestClosedPeer"}},
	}},
	{"a ticket guessed, too late, used again", []mutation{
		{"tray/window/ticket.go", `close(t.all[found].spent)`, ``, []string{"tray/window TestTickets", "tray/window TestSpentTicket"}},
		{"tray/window/ticket.go", `if t.tries++; t.tries >= maxTries {`, `if t.tries >= maxTries {`, []string{"tray/window TestGuessing"}},
		{"tray/window/window.go", `ticket: 30 * time.Second`, `ticket: 300 * time.Second`, []string{"tray/window TestTickets"}},
		{"tray/window/ticket.go", `!now.Before(t.all[found].until)`, `now.IsZero()`, []string{"tray/window TestOldTicket"}},
	}},
	{"the API without its key", []mutation{
		{"chat/openai/key.go", `info.Mode().Perm()&0o077 != 0`, `info.Mode().Perm()&0o002 != 0`, []string{"chat/openai TestKeyFile"}},
		{"chat/openai/handler.go", `!s.key.Equal(secret.New(strings.TrimSpace(key)))`, `key == "" && !s.key.Equal(secret.New(key))`, []string{"chat/openai TestCurlRefused"}},
	}},
	{"a bug report that says too much", []mutation{
		{"probe/doctor/secret.go", `{ return address.ReplaceAllString(known.Replace(text), secret.Redacted) }`, `{ _ = known; return text }`, []string{"probe/doctor TestDoctorTellsNoSecret"}},
		{"usage/saved/saved.go", `s.removed = min(s.removed+1, maxRemoved)`, `s.name(name); s.out = append(append(s.out, value.Raw...), ',')`, []string{"usage/windsurf FuzzAnonymize"}},
		{"usage/antigravity/save.go", `v.Type == gjson.String && keep(v.Str)`, `v.Type == gjson.String`, []string{"usage/antigravity TestAnonymize"}},
		{"probe/doctor/secret.go", `"%s of %d characters", kind, utf8`, `"%s %s of %d characters", text, kind, utf8`, []string{"probe/doctor TestForm"}},
	}},
	{"too large, too slow, too many", []mutation{
		{"probe/loopback/server.go", `http.MaxBytesReader(w, r.Body, most)`, `r.Body`, []string{"probe/loopback TestReadBody", "tray/window TestBodies"}},
		{"probe/loopback/server.go", `ReadHeaderTimeout: headerTime,`, ``, []string{"probe/loopback TestSlowHead"}},
		{"probe/loopback/server.go", `MaxHeaderBytes:    headSize,`, ``, []string{"probe/loopback TestLargeHead"}},
		{"probe/loopback/loopback.go", `if c.open.Add(1) <= most {`, `if c.open.Add(1) <= most || true {`, []string{"probe/loopback TestConnections"}},
	}},
	{"a page of another site, a frame, a form", []mutation{
		{"probe/loopback/guard.go", `case page(r) != nil:`, `case page(r) != nil && false:`, []string{"tray/window TestAttacks"}},
		{"tray/window/guard.go", `"frame-ancestors 'none'; base-uri`, `"base-uri`, []string{"tray/window TestAttacks"}},
		{"tray/window/guard.go", `"X-Frame-Options":              "DENY",`, `"X-Frame-Options":              "",`, []string{"tray/window TestAttacks"}},
		{"tray/window/guard.go", `r.URL.Path == "/boot" && `, ``, []string{"tray/window TestComesIn"}},
		{"tray/window/served.go", `SameSite: http.SameSiteStrictMode`, `SameSite: http.SameSiteLaxMode`, []string{"tray/window TestCookie"}},
	}},
	{"HTML, script, pictures and links in a model's answer", []mutation{
		{"assets/window/parts/markdown.js", `return purify.sanitize(marked.parser(tokensOf(block, references)), allowed);`, `return document.createRange().createContextualFragment(marked.parser(tokensOf(block, references)));`, []string{"assets/windowtest TestSanitizerTakesHTMLOut"}},
		{"assets/window/parts/markdown.js", `    html: ({ text }) => (/^<br ?\/?>$/i.test(text.trim()) ? '<br>' : escape(text)),`, ``, []string{"assets/windowtest TestAnswerIsInert"}},
		{"tray/window/guard.go", `"Content-Security-Policy":      policy,`, `"Content-Security-Policy":      "",`, []string{"assets/windowtest TestPolicyHolds"}},
	}},
	{"characters of an answer or a title that are not seen, or turn the direction of others", []mutation{
		{"chat/cli/ask_screen.go", `case deceives(r):`, `case false && deceives(r):`, []string{"chat/cli TestScreen"}},
		{"assets/window/parts/answer.js", `    show(element);`, ``, []string{"assets/windowtest TestHiddenCharactersAreShown"}},
		{"assets/window/parts/spend.js", `<bdi>${shown(label)}</bdi>`, `${label}`, []string{"assets/windowtest TestSpendIsNarrowed"}},
	}},
	{"JSON that nests, or goes on, without end, from a server or a file", []mutation{
		{"probe/jsoncheck/jsoncheck.go", `return Bounded(text) && gjson`, `return gjson`, []string{"probe/jsoncheck TestValid", "probe TestHandshake"}},
		{"probe/transport.go", `http.MaxBytesReader(nil, response.Body, maxMessage+1)`, `response.Body`, []string{"probe TestEndlessAnswers"}},
		{"probe/transport.go", `http.MaxBytesReader(nil, response.Body, maxPicked)`, `response.Body`, []string{"probe TestEndlessPick"}},
		{"probe/jsonpick/jsonpick.go", `if len(r.open)+len(r.inside) > jsoncheck.MaxDepth {`, `if jsoncheck.MaxDepth < 0 {`, []string{"probe/jsonpick TestReaderRefuses"}},
		{"probe/cloud/client.go", `maxAnswer = 1 << 20`, `maxAnswer = 1 << 30`, []string{"probe/cloud TestFaults/huge"}},
		{"probe/cloud/client.go", `context.WithTimeout(ctx, s.patience)`, `context.WithTimeout(ctx, 100*s.patience)`, []string{"probe/cloud TestPatience"}},
	}},
	{"what `agy` tells of your session, kept", []mutation{
		{"probe/agy/statusline.go", `!bucketName().MatchString(name)`, `name == ""`, []string{"probe/agy TestStatusLineKeeps", "probe/agy FuzzReduce"}},
		{"probe/agy/statusline.go", `RemainingFraction: number(b.RemainingFraction)`, `RemainingFraction: b.RemainingFraction`, []string{"probe/agy TestStatusLineKeeps"}},
		{"probe/agy/statusline.go", `files.Overwrite(d.figures(), raw, 0o600)`, `files.Overwrite(d.figures(), payload, 0o600)`, []string{"probe/agy TestStatusLineKeeps", "tray/app/e2e TestSecretsStayIn/not_running"}},
		{"probe/agy/last.go", `RemainingFraction: number(raw["remaining_fraction"])`, `RemainingFraction: raw["remaining_fraction"]`, []string{"probe/agy TestReduceUsage"}},
		{"probe/agy/last.go", `return b, bucketName().MatchString(b.ID)`, `return b, b.ID != ""`, []string{"probe/agy TestReduceUsage", "tray/app/e2e TestSecretsStayIn/agy_answers"}},
		{"probe/kept/place.go", `files.Overwrite(p.file(), text, 0o600)`, `files.Overwrite(p.file(), text, 0o644)`, []string{"probe/kept TestGet"}},
	}},
	{"the settings of `agy` lost, or another program's status line replaced", []mutation{
		{"probe/agy/settings.go", `case whose == other:`, `case whose == other && false:`, []string{"probe/agy TestWithLine", "probe/agy TestInstallRefuses"}},
		{"probe/agy/settings.go", `return o.replaced(end, end, ","+blank`, `return o.replaced(o.members[last].valueStart, end, "0,"+blank`, []string{"probe/agy TestWithLine", "probe/agy FuzzWithLine"}},
		{"probe/agy/install.go", `case info.Mode()&fs.ModeSymlink != 0:`, `case info.Mode()&fs.ModeSymlink != 0 && false:`, []string{"probe/agy TestInstallFollowsNoLink"}},
	}},
	{"an `agy` out of the working directory, without end, again and again, or handed an editor's token", []mutation{
		{"probe/agy/last.go", `!fresh(usable(l), every) && now.Sub(l.Asked) >= every`, `!fresh(usable(l), every)`, []string{"probe/agy TestUsageIsKept", "probe/agy TestUsageCutOff"}},
		{"probe/kept/place.go", `p.write(kept{Last: l, Asking: asked})`, `p.write(kept{Last: l})`, []string{"probe/kept TestProcessDies", "probe/agy TestUsageCutOff"}},
		{"probe/kept/place.go", `held, err = lock.TryLockContext(ctx, lockPoll)`, `held, err = true, ctx.Err()`, []string{"probe/kept TestGetWaits", "probe/agy TestUsageOfTen"}},
		{"probe/agy/find.go", `return err == nil && filepath.IsAbs(path)`, `return err == nil && filepath.IsLocal(filepath.Base(path))`, []string{"probe/agy TestFind"}},
		{"probe/agy/usage.go", `!strings.Contains(strings.ToUpper(name), "CSRF_TOKEN")`, `name != "CSRF_TOKEN"`, []string{"probe/agy TestUsageRunsAlone"}},
		{"probe/agy/usage.go", `if b.kept.Len()+len(p) > b.most {`, `if b.kept.Len()+len(p) > b.most && false {`, []string{"probe/agy TestUsage"}},
		{"probe/agy/usage.go", `exec.CommandContext(limited,`, `exec.CommandContext(ctx,`, []string{"probe/agy TestUsageTakesTooLong"}},
		{"probe/agy/alone_unix.go", `syscall.Kill(-cmd.Process.Pid`, `syscall.Kill(cmd.Process.Pid`, []string{"probe/agy TestUsageCancelled"}},
	}},
	{"a link where the log should be", []mutation{
		{"tray/app/log_unix.go", `syscall.O_NOFOLLOW | syscall.O_NONBLOCK`, `syscall.O_NONBLOCK`, []string{"tray/app TestLogFollowsNothing"}},
	}},
	{"a worker, a script or cookies that a page has left in your browser, once, on the port that the window gets", []mutation{
		{"tray/window/served.go", `if w.config.ByName() {`, `if false && w.config.ByName() {`, []string{"assets/windowtest TestPlanted", "assets/windowtest TestLargeCookies", "tray/window TestHost"}},
	}},
	{"somebody else listens where the browser looks for that name", []mutation{
		{"probe/loopback/both.go", `return []*Listener{first, second}, nil`, `_ = second.Close()
			return []*Listener{first}, nil`, []string{"probe/loopback TestListenBoth", "tray/window TestBothAddresses"}},
	}},
	{"a ticket read on a command line, or in a file", []mutation{
		{"tray/window/browser/open.go", `argv := b.argv(files.shown(ctx, s.fileDir(b.path, o.Dir)))`, `argv := b.argv(address)`, []string{"tray/window/browser TestOpen"}},
		{"tray/window/browser/redirect.go", `os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)`, `os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)`, []string{"tray/window/browser TestRedirect"}},
		{"tray/window/served.go", `clearAway()
	}) {`, `}) {`, []string{"tray/window TestCleared"}},
	}},
	{"an answer that shows as nothing, or holds the page's only thread", []mutation{
		{"assets/window/parts/markdown.js", `lines: 1000`, `lines: Infinity`, []string{"assets/windowtest TestHostileAnswerIsShown"}},
	}},
	{"prompts in the browser's profile, requests to elsewhere", []mutation{
		{"assets/window/lib/session.js", `  session.turns.unshift(turn);`, `  session.turns.unshift(turn);
  localStorage.setItem('prompt', text);`, []string{"assets/windowtest TestNothingIsKeptAndNothingLeaves"}},
	}},
	{"the path of a workspace in the browser's list of downloads", []mutation{
		{"tray/window/spend_table.go", `by != spend.ByWorkspace || key == ""`, `true`, []string{"tray/window TestSpendNamesWorkspaces", "assets/windowtest TestNothingIsKeptAndNothingLeaves"}},
	}},
	{"a text of a request to the API that speaks as the system", []mutation{
		{"chat/openai/fold.go", `for taken[n] {`, `for false {`, []string{"chat/openai TestTagsAreInNoText"}},
	}},
	{"a tool call that a model only quotes", []mutation{
		{"chat/openai/toolcall.go", `calls != nil && content == "" {`, `calls != nil {`, []string{"chat/openai TestFindCalls", "chat/openai TestConclusions/quoted_readme"}},
	}},
	{"what a model said that stays in the API's memory", []mutation{
		{"chat/openai/response.go", `if f.keep {`, `if true || f.keep {`, []string{"chat/openai TestReferences/off"}},
		{"chat/openai/said.go", `time.Since(s.order[0].at) >= saidTime`, `s.order[0].at.IsZero()`, []string{"chat/openai TestSaid"}},
		{"chat/openai/said.go", `s.bytes > maxSaid`, `s.bytes < 0`, []string{"chat/openai TestSaidIsBounded"}},
	}},
	{"a database of the editor that hangs its reader, or fills the memory", []mutation{
		{"probe/signin/state.go", `[]string{"-wal", "-shm", "-journal"} {`, `[]string{"-wal", "-shm"} {`, []string{"probe/signin TestReadStateBesideAPipe"}},
		{"probe/signin/state.go", `case kind != "table":`, `case kind == "":`, []string{"probe/signin TestReadStateLimits"}},
	}},
	{"a tool of an agent that acts on your prompt", []mutation{
		{"chat/acp/profile.go", `"deny": []string{"Write(**)", "exec", "Fetch(*)", "mcp__*"}`, `"deny": []string{}`, []string{"chat/acp TestFence"}},
		{"chat/acp/options.go", `if !slices.Contains(daring, c.current) {`, `if true || !slices.Contains(daring, c.current) {`, []string{"chat/acp TestDaring"}},
		{"chat/acp/permission.go", `o.Get("kind").String() == "reject_once"`, `o.Get("kind").String() != ""`, []string{"chat/acp TestRulesPermission"}},
		{"chat/acp/agent.go", `return &actsError{acts}`, `return nil`, []string{"chat/acp TestActs"}},
		{"chat/acp/fence.go", `if c.asked || c.status != "pending"`, `if true || c.asked || c.status != "pending"`, []string{"chat/acp TestActs"}},
	}},
	{"an agent started that nobody has chosen, for another program, or by itself", []mutation{
		{"chat/cli/consent.go", `if err == nil && !wanted {`, `if false && !wanted {`, []string{"chat/cli TestConsent"}},
		{"tray/app/chat.go", `return s.on(chat.Cascade), err`, `return s, err`, []string{"tray/app TestWhoAsksWhom"}},
		{"tray/app/doctor_agents.go", `if id == s.Engine {`, `if true {`, []string{"tray/app TestDoctorOfAgents"}},
		{"tray/window/models.go", `r.URL.Query().Get("start") != ""`, `true`, []string{"tray/window TestEngineIsChosen"}},
	}},
	{"what an agent leaves running or lying about, also of a Windsock that was killed", []mutation{
		{"chat/acp/process/marked.go", `marked(markVariable + "=" + mark)`, `marked(markVariable + "==" + mark)`, []string{"chat/acp/process TestEnd"}},
		{"chat/acp/process/place.go", `killMarked(e.Name())`, ``, []string{"chat/acp/process TestKilled", "chat/acp TestKilled"}},
		{"chat/acp/process/place.go", `if held, err := lock.TryLock(); err == nil && held {`, `if held, err := lock.TryLock(); err == nil && (held || true) {`, []string{"chat/acp/process TestSweep"}},
	}},
	{"your keys, or what loosens an agent's rules, in its environment", []mutation{
		{"chat/acp/environ.go", `if slices.Contains(more, name) || wanted(name) {`, `if true || slices.Contains(more, name) || wanted(name) {`, []string{"chat/acp TestEnviron"}},
	}},
	{"a program planted where an agent is looked for", []mutation{
		{"chat/acp/find.go", `case !guarded(path):`, `case false && !guarded(path):`, []string{"chat/acp TestFindGuarded"}},
	}},
	{"a prompt, an answer or an error of an agent in a log", []mutation{
		{"chat/acp/wire/wire.go", `return "error " + strconv.FormatInt(e.Code, 10)`, `return "error " + e.Message`, []string{"chat/acp TestSecrets"}},
	}},
	{"another program says that you have clicked a notification, or pressed the key for the prompt", []mutation{
		{"tray/desktop/board_linux.go", `p.owner != signal.Sender`, `false`, []string{"tray/desktop TestLiars"}},
		{"tray/shortcut/portal_linux.go", `case s.Sender == p.owner:`, `case true:`, []string{"tray/shortcut TestPortalLiars"}},
	}},
	{"an agent that hangs, floods, or sends what is no message", []mutation{
		{"chat/acp/agent.go", `limit := time.NewTimer(w.limit)`, `limit := time.NewTimer(100 * w.limit)`, []string{"chat/acp TestLimits"}},
		{"chat/acp/wire/line.go", `len(line)+len(part) > MaxLine:`, `len(line)+len(part) > 100*MaxLine:`, []string{"chat/acp/wire TestEnds"}},
	}},
}
