package solver

import "math"

// taylor are the coefficients 1/8!, 1/7!, …, 1/1! of Exp's series.
var taylor = []float64{2.4801587301587301587e-5, 1.9841269841269841270e-4, 1.3888888888888888889e-3,
	8.3333333333333333333e-3, 4.1666666666666666667e-2, 1.6666666666666666667e-1, 0.5, 1}

// Exp is e to the power x, to the same bit on every processor. math.Exp depends on whether the processor multiplies and
// adds in one instruction; this is what it returns where one does.
//
// Source: Shibata, ISC 2010, as in math.Exp for amd64.
func Exp(x float64) float64 {
	const overflow, underflow = 709.782712893384, -746 // beyond, the result is ∞ or 0
	switch {
	case math.IsNaN(x):
		return x
	case x > overflow:
		return math.Inf(1)
	case x < underflow:
		return 0
	}
	n := math.RoundToEven(x * math.Log2E)
	x = math.FMA(-n, 0.69314718055966295651160180568695068359375, x) // ln 2 in two halves
	x = math.FMA(-n, 0.28235290563031577122588448175013436025525412068e-12, x) / 16
	y := taylor[0]
	for _, c := range taylor[1:] {
		y = math.FMA(y, x, c)
	}
	x *= y
	for range 3 { // e^2x − 1 = (e^x − 1)(e^x + 1)
		x *= float64(x + 2)
	}
	return math.Ldexp(math.FMA(float64(x+2), x, 1), int(n))
}
