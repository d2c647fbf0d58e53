package msjo

import (
	"testing"
	"time"
)

func TestLagrangeTry(t *testing.T) {
	for _, n := range []int64{10, 20} {
		in := marsInstance(t, n, 1)
		c, r := relax(t, in, false, generationOptions{warm: true})
		order := (&run{in: in, c: c, solved: r}).midpointOrder(r)
		s := graph(in).NeverIdle(ranks(order), in.Machines)
		ub := float(in.Evaluate(s).Value)
		var mk float64
		for _, e := range s.Entries {
			mk = max(mk, e.End.Seconds())
		}
		l := newLagrangian(in, 400, mk)
		// warm start
		sep := separator{c: c}
		sep.sort(r.midpoint)
		type pa struct{ a, pi float64 }
		var a float64
		dens := make([]float64, len(l.price.step))
		for _, o := range sep.order {
			k := int(a / c.m / l.price.cell)
			a += c.p[o.k]
			if k < len(dens) {
				dens[k] = max(dens[k], r.price[o.k])
			}
		}
		acc := 0.0
		for k := len(dens) - 1; k >= 0; k-- {
			acc += dens[k] * l.price.cell
			l.price.step[k] = acc
		}
		at := time.Now()
		best, theta, stall := 0.0, 1.0, 0
		for it := 0; it < 600; it++ {
			v := l.evaluate()
			if v > best {
				best, stall = v, 0
			} else if stall++; stall > 15 {
				theta, stall = theta/2, 0
			}
			var norm float64
			for k := range l.usage {
				g := l.usage[k] - l.m
				if g < 0 && l.price.step[k] == 0 {
					g = 0
				}
				norm += g * g * l.price.cell
			}
			step := theta * (ub - v) / norm
			for k := range l.usage {
				l.price.step[k] = max(0, l.price.step[k]+step*(l.usage[k]-l.m))
			}
			if it%50 == 0 || it < 5 {
				t.Logf("it %d: %.1f best %.1f lp %.1f ub %.1f theta %g falling %d %v", it, v, best, r.value, ub, theta, l.price.falling, time.Since(at))
			}
		}
	}
}
