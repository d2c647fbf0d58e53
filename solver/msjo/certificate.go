package msjo

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"

	"mrsched/model"
	"mrsched/model/shop"
)

const (
	// priceBits is the size of the largest integer price of a certificate. 40 bits lose less than 1e-9 of a bound and keep
	// every number exact in JSON readers that use doubles.
	priceBits = 40
	// shave is the relative step that lowers prices which exceed a job's weight by rounding.
	shave = 1.0 / (1 << 45)
)

// certify makes a certificate of any prices per second of processing, by task. It scales the prices of a job down if
// they cost more than its weight, so the bound is valid for any prices.
func certify(in *shop.Instance, method string, price []float64) (*shop.Certificate, error) {
	factor, top := affordable(in, price)
	cert := &shop.Certificate{Claim: model.Claim{Method: method, Kind: shop.KindMidpointPrices},
		SetPrices: &shop.SetPrices{Denominator: 1}}
	if top > 0 {
		_, e := math.Frexp(top)
		cert.Denominator = 1 << min(max(0, priceBits-e), 62)
	}
	q := make([]int64, in.Tasks)
	for u, v := range price {
		if v > 0 {
			q[u] = int64(v * factor[in.Job[u]] * float64(cert.Denominator))
		}
	}
	if slices.Max(q) > 0 {
		repair(in, q, cert.Denominator)
		cert.Terms = []shop.PriceTerm{{Prices: q}}
	}
	if err := in.Sign(cert); err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	return cert, nil
}

// affordable returns, per job, the factor that brings its prices within its weight, and the largest price.
func affordable(in *shop.Instance, price []float64) (factor []float64, top float64) {
	paid := make([]float64, in.Jobs)
	for u, v := range price {
		if v > 0 {
			paid[in.Job[u]] += v * in.Least[u].Seconds()
		}
	}
	factor = make([]float64, in.Jobs)
	for j := range factor {
		factor[j] = 1
		if w := in.Weight[j].Float(); paid[j] > w {
			factor[j] = w / paid[j]
		}
	}
	for u, v := range price {
		top = max(top, v*factor[in.Job[u]])
	}
	return factor, top
}

// repair lowers the integer prices of every job that exceeds its weight by rounding.
func repair(in *shop.Instance, price []int64, denominator int64) {
	paid, x, y := new(big.Int), new(big.Int), new(big.Int)
	over := func(j int) bool {
		paid.SetInt64(0)
		for u := range tasksOf(in, j) {
			paid.Add(paid, x.Mul(x.SetInt64(int64(in.Least[u])), y.SetInt64(price[u])))
		}
		return paid.Cmp(x.Mul(x.SetInt64(int64(in.Weight[j])), y.SetInt64(denominator))) > 0
	}
	for j := range in.Jobs {
		for by := shave; over(j); by *= 2 {
			for u := range tasksOf(in, j) {
				price[u] = max(0, price[u]-1-int64(float64(price[u])*min(by, 1)))
			}
		}
	}
}

// taskPrices are multipliers of the LP on completion times under the task objective: prices per second of
// processing, by task, and a weight for every arc. They prove a bound on TWTCT: see shop.KindCompletionPrices.
type taskPrices struct {
	price []float64
	arc   []float64
}

func newTaskPrices(in *shop.Instance) *taskPrices {
	return &taskPrices{price: make([]float64, in.Tasks), arc: make([]float64, len(in.SuccStep))}
}

// settle lowers any prices, by position, to what the jobs' weights can pay, and computes the arcs' multipliers.
//
// In a map-reduce job a map's price may exceed its weight. Then reduces with spare weight carry the excess through the
// barrier, at a loss of f·(h_v − h_b) each. The earliest heads carry first. settle cuts prices beyond what they can
// carry. In other jobs it cuts every price to its task's weight, and arcs carry nothing.
func (s *completionADMM) settle(price []float64, out *taskPrices) {
	c, in := s.f.c, s.f.c.in
	clear(out.arc)
	for j := range s.jobs {
		job := &s.jobs[j]
		var demand, room float64
		for _, k := range job.before {
			over := price[k]*c.p[k] - s.cost[k]
			if len(job.after) == 0 && over > 0 {
				price[k] = s.cost[k] / c.p[k]
			}
			demand += max(0, over)
		}
		if len(job.after) == 0 {
			continue
		}
		for _, k := range job.after {
			if c.p[k] > 0 {
				price[k] = min(price[k], s.cost[k]/c.p[k])
			}
			room += s.cost[k] - price[k]*c.p[k]
		}
		share := 1.0
		if demand > room {
			share = room / demand
		}
		var flow float64
		for _, k := range job.before {
			if over := price[k]*c.p[k] - s.cost[k]; over > 0 {
				price[k] = (s.cost[k] + over*share) / c.p[k]
				out.arc[in.SuccFirst[c.task[k]]] = over * share
				flow += over * share
			}
		}
		s.carry(job, price, flow, out)
	}
	for k, u := range c.task {
		out.price[u] = price[k]
	}
}

// carry divides the flow through a job's barrier among its later tasks.
func (s *completionADMM) carry(job *splitJob, price []float64, flow float64, out *taskPrices) {
	c, in := s.f.c, s.f.c.in
	after := slices.Clone(job.after)
	slices.SortStableFunc(after, func(a, b int32) int { return cmp.Compare(in.Head[c.task[a]], in.Head[c.task[b]]) })
	b := in.SuccStep[in.SuccFirst[c.task[job.before[0]]]]
	for _, k := range after {
		f := min(flow, s.cost[k]-price[k]*c.p[k])
		if f <= 0 {
			continue
		}
		flow -= f
		for a := in.SuccFirst[b]; a < in.SuccFirst[b+1]; a++ {
			if in.SuccStep[a] == c.task[k] {
				out.arc[a] = f
			}
		}
	}
}

// value is the bound on TWTCT in floating-point numbers. If f assigns machines, it only bounds schedules with this
// assignment.
func (t *taskPrices) value(f byCompletion) float64 {
	in := f.c.in
	rest := make([]float64, in.Steps)
	var lb float64
	for u := range in.Steps {
		for k := in.SuccFirst[u]; k < in.SuccFirst[u+1]; k++ {
			v := in.SuccStep[k]
			lb += t.arc[k] * (in.SuccDelay[k] + in.Least[v]).Seconds()
			rest[u] += t.arc[k]
			rest[v] -= t.arc[k]
		}
		rest[u] += in.TaskWeight[u].Float()
	}
	for u, q := range t.price {
		rest[u] -= q * in.Least[u].Seconds()
	}
	for u, w := range rest {
		lb += max(0, w) * (in.Head[u] + in.Least[u]).Seconds()
	}
	shifts := 0.0
	for u, q := range t.price {
		p := in.Least[u].Seconds()
		shifts += q * p * f.shift(p)
	}
	return lb + shifts + f.machineTime(t.price)
}

// machineTime is the least Σ q_u p_u x_u that the sets allow, for prices q by task: tasks in order of falling price. If
// machines are assigned, each machine counts its own tasks separately.
func (f byCompletion) machineTime(price []float64) (sum float64) {
	in, m := f.c.in, f.c.m
	order := model.Indices(in.Tasks)
	slices.SortFunc(order, func(a, b int32) int {
		if price[a] != price[b] {
			return cmp.Compare(price[b], price[a])
		}
		return int(a - b)
	})
	before := make([]float64, 1)
	if f.machine != nil {
		m, before = 1, make([]float64, slices.Max(f.machine)+1)
	}
	for _, u := range order {
		i, p := int32(0), in.Least[u].Seconds()
		if f.machine != nil {
			i = f.machine[u]
		}
		sum += price[u] * p * (before[i] + p/2) / m
		before[i] += p
	}
	return sum
}

// arcBits is the size of the largest integer multiplier of an arc, exact in JSON readers that use doubles.
const arcBits = 52

// certifyTasks makes a certificate of any prices and multipliers. It cuts what a node cannot pay, so the bound is valid
// for any input.
func certifyTasks(in *shop.Instance, method string, published bool, t *taskPrices) (*shop.Certificate, error) {
	cert := &shop.Certificate{Claim: model.Claim{Method: method, Kind: shop.KindCompletionPrices},
		SetPrices: &shop.SetPrices{Inequality: shop.InequalitySchulz, Arcs: make([]int64, len(t.arc)),
			Denominator: 1 << min(spare(t.price, priceBits), spare(t.arc, arcBits))}}
	if published {
		cert.Inequality = shop.InequalityPublished
	}
	prices := make([]int64, in.Tasks)
	for u, q := range t.price {
		prices[u] = int64(max(0, q) * float64(cert.Denominator))
	}
	for k, f := range t.arc {
		cert.Arcs[k] = int64(max(0, f) * float64(cert.Denominator))
	}
	cutTasks(in, prices, cert)
	cert.Terms = []shop.PriceTerm{{Prices: prices}}
	if err := in.Sign(cert); err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	return cert, nil
}

// certified returns a certificate's prices and multipliers. Every node can pay these.
func certified(c *shop.Certificate) *taskPrices {
	t := &taskPrices{}
	for _, q := range c.Terms[0].Prices {
		t.price = append(t.price, float64(q)/float64(c.Denominator))
	}
	for _, f := range c.Arcs {
		t.arc = append(t.arc, float64(f)/float64(c.Denominator))
	}
	return t
}

// spare is the number of bits by which the largest number may be shifted to reach the given size.
func spare(v []float64, bits int) int {
	_, e := math.Frexp(slices.Max(append([]float64{0}, v...)))
	return min(max(0, bits-e), 50)
}

// cutTasks lowers prices, then multipliers of incoming arcs, of every node that cannot pay for them. It works backwards
// from the ends of the jobs, because the tail of a cut arc must pay what the arc no longer carries.
func cutTasks(in *shop.Instance, prices []int64, cert *shop.Certificate) {
	into := make([][]int32, in.Steps) // arcs by head
	for k, v := range in.SuccStep {
		into[v] = append(into[v], int32(k))
	}
	unit, rest, x, y := big.NewInt(int64(model.UnitWeight)), new(big.Int), new(big.Int), new(big.Int)
	for i := len(in.Topo) - 1; i >= 0; i-- {
		u := in.Topo[i]
		rest.SetInt64(0)
		for k := in.SuccFirst[u]; k < in.SuccFirst[u+1]; k++ {
			rest.Add(rest, x.SetInt64(cert.Arcs[k]))
		}
		for _, k := range into[u] {
			rest.Sub(rest, x.SetInt64(cert.Arcs[k]))
		}
		rest.Mul(rest, unit)
		rest.Add(rest, x.Mul(x.SetInt64(int64(in.TaskWeight[u])), y.SetInt64(cert.Denominator)))
		if u < int32(in.Tasks) {
			p := big.NewInt(int64(in.Least[u]))
			if p.Sign() == 0 {
				prices[u] = 0
			}
			rest.Sub(rest, x.Mul(p, y.SetInt64(prices[u])))
			if rest.Sign() < 0 && prices[u] > 0 {
				prices[u] -= reduceBy(prices[u], rest, p)
			}
		}
		for _, k := range into[u] {
			if rest.Sign() < 0 && cert.Arcs[k] > 0 {
				cert.Arcs[k] -= reduceBy(cert.Arcs[k], rest, unit)
			}
		}
	}
}

// reduceBy is the amount, at most v, by which a number v must fall until rest is no longer negative. Each step raises
// rest by unit. It updates rest.
func reduceBy(v int64, rest, unit *big.Int) int64 {
	steps := new(big.Int).Neg(rest)
	steps.Add(steps, unit).Sub(steps, big.NewInt(1)).Quo(steps, unit)
	if steps.Cmp(big.NewInt(v)) > 0 {
		steps.SetInt64(v)
	}
	rest.Add(rest, new(big.Int).Mul(steps, unit))
	return steps.Int64()
}
