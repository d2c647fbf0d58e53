package chart

import (
	"math"
	"strconv"
	"strings"

	"mrsched/io/show"
	"mrsched/model"
)

// Scale maps values to pixels.
type Scale struct {
	Low, High, From, To float64
}

// At is the pixel of a value.
func (s Scale) At(v float64) float64 {
	if s.High <= s.Low {
		return s.From
	}
	return s.From + (v-s.Low)/(s.High-s.Low)*(s.To-s.From)
}

// ticks are round values from low to high, about n of them: steps are 1, 2 or 5 times a power of ten.
func ticks(low, high float64, n int) []float64 {
	if high <= low || n < 1 {
		return []float64{low}
	}
	return multiples(low, high, step((high-low)/float64(n)))
}

// step is the least of 1, 2 and 5 times a power of ten that is not below a value.
func step(raw float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 5} {
		if raw <= m*power*(1+1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// multiples are those of a step from low to high.
func multiples(low, high, step float64) (list []float64) {
	for k := math.Ceil(low/step - 1e-9); k*step <= high+step*1e-9; k++ {
		list = append(list, k*step+0) // not −0
	}
	return list
}

// Unit is how an axis writes its values: divided by a size, with a name; or, of seconds, as a clock; or, of moments
// after an origin, as clock times.
type Unit struct {
	Size   float64
	Name   string
	Clock  bool
	Origin model.Origin
	days   bool // clock times have their days
}

// Plain writes numbers as they are.
var Plain = Unit{Size: 1}

// TimeUnit is the unit of time, in seconds, that suits a span: from a minute on that of clocks.
func TimeUnit(seconds float64) Unit {
	switch {
	case seconds >= 60:
		return Unit{Size: 1, Name: "h:mm:ss", Clock: true}
	case seconds >= 1 || seconds == 0:
		return Unit{Size: 1, Name: "s"}
	case seconds >= 1e-3:
		return Unit{Size: 1e-3, Name: "ms"}
	}
	return Unit{Size: 1e-6, Name: "µs"}
}

// Since is the unit of moments of a span after an origin, of which the unit is that of times: clock times, if the
// origin is known and the times are not less than minutes.
func (u Unit) Since(o model.Origin, seconds float64) Unit {
	if !u.Clock || !o.Known() {
		return u
	}
	return Unit{Size: 1, Name: "clock", Clock: true, Origin: o, days: seconds > model.DaySeconds}
}

// moment is a point in time after the origin.
func moment(v float64) model.Time { return model.Time(math.Round(v * float64(model.Second))) }

// clockSteps are the distances between ticks of a clock, in seconds, between one and a day.
var clockSteps = []float64{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400}

// Ticks are values that are round in the unit.
func (u Unit) Ticks(low, high float64, n int) []float64 {
	if raw := (high - low) / float64(max(n, 1)); u.Clock && raw > 0.5 {
		unit := 86400 * step(raw/86400)
		for _, s := range clockSteps {
			if raw <= s*(1+1e-9) {
				unit = s
				break
			}
		}
		list, shift := multiples(low+u.Origin.OfDay(), high+u.Origin.OfDay(), unit), u.Origin.OfDay()
		for i := range list {
			list[i] -= shift
		}
		return list
	}
	list := ticks(low/u.Size, high/u.Size, n)
	for i := range list {
		list[i] *= u.Size
	}
	return list
}

// Prefixed is a unit with the decimal prefix that suits a value.
func Prefixed(v float64, name string) Unit {
	for _, p := range []struct {
		size float64
		name string
	}{{1e18, "E"}, {1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e4, "k"}} {
		if math.Abs(v) >= p.size {
			if p.name == "k" {
				return Unit{Size: 1e3, Name: "k" + name}
			}
			return Unit{Size: p.size, Name: p.name + name}
		}
	}
	return Unit{Size: 1, Name: name}
}

// Label names an axis with its unit.
func (u Unit) Label(what string) string {
	if u.Name == "" {
		return what
	}
	return what + " (" + u.Name + ")"
}

// Text writes a value in the unit; ticks are short numbers.
func (u Unit) Text(v float64) string {
	if u.Origin.Known() {
		text := strings.TrimSuffix(u.Origin.Clock(moment(v), u.days), ":00")
		if year, rest, ok := strings.Cut(text, "-"); ok && year != "" {
			return rest
		}
		return text
	}
	if u.Clock {
		return show.Clock(v)
	}
	return strconv.FormatFloat(math.Round(v/u.Size*1e6)/1e6, 'f', -1, 64)
}

// With writes a value with its unit, to three digits behind the point.
func (u Unit) With(v float64) string {
	if u.Origin.Known() {
		return u.Origin.Near(moment(v))
	}
	if u.Clock {
		return show.Clock(v)
	}
	return strings.TrimSpace(strconv.FormatFloat(math.Round(v/u.Size*1e3)/1e3, 'f', -1, 64) + " " + u.Name)
}
