package reduceplace

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"mrsched/model"
	"mrsched/solver"
)

// Distribution is a law of a job's data per reduce, u = X/R ≥ 0, in bytes.
type Distribution interface {
	// Below gives P[u < q] and E[u·1{u < q}]; q may be +Inf.
	Below(q float64) (probability, moment float64)
}

// Law is the joint law of (R, u): the probabilities of the numbers of reduces, and for each the law Data of a job's
// data per reduce. Parts are by rising R, each once; probabilities add up to 1.
type Law []LawPart

// LawPart is the law of u given R.
type LawPart struct {
	Reduces     int
	Probability float64
	Data        Distribution
}

// MaxReduces is the largest R.
func (l Law) MaxReduces() int {
	if len(l) == 0 {
		return 0
	}
	return l[len(l)-1].Reduces
}

// UniformReduces is the law with R uniform on 1 … max, independent of u.
func UniformReduces(u Distribution, max int) Law {
	law := make(Law, max)
	for v := range law {
		law[v] = LawPart{v + 1, 1 / float64(max), u}
	}
	return law
}

// EmpiricalLaw is the law of a job taken at random from a list of jobs, u and R each. Jobs without reduces have u = 0.
func EmpiricalLaw(u []float64, reduces []int32) Law {
	by := map[int32][]float64{}
	for i, v := range reduces {
		by[v] = append(by[v], u[i])
	}
	var law Law
	for v, list := range by {
		if v == 0 {
			clear(list)
		}
		law = append(law, LawPart{int(v), float64(len(list)) / float64(len(u)), Empirical(list)})
	}
	slices.SortFunc(law, func(a, b LawPart) int { return cmp.Compare(a.Reduces, b.Reduces) })
	return law
}

// discrete has finitely many values.
type discrete struct {
	value         []float64 // rising
	below, moment []float64 // P[u < value[k]], E[u·1{u < value[k]}]; one more at the end
}

// Discrete gives each value a probability proportional to its nonnegative weight; some weight is positive.
func Discrete(values, weights []float64) Distribution {
	order := make([]int, len(values))
	total := 0.0
	for k := range order {
		order[k] = k
		total += weights[k]
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	d := &discrete{value: make([]float64, 0, len(values)), below: []float64{0}, moment: []float64{0}}
	weight, moment := 0.0, 0.0
	for _, k := range order {
		if weights[k] == 0 {
			continue
		}
		weight += weights[k]
		moment += weights[k] * values[k]
		if n := len(d.value); n > 0 && d.value[n-1] == values[k] {
			d.below[n], d.moment[n] = weight/total, moment/total
			continue
		}
		d.value, d.below, d.moment = append(d.value, values[k]), append(d.below, weight/total), append(d.moment, moment/total)
	}
	d.below[len(d.value)] = 1
	return d
}

// Empirical gives all values of a list the same weight.
func Empirical(values []float64) Distribution {
	return Discrete(values, slices.Repeat([]float64{1}, len(values)))
}

func (d *discrete) Below(q float64) (probability, moment float64) {
	k, _ := slices.BinarySearch(d.value, q)
	return d.below[k], d.moment[k]
}

// uniform is the uniform law on [low, high], low < high.
type uniform struct{ low, high float64 }

// Uniform is the uniform law on [low, high], or the constant low if they are equal.
func Uniform(low, high float64) Distribution {
	if low == high {
		return Empirical([]float64{low})
	}
	return uniform{low, high}
}

func (d uniform) Below(q float64) (probability, moment float64) {
	q = min(max(q, d.low), d.high)
	return (q - d.low) / (d.high - d.low), (q - d.low) / (d.high - d.low) * (q + d.low) / 2
}

// Exponential is the exponential law with this mean, above 0.
type Exponential float64

// Below implements Distribution.
func (mean Exponential) Below(q float64) (probability, moment float64) {
	m := float64(mean)
	if math.IsInf(q, 1) {
		return 1, m
	}
	return -math.Expm1(-q / m), -m*math.Expm1(-q/m) - q*solver.Exp(-q/m)
}

// lawKinds are the values of --law.
var lawKinds = []string{"empirical", "uniform", "exponential", "discrete"}

// lawParams are the parameters of the law that policies assume for jobs.
var lawParams = []string{"law", "law-values", "law-reduces"}

// law is the law of jobs that --law, --law-values and --law-reduces describe, completed by the workload's own jobs.
func (r *run) law() (Law, error) {
	workload := EmpiricalLaw(r.expected, r.in.Reduces)
	kind, text, top := r.p.law, r.p.lawValues, int(r.p.lawReduces)
	if kind == "" || kind == "empirical" {
		if text != "" {
			return nil, lawError("--law-values %s: the empirical law is the workload's own", text)
		}
		if top == 0 {
			return workload, nil
		}
		var x []float64
		for i, v := range r.in.Reduces {
			if v > 0 {
				x = append(x, r.expected[i])
			}
		}
		if len(x) == 0 {
			return nil, lawError("--law-reduces %d: no job of the workload has reduces with known data", top)
		}
		return UniformReduces(Empirical(x), top), nil
	}
	u, err := parseLaw(kind, text)
	if err != nil {
		return nil, err
	}
	if top > 0 {
		return UniformReduces(u, top), nil
	}
	for k := range workload {
		if workload[k].Reduces > 0 {
			workload[k].Data = u
		}
	}
	return workload, nil
}

func lawError(format string, args ...any) error {
	return model.NewInputError(model.Finding{Code: model.CodeParameter, What: fmt.Sprintf(format, args...),
		Expected: "see the help of --law-values"})
}

// lawValues documents --law-values.
const lawValues = "of --law: uniform LOW,HIGH; exponential MEAN; discrete VALUE:WEIGHT,VALUE:WEIGHT,…, in bytes per " +
	"reduce"

// parseLaw reads the law of u from --law-values.
func parseLaw(kind, text string) (Distribution, error) {
	var values, weights []float64
	for item := range strings.SplitSeq(text, ",") {
		v, w, weighted := strings.Cut(item, ":")
		value, err := parsePositive(v)
		weight := 1.0
		if err == nil && weighted {
			weight, err = parsePositive(w)
		}
		if err != nil || weighted != (kind == "discrete") {
			return nil, lawError("--law %s --law-values %q: cannot read %q", kind, text, item)
		}
		values, weights = append(values, value), append(weights, weight)
	}
	total := 0.0
	for k, w := range weights {
		total += w * (1 + values[k])
	}
	switch {
	case kind == "uniform" && len(values) == 2 && values[0] <= values[1]:
		return Uniform(values[0], values[1]), nil
	case kind == "exponential" && len(values) == 1 && values[0] > 0:
		return Exponential(values[0]), nil
	case kind == "discrete" && slices.Max(weights) > 0 && !math.IsInf(total, 1):
		return Discrete(values, weights), nil
	}
	return nil, lawError("--law %s --law-values %q: these are no parameters of that law", kind, text)
}

// maxLawValue bounds values and weights: bytes have 63 bits.
const maxLawValue = 1 << 63

// parsePositive reads a number from 0 to maxLawValue.
func parsePositive(text string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err == nil && !(v >= 0 && v <= maxLawValue) {
		err = strconv.ErrRange
	}
	return v, err
}

// estimateParam is the share of a job's maps from which policies estimate its data.
const estimateParam = "estimate"

// estimate replaces the data that policies assume for a job by the paper's linear estimate from its first maps,
// X̂ = (m/m_done)·X_done with m_done = ⌈share·m⌉ maps in the order of the table tasks. Jobs without listed maps, or
// without the output of one of those first maps, stay known exactly. Costs always use the true data.
//
// Source: Tan et al., INFOCOM 2013, §I-B.
func (r *run) estimate(w *model.Workload, share float64) (*EstimateFacts, error) {
	maps, first, done := make([]int32, r.in.Jobs), make([]int32, r.in.Jobs), make([]float64, r.in.Jobs)
	unknown := make([]bool, r.in.Jobs)
	for u := range w.Tasks {
		if w.Tasks[u].Kind == model.Map {
			maps[w.Tasks[u].Job]++
		}
	}
	for u := range w.Tasks {
		t := &w.Tasks[u]
		if t.Kind != model.Map || float64(first[t.Job]) >= math.Ceil(share*float64(maps[t.Job])-1e-9) {
			continue
		}
		first[t.Job]++
		done[t.Job] += float64(t.OutputBytes.Value)
		unknown[t.Job] = unknown[t.Job] || !t.OutputBytes.Known
	}
	e := &EstimateFacts{}
	sum, most, measured := 0.0, 0.0, 0 // relative errors of jobs with data
	for i, n := range r.in.Reduces {
		switch {
		case n == 0:
			continue
		case maps[i] == 0 || unknown[i]:
			e.Known++
			continue
		}
		e.Estimated++
		expected, truth := float64(maps[i])/float64(first[i])*done[i], float64(r.in.Bytes[i])
		r.expected[i] = expected / float64(n)
		if truth > 0 {
			off := math.Abs(expected-truth) / truth
			sum, most, measured = sum+off, max(most, off), measured+1
		}
	}
	if e.Estimated == 0 {
		return nil, model.NewInputError(model.Finding{Code: model.CodeParameter,
			Pos:      model.Position{File: w.Where(model.TableJobs, 0).File},
			What:     "--" + estimateParam + ": no job with reduces lists the output of its first maps",
			Expected: "maps with output_bytes"})
	}
	if measured > 0 {
		e.ErrorMean, e.ErrorMax = decimals(sum/float64(measured)), decimals(most)
	}
	return e, nil
}

// decimals prints a fact to the digits of metrics.
func decimals(v float64) model.Number {
	return model.Number(strconv.FormatFloat(v, 'f', model.ValueDigits, 64))
}
