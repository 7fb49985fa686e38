// Package spend keeps what the steps of cascades cost, and adds it up by model,
// workspace, cascade or day.
//
// A language server tells with each step what it cost and which model answered
// (PROTOCOL.md 7.5). [Book.Read] reads the steps that are new since the last look and
// keeps their figures; [Book.Sum] adds up what is kept. What was spent stays spent: a
// step that is reverted, cleared or deleted later keeps its last figures.
//
// Kept are ids of cascades and models, times and figures. No prompt, title, path or
// workspace is kept: those are read from the server for display, and forgotten.
//
// The package does not know how a server is asked, and asks for nothing by itself.
package spend

import (
	"context"
	"time"

	"windsock/usage"
)

// A Server is a language server that tells its cascades. Its methods send one request
// each.
type Server interface {
	// Cascades are all that the server knows of, archived and hidden ones, too.
	Cascades(ctx context.Context) ([]Cascade, error)
	// Steps are those of a cascade from an index on.
	Steps(ctx context.Context, cascade string, from int) ([]Step, error)
}

// Cascade is what a server's listing tells of a cascade.
type Cascade struct {
	ID string
	// Title and Workspace, the URI of its first folder, are for display; either may be "".
	Title, Workspace string
	// Created and Modified are zero where they are not told.
	Created, Modified time.Time
	Steps             int
	// Runs says that a turn is under way.
	Runs bool
}

// Step is what a server tells of a step, without its content.
type Step struct {
	Costs
	Tokens

	// Index is its place in the cascade, which it keeps.
	Index int
	// Created and At, when it was used, are zero where they are not told.
	Created, At time.Time
	// Request is the id of the request to a model that made the step; "" if it is not
	// told. A cascade that was branched off another has copies of steps, with their ids.
	Request string
	// Prompt says that it is a person's message, Answer that a model made it.
	Prompt, Answer bool
	// Open says that it may still change.
	Open bool
	// Model is the UID of the model that made it, or that a prompt asks for.
	Model string
}

// Costs are what the server charges; a figure that it does not tell is unknown.
type Costs struct {
	Credits, ACU usage.Amount
	// QuotaPercent is of the quota of the plan's window.
	QuotaPercent usage.Amount
	OverageUSD   usage.Amount
}

// Tokens are counts; one that the server does not tell is nil. Input is all that a model
// read, Cached the part of it that it had read before.
type Tokens struct{ Input, Output, Cached *int64 }

// Figures are sums over steps. A sum is unknown if no step tells its figure.
type Figures struct {
	Costs
	Tokens

	Prompts int
	// ModelSteps is how many steps models made, and UnknownSteps how many of them tell no
	// cost at all.
	ModelSteps, UnknownSteps int
}

// By is what rows are made by.
type By string

// The ways to make rows.
const (
	ByModel     By = "model"
	ByWorkspace By = "workspace"
	ByCascade   By = "cascade"
	ByDay       By = "day"
)

// Row is one model, workspace, cascade or day.
type Row struct {
	Figures

	// Key is the model's UID, the workspace's URI, the cascade's id or the local date;
	// "" is unknown.
	Key string
	// Label is for people.
	Label string
	// Days is on how many days there was something.
	Days int
}

// Moved is what a meter moved in the time of a Report.
type Moved struct {
	Meter usage.MeterID
	// Moved is unknown where the history does not cover the time.
	Moved usage.Amount
	// Elsewhere is what the cascades do not explain: completions, other computers, Devin,
	// and their own steps that tell no cost. It is unknown where the server tells no cost
	// of that kind, and in a Partial Report. Below zero, the meter has moved less than the
	// cascades tell.
	Elsewhere usage.Amount
	// From is when the history of the meter begins.
	From time.Time
}

// Report is what was spent in a time.
type Report struct {
	// Plan is the plan's name for programs, such as windsurf:3fa91c.
	Plan         string
	Since, Until time.Time
	By           By
	// Rows are the dearest first, by the cost that has the Total's Unit; days are in order.
	Rows  []Row
	Total Figures
	// Meters are what moved until Until, or Read if that is earlier, beside the costs until
	// then: a later reading that was interrupted has kept some of the costs since, and not
	// all. They are empty for a narrowed Query, since a meter moves for everything, and if
	// nothing was read since Since.
	Meters []Moved
	// Partial says that the Look has left cascades out that were modified since Since: a
	// turn runs in them, or they could not be read.
	Partial bool
	// Read is when all that was new in the plan's cascades was last read; zero if that has
	// never come to its end.
	Read time.Time
}

// Query says what a Report is about.
type Query struct {
	// Plan is one that something is kept of. One with an unknown account stands for its
	// product's plan that was read last.
	Plan usage.Plan
	By   By
	// Since and Until are to the second; Until does not count.
	Since, Until time.Time
	// Only are rows of other kinds to narrow it to, such as one model's cascades.
	Only map[By]string
}

// Look is what a reading has seen. It names cascades for display.
type Look struct {
	// Plan is that of the Reading.
	Plan usage.Plan
	At   time.Time
	// Cascades are those that the servers listed.
	Cascades map[string]Cascade
	// Busy says that a prompt of Windsock's own runs, so that nothing more was read.
	Busy bool
	// Running is how many cascades were left for later, since a turn runs in them.
	Running int
	// Failed are the cascades that could not be read.
	Failed []Failure
}

// Failure is a cascade that could not be read.
type Failure struct {
	// Cascade has no ID where it is a server's list that could not be read.
	Cascade Cascade
	Err     error
}
