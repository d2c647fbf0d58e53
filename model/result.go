package model

import (
	"encoding/json"
	"fmt"
	"iter"
	"math/big"
)

// ResultFormat is the `format` of result.json.
const ResultFormat = "mrsched-result/1"

// ResultFile is the name of that file.
const ResultFile = "result.json"

// CertificateFormat is the `format` of certificate.json.
const CertificateFormat = "mrsched-certificate/2"

// Numbers of decimals in results.
const (
	ValueDigits = 6 // decimals of bounds and metrics
	RatioDigits = 6
	exactDigits = 2 * microDigits // decimals of a sum of weight × time
)

// Status says how a solve ended.
type Status string

// The statuses of a result.
const (
	StatusOptimal  Status = "optimal"
	StatusFeasible Status = "feasible"
	StatusLimit    Status = "limit"
	StatusBound    Status = "bound"
	StatusSkipped  Status = "skipped"
)

// Number is a decimal exactly as it is printed.
type Number string

// MarshalJSON prints the number bare.
func (n Number) MarshalJSON() ([]byte, error) { return []byte(n), nil }

// UnmarshalJSON keeps the number's text.
func (n *Number) UnmarshalJSON(b []byte) error {
	var v json.Number
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	*n = Number(v)
	return nil
}

// Rat is the number's exact value; ok is false if it is not a number.
func (n Number) Rat() (r *big.Rat, ok bool) { return new(big.Rat).SetString(string(n)) }

// ExactNumber prints a sum of weight × time without rounding it.
func ExactNumber(r *big.Rat) Number { return Number(FormatRat(r, exactDigits, RoundDown)) }

// LowerNumber prints r rounded down, as lower bounds are.
func LowerNumber(r *big.Rat) Number { return Number(FormatRat(r, ValueDigits, RoundDown)) }

// Objective is a schedule's cost.
type Objective struct {
	Name  string `json:"name"`
	Value Number `json:"value"`
}

// LowerBound is a proven bound on the objective of every schedule.
type LowerBound struct {
	Value    Number `json:"value"` // rounded down
	Method   string `json:"method"`
	Verified bool   `json:"verified"` // the certificate was re-evaluated in exact arithmetic
}

// Verdicts on a guarantee.
const (
	VerdictProven   = "proven"
	VerdictUnknown  = "unknown"
	VerdictViolated = "violated"
)

// Guarantee is a published promise for an algorithm: objective ≤ factor·optimum + additive.
type Guarantee struct {
	Factor           Number `json:"factor"`
	Additive         Number `json:"additive"`
	Source           string `json:"source"`
	Preconditions    string `json:"preconditions,omitempty"`
	PreconditionsMet bool   `json:"preconditions_met"`
	Verdict          string `json:"verdict"`
}

// Judge sets the verdict: proven if objective ≤ factor·bound + additive; violated if the inequality fails although the
// preconditions hold and the bound is the optimum or the relaxation in the theorem's proof; else unknown.
func (g *Guarantee) Judge(objective, bound *big.Rat, theorem bool) error {
	factor, ok := g.Factor.Rat()
	additive, ok2 := g.Additive.Rat()
	if !ok || !ok2 {
		return fmt.Errorf("guarantee %q + %q is not a number", g.Factor, g.Additive)
	}
	limit := new(big.Rat).Mul(factor, bound)
	limit.Add(limit, additive)
	switch {
	case objective.Cmp(limit) <= 0:
		g.Verdict = VerdictProven
	case theorem && g.PreconditionsMet:
		g.Verdict = VerdictViolated
	default:
		g.Verdict = VerdictUnknown
	}
	return nil
}

// InstanceSummary identifies the instance that a result belongs to.
type InstanceSummary struct {
	Name     string `json:"name,omitempty"` // the workload's own; results of older versions lack it
	SHA256   string `json:"sha256"`
	Jobs     int    `json:"jobs"`
	Tasks    int    `json:"tasks"`
	Machines int    `json:"machines"`
	Origin   string `json:"origin,omitempty"` // the clock time of time 0
}

// Inputs says which of the workload's columns a run ignores.
type Inputs struct {
	// Unused names the scalars and the columns, as TABLE.COLUMN, that have values which the run ignores.
	Unused []string `json:"unused"`
}

// FileDigests are the SHA-256 sums of the files next to result.json; empty for an absent file.
type FileDigests struct {
	Schedule    string `json:"schedule.csv,omitempty"`
	Certificate string `json:"certificate.json,omitempty"`
	// Tables has the digests of the view's own tables, by file name.
	Tables map[string]string `json:"tables,omitempty"`
}

// Result is result.json. Unknown values are absent.
type Result struct {
	Format     string          `json:"format"`
	Problem    string          `json:"problem"`
	Algorithm  string          `json:"algorithm"`
	Status     Status          `json:"status"`
	Objective  *Objective      `json:"objective,omitempty"`
	LowerBound *LowerBound     `json:"lower_bound,omitempty"`
	Ratio      Number          `json:"ratio,omitempty"` // rounded up
	Guarantee  *Guarantee      `json:"guarantee,omitempty"`
	Metrics    map[string]any  `json:"metrics,omitempty"`
	Instance   InstanceSummary `json:"instance"`
	Inputs     *Inputs         `json:"inputs,omitempty"` // nil: every column with values was used
	Parameters map[string]any  `json:"parameters"`
	Seed       uint64          `json:"seed"`
	SHA256     FileDigests     `json:"sha256"`
	Digest     string          `json:"digest,omitempty"` // SHA-256 of this document without this key
}

// Ratio prints objective/bound rounded up, or nothing if the bound is 0.
func Ratio(objective, bound *big.Rat) Number {
	if bound.Sign() <= 0 {
		return ""
	}
	return Number(FormatRat(new(big.Rat).Quo(objective, bound), RatioDigits, RoundUp))
}

// View is a problem's validated view of a workload: it recomputes every claim of a result from raw data alone. The
// packages below model implement it; ViewDefaults and WorkloadTasks have the methods that not all of them need.
type View interface {
	// Description is the same for all views of a problem.
	Description() *Description
	// Size is the number of machines (or servers, slots, workers) of the instance.
	Size() int
	// MachineName is the name of machine i in schedules; Machine is its inverse.
	MachineName(i int32) string
	Machine(name string) (int32, bool)
	// TaskCount is the number of tasks of the instance; the TaskIndex of an Entry is below it. The workload need not
	// list all of them: jobs may imply reduces.
	TaskCount() int
	// TaskName is a task's id, the id of its job, and its kind, as rows state them; FindTask is its inverse.
	TaskName(i TaskIndex) (id, job string, kind TaskKind)
	FindTask(id string) (TaskIndex, bool)
	// Scheduled is the number of tasks that a schedule places; LeftOut says, one reason per line, which tasks it does
	// not place and why.
	Scheduled() int
	LeftOut() []string
	// Doubts are what is probably wrong with rows of the workload by the problem's own rules.
	Doubts() []Finding
	// Idle says why a parameter of the problem has no effect on the instance; empty if it may have one.
	Idle(param string) string
	// Evaluate recomputes the objective, in its unit, and the metrics.
	Evaluate(s *Schedule) Evaluation
	// Check lists every constraint that the schedule breaks.
	Check(s *Schedule) []Violation
	// Certify re-evaluates a certificate in exact arithmetic.
	Certify(certificate []byte) (Certified, error)
	// Cells returns the texts of an entry's own columns, those of the Description. They follow from the entry and the
	// workload alone.
	Cells(e Entry) []string
	// Tables returns the problem's own tables, which stand next to schedule.csv. They follow from the schedule and the
	// workload alone; their names and columns are the same for every schedule, even one that breaks constraints.
	Tables(s *Schedule) []ResultTable
}

// ResultTable is one of a view's own tables about a schedule, in its own file next to schedule.csv.
type ResultTable struct {
	// Name is the file's name without its extension: lower-case letters, digits and _, neither empty nor "schedule".
	Name    string
	Columns []string
	// Rows are the texts of one row after another, one per column; each is valid until the next. Iterating several times
	// is allowed.
	Rows iter.Seq[[]string]
}

// Evaluation is what a schedule costs.
type Evaluation struct {
	Name    string
	Value   *big.Rat
	Metrics map[string]any // Number, string or bool values
	// Penalty is the cost of changes against an earlier schedule, not part of Value; nil: there is no earlier one.
	Penalty *big.Rat
}

// Total is the value that searches minimise: the objective plus the penalty.
func (e Evaluation) Total() *big.Rat {
	if e.Penalty == nil {
		return e.Value
	}
	return new(big.Rat).Add(e.Value, e.Penalty)
}

// Certified is what a certificate proves.
type Certified struct {
	Method string
	Value  *big.Rat
}
