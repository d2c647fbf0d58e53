package shop

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/big"

	"mrsched/model/proof"
)

// Clauses is what a certificate of kind KindClauses states: the log of a search over the instance's ClauseModel.
type Clauses struct {
	Last int64  `json:"last"` // the most that schedules cost, in cost units
	Log  []byte `json:"log"`  // compressed by gzip
}

// MaxLog bounds a log, unpacked, in bytes.
const MaxLog = 256 << 20

// NewClauses packs a log over the model of schedules that cost at most last.
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

// Length is the number of steps of the log.
func (c *Clauses) Length() (int, error) {
	log, err := unpack(c.Log)
	return proof.Steps(log), err
}

// evaluateClauses is the value of a certificate: the log proves that no schedule that costs at most Last costs less,
// and all others cost more than Last.
func (e *Evaluator) evaluateClauses(c *Certificate) (*big.Rat, error) {
	if b := &c.Bounds; len(b.Pools)+len(b.Ends)+len(b.Starts)+len(b.Alone) > 0 || c.Shift != 0 {
		return nil, fmt.Errorf("certificate: kind %q has no bounds of steps and jobs", c.Kind)
	}
	x, err := e.in.ClauseModel(c.Clauses.Last)
	if err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	log, err := unpack(c.Log)
	if err != nil {
		return nil, fmt.Errorf("certificate: log: %w", err)
	}
	least, none, err := proof.Check(x.Model, log)
	if err != nil {
		return nil, fmt.Errorf("certificate: log: %w", err)
	}
	if none || least > c.Clauses.Last { // all schedules cost more than Last
		least = c.Clauses.Last + 1
	}
	return e.in.Objective.Rat(new(big.Int).Mul(big.NewInt(least), e.in.CostUnit())), nil
}

// unpack reads one gzip stream, and nothing behind it.
func unpack(packed []byte) ([]byte, error) {
	rest := bytes.NewReader(packed)
	if !bytes.HasPrefix(packed, []byte{0x1f, 0x8b, 8, 0}) {
		return nil, errors.New("no gzip stream without further fields")
	}
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
