package app

import (
	"context"
	"time"

	"windsock/probe/cloud"
	"windsock/probe/say"
	"windsock/tray/window"
)

// windowCloud is the window's way to what may be asked over the internet.
type windowCloud struct {
	choices func() cloud.Choices
}

// SignIns are all.
func (w windowCloud) SignIns() []window.SignIn {
	list := w.choices().List()
	all := make([]window.SignIn, 0, len(list))
	for _, listed := range list {
		signIn := window.SignIn{
			Name: listed.Name, App: listed.App, File: listed.File, Host: listed.Host, There: listed.There(), Allowed: listed.Allowed,
			Wording: listed.Wording(listed.Host), State: listed.State,
		}
		if listed.Last.Failed != nil {
			signIn.Failed = say.Sentence(listed.Last.Failed.Err(), "")
		}
		if listed.Last.Answer != nil {
			signIn.Figures = listed.Last.At
		}
		all = append(all, signIn)
	}
	return all
}

// offerTime is how long the look into a sign-in may take.
const offerTime = 10 * time.Second

// Offer opens a sign-in for its host.
func (w windowCloud) Offer(ctx context.Context, name string) (window.Offer, error) {
	offer, err := w.offer(ctx, name)
	return window.Offer{Host: offer.Host, Wording: offer.Wording}, err
}

// Allow allows what was offered. The page cannot name a host of its own: it has to be the
// one that would be offered now.
func (w windowCloud) Allow(ctx context.Context, name, host string) error {
	offer, err := w.offer(ctx, name)
	if err != nil {
		return err
	}
	if offer.Host != host {
		return &say.Error{
			Code: string(cloud.HostNotAllowed),
			What: "The sign-in of " + offer.Source.App + " is used at " + offer.Host + " now, so nothing was allowed",
			Cure: "Read again what that means, and decide then.",
		}
	}
	return w.choices().Allow(offer)
}

// Deny ends what was allowed.
func (w windowCloud) Deny(name string) error {
	_, err := w.choices().Deny(name)
	return err
}

func (w windowCloud) offer(ctx context.Context, name string) (cloud.Offer, error) {
	ctx, cancel := context.WithTimeout(ctx, offerTime)
	defer cancel()
	return w.choices().Offer(ctx, name, "")
}
