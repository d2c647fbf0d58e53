package reduceplace

import (
	"errors"
	"math/big"

	"mrsched/model"
)

// prover adds up, by level, the data for which the first slots have no room. Data counts in bytes/den: a price y is
// y·num of these, so that everything is an integer.
type prover struct {
	in       *Instance
	num, den uint64
	missing  []model.Wide // by level k: Σ over busy periods of the data that k slots cannot hold

	price []int64 // by point, of the row at hand
	sum   []int64 // by point: of the prices before it
	lines []line
}

// line is an upper bound on M over the level: base + slope·k.
type line struct{ base, slope model.Wide }

func (l line) at(k int) model.Wide { return l.base.Plus(l.slope.Times(uint64(k))) }

// period adds one busy period. Errors: invalid rows.
func (p *prover) period(b *Period, all []Interval, rows [][]int64) error {
	intervals := all[b.First:b.Last]
	var data model.Wide
	for _, v := range intervals {
		_, bytes := p.in.Amount(v)
		data = data.Plus(model.Product(uint64(bytes), p.den))
	}
	if err := p.draw(b, intervals, rows); err != nil {
		return err
	}
	p.missing[0] = p.missing[0].Plus(data) // no slot holds nothing
	now := 0
	for k := 1; k < int(min(b.Peak, int32(p.in.Slots))); k++ {
		most := data
		if len(p.lines) > 0 {
			for now+1 < len(p.lines) && !p.lines[now].at(k).Less(p.lines[now+1].at(k)) {
				now++
			}
			if m := p.lines[now].at(k); m.Less(most) {
				most = m
			}
		}
		p.missing[k] = p.missing[k].Plus(data.Minus(most))
	}
	return nil
}

// draw computes the lines of rows.
func (p *prover) draw(b *Period, intervals []Interval, rows [][]int64) error {
	p.lines = p.lines[:0]
	if len(rows) == 0 {
		return nil
	}
	if len(rows) > p.in.Slots {
		return errors.New("more rows than slots")
	}
	n := int(b.Points)
	if cap(p.price) < n {
		p.price, p.sum = make([]int64, n), make([]int64, n+1)
	}
	price := p.price[:n]
	clear(price)
	total := int64(0)
	for _, row := range rows {
		var err error
		if total, err = change(price, total, row); err != nil {
			return err
		}
		sum := p.sum[:n+1]
		for t, y := range price {
			sum[t+1] = sum[t] + y
		}
		l := line{slope: model.Product(uint64(total), p.num)}
		for _, v := range intervals {
			count, bytes := p.in.Amount(v)
			worth := model.Product(uint64(bytes), p.den)
			paid := model.Product(uint64(sum[v.To]-sum[v.From]), uint64(count)*p.num)
			if paid.Less(worth) {
				l.base = l.base.Plus(worth.Minus(paid))
			}
		}
		p.lines = append(p.lines, l)
	}
	return nil
}

// change applies a row to prices that add up to total, and returns the new sum.
func change(price []int64, total int64, row []int64) (int64, error) {
	if len(row)%2 != 0 {
		return 0, errors.New("a row is a list of pairs")
	}
	at := int64(-1)
	for k := 0; k < len(row); k += 2 {
		step, rise := row[k], row[k+1]
		if step < 1 || step > int64(len(price)) || at+step >= int64(len(price)) {
			return 0, errors.New("a change is at no point, or not after the one before")
		}
		at += step
		if rise > maxPrice-total || rise < -price[at] {
			return 0, errors.New("a price is negative or too high")
		}
		price[at] += rise
		total += rise
	}
	return total, nil
}

// value is the bound: Σ_k (H(k) − H(k−1))·(data that k−1 slots cannot hold).
func (p *prover) value() *big.Rat {
	in := p.in
	idle, x := new(big.Int), new(big.Int) // data of tasks that hold their slots for no time
	for i := range int32(in.Jobs) {
		for t := in.First[i]; t < in.First[i+1] && in.End[i] <= in.Start[i]; t++ {
			if !in.Uneven(i) {
				idle.Add(idle, x.SetInt64(int64(in.Bytes[i])))
				break
			}
			bytes, _ := in.Data(i, t)
			idle.Add(idle, x.SetInt64(int64(bytes)))
		}
	}
	idle.Mul(idle, x.SetUint64(p.den))
	sum, h := new(big.Int), int64(0)
	for k := range in.Slots {
		missing := p.missing[k].Into(new(big.Int))
		if k == 0 {
			missing.Add(missing, idle)
		}
		sum.Add(sum, missing.Mul(missing, x.SetInt64(int64(in.Cost[k])-h)))
		h = int64(in.Cost[k])
	}
	return new(big.Rat).SetFrac(sum, x.Mul(costUnit, new(big.Int).SetUint64(p.den)))
}
