package cloud

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"time"

	"windsock/probe/say"
)

// Code names the reason why a service gave no figures.
type Code string

// The codes.
const (
	NoCredential   Code = "no_credential"    //nolint:gosec // a code: nobody is signed in, or not in a way that can be used
	Expired        Code = "expired"          // the sign-in says that it has ended
	HostNotAllowed Code = "host_not_allowed" // the sign-in names another host than the person has allowed
	Rejected       Code = "rejected"         // the service does not know the sign-in any more
	Refused        Code = "refused"          // the service knows it and gives nothing
	WrongRegion    Code = "wrong_region"     // the account lives at another host
	Unsupported    Code = "unsupported"      // the service has none of the methods
	RateLimited    Code = "rate_limited"     // asked too often
	Offline        Code = "offline"          // no network, no answer in time, a proxy that refuses
	TLS            Code = "tls"              // the certificate is not one to trust
	ServerError    Code = "server_error"     // the service is in trouble
	BadResponse    Code = "bad_response"     // an answer that cannot be used
)

// failureTable gives the meaning of each code to people and scripts. In what and cure,
// {app} is the program that has signed in.
var failureTable = map[Code]struct {
	exit       int
	what, cure string
}{
	NoCredential:   {4, "{app} is not signed in", "Sign in to {app}, then try again."},
	Expired:        {4, "The sign-in of {app} has ended", "Open {app} once, then try again."},
	HostNotAllowed: {4, "The sign-in of {app} is not for the host that you have allowed, {host}", "Allow the sign-in again, with the host that it has now."},
	Rejected:       {4, "{host} does not know the sign-in of {app} any more", "Sign in to {app} again."},
	Refused:        {1, "{host} gives this account no figures", "Look at the plan on its own page; Windsock asks again in an hour."},
	WrongRegion:    {1, "The account of {app} is not at {host}", "Sign in to {app} again, so that its sign-in names the right host."},
	Unsupported:    {1, "{host} does not give figures in a way that Windsock knows", "Look for a newer Windsock."},
	RateLimited:    {1, "{host} was asked too often", "Try again later."},
	Offline:        {1, "{host} cannot be reached", "Check the connection to the internet, then try again in a few minutes."},
	TLS:            {1, "The connection to {host} is not one to trust", "If a company's proxy opens connections here, add its root certificate to those that the system trusts."},
	ServerError:    {1, "{host} is in trouble", "Try again later."},
	BadResponse:    {1, "{host} gave an answer that cannot be used", "Wait; if it stays so, look for a newer Windsock."},
}

// Failure is why there is no answer. Its Error is for logs and holds nothing that the
// service or the sign-in wrote; Tell is for people.
type Failure struct { //nolint:errname // what asking tells
	Code  Code
	what  string
	cure  string
	cause error
	// RetryAfter is how long the service wants to be left alone, from a minute to an
	// hour; 0 if it does not say.
	RetryAfter time.Duration
	// Sign is the mark of the sign-in that was used.
	Sign string
}

// failure is one with the table's words. finding is what was observed, a clause without a
// full stop; it may be empty. cause may be nil, and holds nothing that others wrote.
func (s Source) failure(code Code, host, finding string, cause error) *Failure {
	row := failureTable[code]
	words := strings.NewReplacer("{app}", s.App, "{host}", host)
	f := &Failure{Code: code, what: words.Replace(row.what), cure: words.Replace(row.cure), cause: cause}
	if finding != "" {
		f.what += ": " + finding
	}
	return f
}

// Tell implements say.Teller.
func (f *Failure) Tell() say.Error {
	return say.Error{Code: string(f.Code), What: f.what, Cure: f.cure, Exit: cmp.Or(failureTable[f.Code].exit, 1), Cause: f.cause}
}

// Error is the code and the cause.
func (f *Failure) Error() string {
	if f.cause == nil {
		return string(f.Code)
	}
	return string(f.Code) + ": " + f.cause.Error()
}

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.cause }

// The bounds of a wait that a service asks for.
const (
	shortestWait = time.Minute
	longestWait  = time.Hour
)

// retryAfter reads Retry-After, as seconds or as a date (RFC 9110, 10.2.3); 0 without one
// that can be read.
func retryAfter(header http.Header, now time.Time) time.Duration {
	text := header.Get("Retry-After")
	var wait time.Duration
	if seconds, err := strconv.ParseUint(text, 10, 64); err == nil {
		wait = time.Duration(min(seconds, uint64(longestWait/time.Second))) * time.Second
	} else if at, err := http.ParseTime(text); err == nil {
		wait = at.Sub(now)
	} else {
		return 0
	}
	return min(max(wait, shortestWait), longestWait)
}
