package estimate

import "mrsched/model"

// Line is a time that depends on bytes: Overhead + PerByte·bytes, in microseconds.
type Line struct{ Overhead, PerByte float64 }

// At is the line's time for this many bytes, at least 0 and rounded. The product is rounded before it is added, so that
// all machines agree.
func (l Line) At(bytes float64) model.Time {
	x := l.Overhead + float64(l.PerByte*bytes)
	if x < 0 { // cheaper than max, which handles NaN
		x = 0
	}
	return model.Time(x + 0.5)
}

// fitLine is the least-squares line through at least one sample, neither coefficient below 0. If all samples have one
// size, it is their mean.
func fitLine(samples []sample) Line {
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
	// The problem is convex: where the free line has one negative coefficient, the best line has that one 0.
	if least == most || sxy <= 0 {
		return Line{meanY, 0}
	}
	free := Line{meanY - sxy/sxx*meanX, sxy / sxx}
	if free.Overhead < 0 {
		return Line{0, rawXY / rawXX}
	}
	return free
}
