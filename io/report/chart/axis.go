package chart

import (
	"math"
	"strconv"
)

// Scale maps values to pixels.
type Scale struct {
	Low, High, From, To float64
	Log                 bool // Low must be above 0
}

// At is the pixel of a value.
func (s Scale) At(v float64) float64 {
	if s.High <= s.Low {
		return s.From
	}
	if s.Log {
		return s.From + math.Log(v/s.Low)/math.Log(s.High/s.Low)*(s.To-s.From)
	}
	return s.From + (v-s.Low)/(s.High-s.Low)*(s.To-s.From)
}

// ticks are round values on the scale; about n of them if it is linear.
func (s Scale) ticks(u Unit, n int) []float64 {
	if s.Log {
		return logTicks(s.Low, s.High)
	}
	return u.Ticks(s.Low, s.High, n)
}

// logTicks are the powers of ten from low to high, and twice and five times those if these are few.
func logTicks(low, high float64) (list []float64) {
	steps := []float64{1, 2, 5}
	if high > 1e3*low {
		steps = steps[:1]
	}
	for e := int(math.Floor(math.Log10(low))); math.Pow10(e) <= high; e++ {
		for _, m := range steps {
			if v := m * math.Pow10(e); low <= v && v <= high {
				list = append(list, v)
			}
		}
	}
	return list
}

// ticks are round values from low to high, about n of them: steps are 1, 2 or 5 times a power of ten.
func ticks(low, high float64, n int) []float64 {
	if high <= low || n < 1 {
		return []float64{low}
	}
	raw := (high - low) / float64(n)
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	step := 10 * power
	for _, m := range []float64{1, 2, 5} {
		if raw <= m*power*(1+1e-9) {
			step = m * power
			break
		}
	}
	var list []float64
	for k := math.Ceil(low/step - 1e-9); k*step <= high+step*1e-9; k++ {
		list = append(list, k*step+0) // not −0
	}
	return list
}

// Unit is how an axis writes its values: divided by a size, with a name.
type Unit struct {
	Size float64
	Name string
}

// Plain writes numbers as they are.
var Plain = Unit{Size: 1}

// TimeUnit is the unit that suits a span of time.
func TimeUnit(seconds float64) Unit {
	for _, u := range []struct {
		from float64
		Unit
	}{{4 * 86400, Unit{86400, "d"}}, {4 * 3600, Unit{3600, "h"}}, {20 * 60, Unit{60, "min"}}, {1, Unit{1, "s"}},
		{1e-3, Unit{1e-3, "ms"}}} {
		if seconds >= u.from {
			return u.Unit
		}
	}
	return Unit{1e-6, "µs"}
}

// Ticks are values that are round in the unit.
func (u Unit) Ticks(low, high float64, n int) []float64 {
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
				return Unit{1e3, "k" + name}
			}
			return Unit{p.size, p.name + name}
		}
	}
	return Unit{1, name}
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
	return strconv.FormatFloat(math.Round(v/u.Size*1e6)/1e6, 'f', -1, 64)
}

// With writes a value with its unit, to three digits behind the point.
func (u Unit) With(v float64) string {
	text := strconv.FormatFloat(math.Round(v/u.Size*1e3)/1e3, 'f', -1, 64)
	if u.Name == "" {
		return text
	}
	return text + " " + u.Name
}
