package window

import (
	"net/http"

	"windsock/chat/models"
)

// model is one of the plan's, with its price in words.
type model struct {
	models.Report

	Price string `json:"price"`
}

func (s *served) models(w http.ResponseWriter, r *http.Request) {
	all, err := s.config.Chat.Models(r.Context(), r.URL.Query().Get("start") != "")
	if err != nil {
		failWith(w, http.StatusServiceUnavailable, err)
		return
	}
	list := make([]model, 0, len(all.Models))
	for _, m := range all.Models {
		list = append(list, model{models.NewReport(m, m.UID != "" && m.UID == all.Default), m.Price()})
	}
	write(w, http.StatusOK, struct {
		Models   []model `json:"models"`
		Default  string  `json:"default"`
		Last     string  `json:"last"`
		Engine   string  `json:"engine"`
		Name     string  `json:"name"`
		Unlisted bool    `json:"unlisted"`
	}{list, all.Default, all.Last, all.Engine, all.Name, all.Unlisted})
}
