package simulator

import (
	"bytes"
	"encoding/json"
	"sync"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	pb "windsock/probe/languageserver"
)

// A Told is an answer with figures, as of the real time just before it was sent. The list
// of models is left out.
type Told struct {
	At     time.Time       `json:"at"`
	Answer json.RawMessage `json:"answer"`
}

// tell tells of an answer, if somebody wants to know.
func (s *Server) tell(answer json.RawMessage, err error) {
	if s.onTold != nil && err == nil {
		s.onTold(Told{time.Now(), answer})
	}
}

// tellStatus is tell for Windsurf's GetUserStatus.
func (s *Server) tellStatus(answer *pb.GetUserStatusResponse) {
	if s.onTold == nil {
		return
	}
	short := proto.CloneOf(answer)
	if user := short.GetUserStatus(); user != nil {
		user.CascadeModelConfigData = nil
	}
	s.tell(protojson.Marshal(short))
}

// tellFields is tell for Antigravity's answers.
func (s *Server) tellFields(answer fields) {
	if s.onTold == nil {
		return
	}
	text, err := json.Marshal(answer)
	s.tell(bytes.ReplaceAll(text, []byte(filler), nil), err)
}

// toldLog are answers that nobody has taken yet.
type toldLog struct {
	mu  sync.Mutex
	all []Told // guarded by mu
}

// Told takes the answers with figures that have become known since the last time, in
// order; there are some only with Config.Tells.
func (l *toldLog) Told() []Told {
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := l.all
	l.all = nil
	return taken
}

func (l *toldLog) hear(t Told) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, t)
}
