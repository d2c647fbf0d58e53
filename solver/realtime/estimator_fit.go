package realtime

import "mrsched/model"

// manyPartitions is from how many partitions of a job on their times are estimated by lines. The paper has up to 60.
const manyPartitions = 101

// line is overhead + perByte·bytes, in microseconds.
type line struct{ overhead, perByte float64 }

// affine is the least-squares line through what past reduces of a job's class took on a worker over their bytes,
// neither coefficient below 0. Which runs count and how speeds enter is as for the k-NN estimate; runs all of one size
// say nothing about bytes: they give their mean, as does ClassMean.
//
// ok is true for jobs with many partitions that all state their bytes: there a search for each partition and worker
// would take too long, and time is the line's, too. Otherwise time is the k-NN estimate.
func (e *Estimator) affine(job, worker int32) (overhead, perByte float64, ok bool) {
	if e.largest[job] < 0 {
		return 0, 0, false
	}
	p := e.profile(job, model.Reduce, worker)
	if p.source == ClassMean {
		return p.mean / p.speed, 0, true
	}
	if p.from.fit == nil {
		l := fitLine(p.from.samples)
		p.from.fit = &l
	}
	overhead, perByte = p.from.fit.overhead/p.speed, p.from.fit.perByte/p.speed
	return overhead, perByte, overhead+float64(perByte*e.largest[job]) < float64(model.MaxTime)
}

// findLarge finds the largest partition of jobs for which there are lines; −1 for the others.
func (e *Estimator) findLarge() {
	e.largest = make([]float64, e.in.Jobs)
	for j := range e.largest {
		sets := e.in.SetsOf(int32(j))
		most := float64(-1)
		for _, s := range sets {
			for t := s.First; t < s.First+s.Count && sets[0].Count >= manyPartitions; t++ {
				most = max(most, float64(e.in.Bytes[t]))
			}
		}
		for t := sets[0].First; t < sets[0].First+sets[0].Count; t++ {
			if row := e.in.Task(t); row != nil && !row.InputBytes.Known {
				most = -1
				break
			}
		}
		e.largest[j] = most
	}
}

// fitLine is the non-negative least-squares line through at least one sample.
func fitLine(samples []sample) line {
	n, meanX, meanY := float64(len(samples)), 0.0, 0.0
	least, most := samples[0].x[0], samples[0].x[0]
	for i := range samples {
		x := samples[i].x[0]
		meanX += x / n
		meanY += samples[i].y / n
		least, most = min(least, x), max(most, x)
	}
	sxx, sxy, rawXX, rawXY := 0.0, 0.0, 0.0, 0.0 // about the means, and about 0
	for i := range samples {
		x, y := samples[i].x[0], samples[i].y
		sxx += float64((x - meanX) * (x - meanX))
		sxy += float64((x - meanX) * (y - meanY))
		rawXX += float64(x * x)
		rawXY += float64(x * y)
	}
	// The problem is convex: where the free line has one negative coefficient, the best has that one 0.
	if least == most || sxy <= 0 {
		return line{meanY, 0}
	}
	free := line{meanY - sxy/sxx*meanX, sxy / sxx}
	if free.overhead < 0 {
		return line{0, rawXY / rawXX}
	}
	return free
}
