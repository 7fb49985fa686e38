package cloud

import (
	"time"

	"windsock/probe/say"
)

// Code names the reason why a service gave no figures.
type Code string

// The codes.
const (
	NoCredential   Code = "no_credential"    // nobody is signed in, or not in a way that can be used
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

// Failure is why there is no answer. Its Error is for logs and holds nothing that the
// service or the sign-in wrote; Tell is for people.
type Failure struct { //nolint:errname // what asking tells
	Code  Code
	what  string
	cure  string
	cause error
	// RetryAfter is how long the service wants to be left alone; 0 if it does not say.
	RetryAfter time.Duration
	// Sign is the mark of the sign-in that was used.
	Sign string
}

// Tell implements say.Teller.
func (f *Failure) Tell() say.Error {
	return say.Error{Code: string(f.Code), What: f.what, Cure: f.cure, Exit: 1, Cause: f.cause}
}

// Error is the code and the cause.
func (f *Failure) Error() string { return string(f.Code) }

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.cause }
