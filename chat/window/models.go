package window

import (
	"net/http"

	"windsock/chat"
)

func (s *served) models(w http.ResponseWriter, r *http.Request) {
	all, err := s.config.Chat.Models(r.Context())
	if err != nil {
		failWith(w, http.StatusServiceUnavailable, err)
		return
	}
	list := make([]chat.ModelReport, 0, len(all.Models))
	for _, m := range all.Models {
		list = append(list, chat.NewModelReport(m, m.UID != "" && m.UID == all.Default))
	}
	write(w, http.StatusOK, struct {
		Models  []chat.ModelReport `json:"models"`
		Default string             `json:"default"`
		Last    string             `json:"last"`
	}{list, all.Default, all.Last})
}
