package shop

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"

	"mrsched/model"
	"mrsched/model/proof"
)

// Clauses is what a certificate of kind KindClauses states: the log of a search over the instance's ClauseModel.
type Clauses struct {
	Last int64  `json:"last"` // the end of all windows, in time units
	Log  []byte `json:"log"`  // compressed by gzip
}

// MaxLog bounds a log, unpacked, in bytes.
const MaxLog = 256 << 20

// NewClauses packs a log over the model with the same end of windows.
func NewClauses(last int64, log *proof.Log) (*Clauses, error) {
	raw := log.Bytes()
	if len(raw) > MaxLog {
		return nil, fmt.Errorf("a proof of %d MB; at most %d", len(raw)>>20, MaxLog>>20)
	}
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(raw); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return &Clauses{Last: last, Log: b.Bytes()}, nil
}

// evaluateClauses is the value of a certificate, in seconds: the log proves that no schedule whose makespan is at most
// Last ends before it, and all others end after Last.
func (e *Evaluator) evaluateClauses(c *Certificate) (*big.Rat, error) {
	if b := &c.Bounds; len(b.Pools)+len(b.Ends)+len(b.Starts)+len(b.Alone) > 0 || c.Shift != 0 {
		return nil, fmt.Errorf("certificate: kind %q has no bounds of steps and jobs", c.Kind)
	}
	m, unit, err := e.in.ClauseModel(c.Clauses.Last)
	if err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	log, err := unpack(c.Log)
	if err != nil {
		return nil, fmt.Errorf("certificate: log: %w", err)
	}
	least, none, err := proof.Check(m, log)
	if err != nil {
		return nil, fmt.Errorf("certificate: log: %w", err)
	}
	if none || least > c.Clauses.Last { // all schedules end after Last
		least = c.Clauses.Last + 1
	}
	return e.in.Objective.Rat(new(big.Int).Mul(big.NewInt(least), big.NewInt(int64(unit)))), nil
}

// unpack reads one gzip stream, and nothing behind it.
func unpack(packed []byte) ([]byte, error) {
	rest := bytes.NewReader(packed)
	r, err := gzip.NewReader(rest)
	if err != nil {
		return nil, err
	}
	r.Multistream(false)
	log, err := io.ReadAll(io.LimitReader(r, MaxLog+1))
	switch {
	case err != nil:
		return nil, err
	case len(log) > MaxLog:
		return nil, fmt.Errorf("more than %d bytes", MaxLog)
	case rest.Len() > 0:
		return nil, errors.New("something behind its end")
	}
	return log, nil
}

// ClauseModel is the instance as whole numbers, in units of TimeUnit: of some optimal schedule with a makespan of at
// most last units, the starts of its steps and, as the variable after them, its makespan are a solution. So far
// it takes makespans on one node. Errors say what it does not take.
//
// Limits are the resources of the node that are limited, in order, and presence, if the node is away at times: every
// task takes 1 of Tasks + 1, and an absence, which is a task with a fixed start, takes all.
func (in *Instance) ClauseModel(last int64) (m *proof.Model, unit model.Time, err error) {
	unit = in.TimeUnit()
	switch {
	case in.Objective != Makespan || in.Nodes != 1 || in.Identical || in.replan != nil || in.Sets() > 0:
		return nil, 0, errors.New("clauses are for makespans on one node that may run all tasks, without an earlier plan")
	case unit == 0 || last < 0 || last > int64(model.MaxHorizon/unit):
		return nil, 0, fmt.Errorf("windows up to %d", last)
	}
	c := clauseModel{in: in, unit: unit, m: &proof.Model{Objective: int32(in.Steps)}}
	for u := range int32(in.Steps) {
		c.step(u, last)
	}
	c.variable(0, last)
	for r, capacity := range in.Capacities(0) {
		if capacity < Unlimited {
			if err := c.limit(capacity, func(u int32) int64 { return in.Demands(u)[r] }); err != nil {
				return nil, 0, err
			}
		}
	}
	return c.m, unit, c.absences()
}

// clauseModel is a model under construction.
type clauseModel struct {
	in   *Instance
	unit model.Time
	m    *proof.Model
}

func (c *clauseModel) variable(least, most int64) int32 {
	c.m.Least, c.m.Most = append(c.m.Least, least), append(c.m.Most, most)
	return int32(len(c.m.Least) - 1)
}

// step adds a step's variable and the arcs out of it: of a task the one to the makespan, then by step and delay. A
// barrier may lie behind the makespan, since fixed tasks wait for none.
func (c *clauseModel) step(u int32, last int64) {
	in := c.in
	least, most, length := c.whole(in.Earliest[u]), last, c.length(u)
	if c.fixed(u) {
		least = c.whole(in.FixedStart(u))
		most = least
	}
	if int(u) >= in.Tasks {
		most = c.whole(2 * model.MaxHorizon)
	} else {
		c.m.Arcs = append(c.m.Arcs, proof.Arc{From: u, To: c.m.Objective, Delay: length})
	}
	c.variable(least, most)
	first := len(c.m.Arcs)
	for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
		c.m.Arcs = append(c.m.Arcs,
			proof.Arc{From: u, To: in.SuccStep[a], Delay: length + c.whole(in.SuccDelay[a])})
	}
	slices.SortFunc(c.m.Arcs[first:], func(a, b proof.Arc) int {
		return cmp.Or(cmp.Compare(a.To, b.To), cmp.Compare(a.Delay, b.Delay))
	})
}

func (c *clauseModel) fixed(u int32) bool { return int(u) < c.in.Tasks && c.in.Fixed(u) }

// length is a step's length. A fixed task begins with the unit of its start.
func (c *clauseModel) length(u int32) int64 {
	if c.fixed(u) {
		return c.whole(c.in.FixedStart(u)+c.in.Least[u]) - c.whole(c.in.FixedStart(u))
	}
	return c.whole(c.in.Least[u])
}

// whole is t in units, rounded down.
func (c *clauseModel) whole(t model.Time) int64 {
	n := t / c.unit
	if t%c.unit < 0 {
		n--
	}
	return int64(n)
}

// limit adds a limit of which every task takes an amount. Errors: sums of amounts could overflow.
func (c *clauseModel) limit(capacity int64, amount func(u int32) int64) error {
	l, sum := proof.Limit{Capacity: capacity}, 0.0
	for u := range int32(c.in.Tasks) {
		if a, t := amount(u), c.length(u); a > 0 && t > 0 {
			l.Tasks = append(l.Tasks, proof.Need{Variable: u, Length: t, Amount: a})
			sum += float64(a)
		}
	}
	if sum > math.MaxInt64/4 {
		return errors.New("sums of demands are too large for clauses")
	}
	c.m.Limits = append(c.m.Limits, l)
	return nil
}

// absences adds the limit of presence.
func (c *clauseModel) absences() error {
	in := c.in
	if len(in.AwayFrom) == 0 {
		return nil
	}
	all := int64(in.Tasks) + 1
	err := c.limit(all, func(int32) int64 { return 1 })
	l := &c.m.Limits[len(c.m.Limits)-1]
	for k := range in.AwayFrom {
		from, until := c.whole(in.AwayFrom[k]), c.whole(min(in.AwayUntil[k], 2*model.MaxHorizon))
		if from < until {
			l.Tasks = append(l.Tasks, proof.Need{Variable: c.variable(from, from), Length: until - from, Amount: all})
		}
	}
	return err
}
