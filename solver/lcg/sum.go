package lcg

import "mrsched/model/proof"

func (e *Engine) addSums() {
	for k := range e.model.Sums {
		x := &e.model.Sums[k]
		e.sums[2*x.Of+1] = append(e.sums[2*x.Of+1], int32(k))
		for _, t := range x.Terms {
			e.sums[2*t.Variable] = append(e.sums[2*t.Variable], int32(k))
		}
	}
}

// balance raises a sum to the least values of its terms, and keeps each term to what the others leave of it. The model
// bounds the terms so that sums do not overflow.
func (e *Engine) balance(k int32) bool {
	x := &e.model.Sums[k]
	total, most := int64(0), e.most(x.Of)
	for i := range x.Terms {
		total += x.Terms[i].Of(e.least(x.Terms[i].Variable))
	}
	if total > most {
		why := append(e.terms(x, none, total-most-1), proof.AtMost(x.Of, most))
		e.conflict = append(e.conflict[:0], why...)
		e.clash = proof.Hint{Kind: proof.BySum, At: int(k), To: literal{Side: none}}
		return false
	}
	rule := func(l literal, spare int64, but int32) bool {
		if e.is(l) {
			return true
		}
		why := e.terms(x, but, spare)
		if but != none {
			why = append(why, proof.AtMost(x.Of, most))
		}
		return e.rule(l, proof.Hint{Kind: proof.BySum, At: int(k), To: l}, why...)
	}
	if !rule(proof.AtLeast(x.Of, total), 0, none) {
		return false
	}
	for i := range x.Terms {
		t := &x.Terms[i]
		now := t.Of(e.least(t.Variable))
		left, last := most-total+now, t.Due
		switch {
		case !t.Step:
			last += left / t.Factor
		case t.Factor <= left:
			continue
		}
		if !rule(proof.AtMost(t.Variable, last), t.Of(last+1)-left-1, int32(i)) {
			return false
		}
	}
	return true
}

// terms lists why the terms of a sum, without one of them, are at least what they are, less what is to spare.
func (e *Engine) terms(x *proof.Sum, but int32, spare int64) []literal {
	var list []literal
	for i := range x.Terms {
		t := &x.Terms[i]
		least := e.least(t.Variable)
		now := t.Of(least)
		switch {
		case int32(i) == but || now == 0:
			continue
		case now <= spare:
			spare -= now
			continue
		case t.Step:
			least = t.Due + 1
		default:
			least -= spare / t.Factor
			spare %= t.Factor
		}
		list = append(list, proof.AtLeast(t.Variable, least))
	}
	return list
}
