package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"

	"mrsched/io/result"
	"mrsched/model"
)

// StatusError marks a run that failed; the other statuses are those of results.
const StatusError model.Status = "error"

// Row is the outcome of a run. Unknown values are absent. It holds nothing that could differ in another process.
type Row struct {
	ID         string         `json:"id"`
	Instance   RowInstance    `json:"instance"`
	Problem    string         `json:"problem,omitempty"`
	Algorithm  string         `json:"algorithm"`
	Parameters map[string]any `json:"parameters,omitempty"` // as result.json has them
	Seed       uint64         `json:"seed"`
	Status     model.Status   `json:"status"`

	Objective  *model.Objective  `json:"objective,omitempty"`
	LowerBound *model.LowerBound `json:"lower_bound,omitempty"`
	Ratio      model.Number      `json:"ratio,omitempty"`
	Guarantee  *RowGuarantee     `json:"guarantee,omitempty"`
	Metrics    map[string]any    `json:"metrics,omitempty"` // those that the problem's tables show

	Code string `json:"code,omitempty"` // of an error
	Note string `json:"note,omitempty"` // why it failed or was skipped
}

// RowInstance says which instance a row is about.
type RowInstance struct {
	Name     string `json:"name"`
	Path     string `json:"path,omitempty"`
	Generate string `json:"generate,omitempty"`
	Preset   string `json:"preset,omitempty"`
	// Parameters are those of the preset.
	Parameters map[string]string `json:"parameters,omitempty"`
	Seed       *uint64           `json:"seed,omitempty"` // of the generator
	SHA256     string            `json:"sha256,omitempty"`
	Jobs       int               `json:"jobs,omitempty"`
	Tasks      int               `json:"tasks,omitempty"`
	Machines   int               `json:"machines,omitempty"`
}

// RowGuarantee is what is promised and whether it was kept; see model.Guarantee.
type RowGuarantee struct {
	Factor   model.Number `json:"factor"`
	Additive model.Number `json:"additive"`
	Verdict  string       `json:"verdict"`
}

// State takes the outcome of a run from its result.
func (r *Row) State(of *model.Result) {
	r.Status, r.Objective, r.LowerBound, r.Ratio = of.Status, of.Objective, of.LowerBound, of.Ratio
	if g := of.Guarantee; g != nil {
		r.Guarantee = &RowGuarantee{Factor: g.Factor, Additive: g.Additive, Verdict: g.Verdict}
	}
}

// Flat is the outcome of a run as summary.csv has it.
func (r *Row) Flat() result.BatchRow {
	of := &model.Result{Status: r.Status, Objective: r.Objective, LowerBound: r.LowerBound, Ratio: r.Ratio}
	if g := r.Guarantee; g != nil {
		of.Guarantee = &model.Guarantee{Factor: g.Factor, Additive: g.Additive, Verdict: g.Verdict}
	}
	return result.NewBatchRow(r.Instance.Name, of)
}

// newRow is the row of a run, without an outcome.
func (p *Plan) newRow(run Run) *Row {
	in, v := &p.Instances[run.Instance], &p.Variants[run.Variant]
	r := &Row{ID: run.ID, Problem: v.Problem, Algorithm: v.Algorithm, Seed: run.Seed}
	r.Instance = RowInstance{Name: in.Name, Path: in.Path, Generate: in.Generate, Preset: in.Preset,
		Parameters: in.Parameters}
	if in.Generate != "" {
		r.Instance.Seed = &in.Seed
	}
	return r
}

// A line is a JSON object whose last key is the CRC-32C of the text before it: `…,"crc":"0123abcd"}` and a line end.
const (
	crcKey = `,"crc":"`
	crcEnd = `"}`
	crcLen = len(crcKey) + 8 + len(crcEnd)
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// line is a value, which must be a nonempty JSON object, as a line.
func line(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	text := bytes.TrimSuffix(b.Bytes(), []byte("}\n"))
	return fmt.Appendf(text, "%s%08x%s\n", crcKey, crc32.Checksum(text, castagnoli), crcEnd), nil
}

// whole says whether a line, without its end, is undamaged.
func whole(text []byte) bool {
	if len(text) < crcLen {
		return false
	}
	head, tail := text[:len(text)-crcLen], text[len(text)-crcLen:]
	return string(tail) == fmt.Sprintf("%s%08x%s", crcKey, crc32.Checksum(head, castagnoli), crcEnd)
}

var (
	errDamaged = errors.New("the line is not as it was written")
	errNoID    = errors.New("the row has no id")
)

// parseRow reads a line, without its end.
func parseRow(text []byte) (*Row, error) {
	if !whole(text) {
		return nil, errDamaged
	}
	var r Row
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&r); err != nil {
		return nil, err
	}
	if r.ID == "" {
		return nil, errNoID
	}
	return &r, nil
}
