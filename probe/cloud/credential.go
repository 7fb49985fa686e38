package cloud

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"time"

	"windsock/probe/secret"
	"windsock/probe/signin"
)

// credential is what a sign-in says, for one question.
type credential struct {
	token secret.Secret
	// url is where the sign-in says that it is to be used, as it stands there; "" if it
	// says nothing of that.
	url string
	// user is whose it is, as JSON, as far as the sign-in tells; nil if it does not. For
	// Windsurf it is an object with some of userId, email and teamId, as in a userStatus;
	// for Cursor the user ID, a string.
	user []byte
	// expires is when the token says that it ends; zero if it does not.
	expires time.Time
	// sign is the mark of the files, made before they were read.
	sign string
	// form is the kind of token, one of those of package signin.
	form signin.Form
}

// read opens the sign-in. A token that has expired is a Failure too.
func (s Source) read(ctx context.Context) (credential, *Failure) { return s.readAt(ctx, time.Now()) }

func (s Source) readAt(ctx context.Context, now time.Time) (credential, *Failure) {
	c, sign, failure := s.open(ctx, now)
	if failure != nil {
		return credential{}, failure
	}
	return credential{c.Token, c.URL, s.user(c.User), c.Expires, sign, c.Form}, nil
}

// open reads the sign-in, and its mark before that: a change in between leads to another
// question. Beside a Failure it returns what could be read.
func (s Source) open(ctx context.Context, now time.Time) (c signin.Credential, sign string, failure *Failure) {
	stored := s.stored()
	sign = stored.Mark()
	c, err := stored.Read(ctx)
	switch {
	case err != nil:
		return c, sign, s.noCredential(c.From, err, sign)
	case !c.Expires.IsZero() && !now.Before(c.Expires):
		return c, sign, s.expired(sign)
	}
	return c, sign, nil
}

// user is the user of a sign-in, as in credential.
func (s Source) user(u signin.User) []byte {
	var told any = u.ID
	if s.Product != cursor {
		members := map[string]string{"userId": u.ID, "email": u.Email, "teamId": u.Team}
		maps.DeleteFunc(members, func(_, value string) bool { return value == "" })
		told = members
	}
	text, err := json.Marshal(told)
	if err != nil || u == (signin.User{}) {
		return nil
	}
	return text
}

// noCredential is the failure of a sign-in that cannot be used. from is its file, if the
// error is about one.
func (s Source) noCredential(from signin.Place, err error, sign string) *Failure {
	f := s.failure(NoCredential, "", "", err)
	f.Sign = sign
	switch {
	case errors.Is(err, signin.ErrSignedOut):
	case errors.Is(err, fs.ErrPermission):
		f.what = "The sign-in of " + s.App + " may not be read"
		f.cure = "Give yourself the right to read " + from.Title + ", then try again."
	default:
		f.what = "The sign-in of " + s.App + " cannot be used: " + err.Error()
	}
	return f
}

// expired is the failure of a sign-in whose token has ended.
func (s Source) expired(sign string) *Failure {
	f := s.failure(Expired, "", "", nil)
	f.Sign = sign
	return f
}

// noHost is the failure of a sign-in whose URL is used nowhere.
func (s Source) noHost(sign string) *Failure {
	f := s.failure(HostNotAllowed, "", "", nil)
	f.Sign = sign
	f.what = "The sign-in of " + s.App + " names its server in a way that Windsock does not follow"
	f.cure = s.failure(NoCredential, "", "", nil).cure
	return f
}

// Description is what may be said of a sign-in to a person who looks for a fault. It holds
// nothing of the token and not whose it is.
type Description struct {
	File string // as Source.File; the one that was read
	// Written is when the file was last written to; zero without a file.
	Written time.Time
	// Form is the kind of token, for people; "" without a usable one.
	Form string
	// Expires is when the token says that it ends; zero if it does not.
	Expires time.Time
	// Host is the one that the sign-in is to be used at; "" if it names none that can be.
	Host string
	// Err is a *Failure: why the sign-in cannot be used; nil if it can.
	Err error
}

// Describe opens the sign-in, which a person must have allowed, and says what it is.
func (s Source) Describe(ctx context.Context) Description { return s.describeAt(ctx, time.Now()) }

func (s Source) describeAt(ctx context.Context, now time.Time) Description {
	c, sign, failure := s.open(ctx, now)
	d := Description{File: s.File, Form: string(c.Form), Expires: c.Expires}
	if c.From.Title != "" {
		d.File, d.Written = c.From.Title, c.From.Written()
	}
	if failure == nil || failure.Code == Expired {
		host, ok := s.hostOf(c.URL)
		if d.Host = host; !ok {
			failure = s.noHost(sign)
		}
	}
	if failure != nil {
		d.Err = failure
	}
	return d
}
