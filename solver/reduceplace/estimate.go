package reduceplace

import (
	"math"
	"strconv"

	"mrsched/model"
)

// estimateParam is the share of a job's maps from which policies estimate its data.
const estimateParam = "estimate"

// estimates says how far the policies' estimates of jobs' data are from the truth.
type estimates struct {
	jobs      int // estimated from their first maps
	exact     int // known exactly, for want of maps with output_bytes
	sum, most float64
	measured  int // estimated jobs with data: those that have a relative error
}

// estimate replaces the data that policies assume for a job by the paper's linear estimate from the first maps to
// finish, X̂ = (m/m_done)·X_done with m_done = ⌈share·m⌉ maps in the order of the table tasks. Jobs without listed
// maps, or without the output of one of those first maps, stay known exactly. Costs always use the true data, and if
// reduces are known to fetch different amounts, the largest still gets the job's cheapest slot.
//
// Source: Tan et al., INFOCOM 2013, §I-B.
func (r *run) estimate(w *model.Workload, share float64) (*estimates, error) {
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
	e := &estimates{}
	for i, n := range r.in.Reduces {
		switch {
		case n == 0:
			continue
		case maps[i] == 0 || unknown[i]:
			e.exact++
			continue
		}
		believed, truth := float64(maps[i])/float64(first[i])*done[i], float64(r.in.Bytes[i])
		r.believed[i] = believed / float64(n)
		e.add(believed, truth)
	}
	if e.jobs == 0 {
		return nil, model.NewInputError(model.Finding{Code: model.CodeParameter,
			Pos:      model.Position{File: w.Where(model.TableJobs, 0).File},
			What:     "--" + estimateParam + ": no job with reduces lists what its first maps put out",
			Expected: "maps with output_bytes"})
	}
	return e, nil
}

func (e *estimates) add(believed, truth float64) {
	e.jobs++
	if truth > 0 {
		off := math.Abs(believed-truth) / truth
		e.sum, e.most, e.measured = e.sum+off, max(e.most, off), e.measured+1
	}
}

// facts are a result's facts about the estimates.
func (e *estimates) facts() *EstimateFacts {
	x := &EstimateFacts{Estimated: e.jobs, Known: e.exact}
	if e.measured > 0 {
		x.ErrorMean, x.ErrorMax = decimals(e.sum/float64(e.measured)), decimals(e.most)
	}
	return x
}

// decimals prints a fact to the digits of metrics.
func decimals(v float64) model.Number {
	return model.Number(strconv.FormatFloat(v, 'f', model.ValueDigits, 64))
}
