package reduceplace

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"mrsched/model"
)

// Law is the joint law of (R, u): the probabilities of the numbers of reduces, and for each the law Data of a job's
// data per reduce. Parts are by rising R, each once; probabilities add up to 1.
type Law []LawPart

// LawPart is the law of u given R.
type LawPart struct {
	Reduces     int
	Probability float64
	Data        *Distribution
}

// MaxReduces is the largest R.
func (l Law) MaxReduces() int {
	if len(l) == 0 {
		return 0
	}
	return l[len(l)-1].Reduces
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
		law = append(law, LawPart{int(v), float64(len(list)) / float64(len(u)), empirical(list)})
	}
	slices.SortFunc(law, func(a, b LawPart) int { return cmp.Compare(a.Reduces, b.Reduces) })
	return law
}

// Distribution is a law of a job's data per reduce, u = X/R ≥ 0, in bytes. It has finitely many values.
type Distribution struct {
	value         []float64 // rising
	below, moment []float64 // P[u < value[k]], E[u·1{u < value[k]}]; one more at the end
}

// empirical gives all values of a list the same weight.
func empirical(values []float64) *Distribution {
	d := &Distribution{below: []float64{0}, moment: []float64{0}}
	all, sum := float64(len(values)), 0.0
	for k, v := range slices.Sorted(slices.Values(values)) {
		if len(d.value) == 0 || v > d.value[len(d.value)-1] {
			d.value, d.below, d.moment = append(d.value, v), append(d.below, 0), append(d.moment, 0)
		}
		sum += v
		d.below[len(d.value)], d.moment[len(d.value)] = float64(k+1)/all, sum/all
	}
	return d
}

// Below gives P[u < q] and E[u·1{u < q}]; q may be +Inf.
func (d *Distribution) Below(q float64) (probability, moment float64) {
	k, _ := slices.BinarySearch(d.value, q)
	return d.below[k], d.moment[k]
}

// law is the law that policies assume, that of the workload's jobs.
func (r *run) law() Law { return EmpiricalLaw(r.expected, r.in.Reduces) }

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
