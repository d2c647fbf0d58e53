package main

import (
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"time"

	"mrsched/io/run"
	"mrsched/model"
)

// row is the outcome for one instance, as a sweep states it, and what the board shows beside it.
type row struct {
	run.Row
	Set     string        `json:"set"`
	Of      int           `json:"of"` // instances of the set
	Limit   time.Duration `json:"limit_ns"`
	Threads int           `json:"threads"`
	Cores   int           `json:"cores"`
	Least   string        `json:"known_least,omitempty"` // known bounds on the optimum; empty: unknown
	Most    string        `json:"known_most,omitempty"`
	Seconds float64       `json:"seconds"`
}

// newRow is the row of an instance without an outcome. Its id names all that decides whether it was run already.
func newRow(s *set, in *instance, limit time.Duration, threads int) *row {
	r := &row{Set: s.name, Limit: limit, Threads: threads, Least: in.least, Most: in.most}
	r.ID, r.Instance.Name = fmt.Sprintf("%s, %s, %s, %d", s.name, in.name, limit, threads), in.name
	return r
}

// cost is that of the schedule, and bound the lower bound; nil: there is none.
func (r *row) cost() *big.Rat  { return rat(string(r.Flat().Objective)) }
func (r *row) bound() *big.Rat { return rat(string(r.Flat().LowerBound)) }

// proven says that nothing can be better.
func (r *row) proven() bool {
	cost, bound := r.cost(), r.bound()
	return cost != nil && bound != nil && cost.Cmp(bound) == 0
}

// rat is the number that a text states; nil if it states none.
func rat(text string) *big.Rat {
	v, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil
	}
	return v
}

// rowLog is a file of rows that grows.
type rowLog struct {
	*run.Log
	rows []*row
}

// openLog reads a file of rows, and opens it to add to it.
func openLog(path string) (*rowLog, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	log, err := run.OpenLog(path)
	if err != nil {
		return nil, err
	}
	l := &rowLog{Log: log}
	damaged := 0
	if l.rows, damaged, err = run.ReadRows[row](path); err == nil && damaged > 0 {
		err = fmt.Errorf("%s: %s cannot be read: move the file away", path, model.Counted(damaged, "line"))
	}
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	return l, nil
}

// has says whether the instance was run under the same limit and threads.
func (l *rowLog) has(r *row) bool {
	return slices.ContainsFunc(l.rows, func(x *row) bool { return x.ID == r.ID })
}

// add writes a row.
func (l *rowLog) add(r *row) error {
	l.rows = append(l.rows, r)
	return l.Append(r)
}
