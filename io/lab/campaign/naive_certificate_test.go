package campaign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"mrsched/model"
	"mrsched/model/msjo"
)

// proof holds the parts of certificates that are evaluated here.
type proof struct {
	Kind, Value, Method string
	Denominator         int64
	Terms               []struct {
		Threshold json.Number
		Prices    []int64
	}
	Arcs       []int64
	Inequality string
	machinePrices
	Cases  *completionCase
	Levels []int64
	Unit   string
	Prices json.RawMessage

	Both, Forward, Backward, Place []int64
	Alone                          []struct {
		Job int
		taskSet
		Refuted *struct {
			Due      json.Number
			Nodes    int
			Reversed bool
		}
	}
	Ends, Starts  []nodeSet
	Before, After []priceGroup
}

// nodeSet is a bound of a node.
type nodeSet struct {
	Node int
	taskSet
}

// taskSet is what is said about the tasks beyond two thresholds.
type taskSet struct {
	Head, Tail json.Number
	Count      int
	Packing    *struct {
		Within, Cut json.Number
		Steps       int64
	}
}

type priceGroup struct {
	Node          int
	Tasks, Prices []int64
}

// certificate shows that the corrupted certificate proves the same bound, and says how.
func (n *naive) certificate(before, after []byte) (string, error) {
	a, b := parse(before), parse(after)
	switch {
	case b == nil:
		return "", errors.New("it is no JSON")
	case bytes.Equal(a.compact(), b.compact()):
		return "blanks around the same certificate", nil
	case a.get("value") == nil || b.get("value") == nil || a.get("value").text != b.get("value").text ||
		a.get("method").text != b.get("method").text:
		return "", errors.New("it states another bound")
	case n.problem == "cluster": // it proves the same, so its numbers do not matter
		stated, _ := new(big.Rat).SetString(strings.Trim(b.get("value").text, `"`))
		return n.trueBound(strings.Trim(b.get("method").text, `"`), stated)
	}
	var p proof
	if err := unmarshal(after, &p); err != nil {
		return "", err
	}
	stated, ok := new(big.Rat).SetString(p.Value)
	if !ok {
		return "", fmt.Errorf("value %q", p.Value)
	}
	evaluate := map[string]func(*proof) (*big.Rat, error){
		"midpoint-prices": n.midpoints, "two-sided-prices": n.twoSided, "two-sided-task-prices": n.twoSidedTasks,
		"completion-prices": n.completions, "machine-prices": n.machinePrices, "completion-cases": n.machinePrices,
		"local-cuts": n.localCuts, "slot-prices": n.slotPrices,
	}[p.Kind]
	switch {
	case evaluate != nil:
		v, err := evaluate(&p)
		if err == nil && v.Cmp(stated) < 0 {
			err = fmt.Errorf("it proves %s only", v.RatString())
		}
		return "another certificate of kind " + p.Kind + ", which proves the bound by naive evaluation", err
	case b.get("prices") != nil && n.problem == "multitenant":
		v, err := n.resourcePrices(p.Prices)
		if err == nil && v.Cmp(stated) < 0 {
			err = fmt.Errorf("it proves %s only", v.RatString())
		}
		return "other prices of slots and links, which prove the bound by naive evaluation", err
	case multiples(a, b):
		return "all prices and what they are counted in times one factor, which changes no quotient", nil
	}
	return n.trueBound(p.Method, stated)
}

// multiples says whether all numbers in which two certificates differ do so by one factor.
func multiples(a, b *node) bool {
	was, now := map[string]string{}, map[string]string{}
	a.leaves("", func(path string, leaf *node) { was[path] = leaf.text })
	b.leaves("", func(path string, leaf *node) { now[path] = leaf.text })
	var factor *big.Rat
	same := len(was) == len(now)
	for path, text := range was {
		x, ok := new(big.Rat).SetString(text)
		y, ok2 := new(big.Rat).SetString(now[path])
		if ok != ok2 || !ok && text != now[path] {
			return false
		}
		if !ok || x.Sign() == 0 && y.Sign() == 0 || bytes.HasSuffix([]byte(path), []byte(".from")) && x.Cmp(y) == 0 {
			continue
		}
		if x.Sign() == 0 {
			return false
		}
		y.Quo(y, x)
		if factor == nil {
			factor = y
		}
		same = same && y.Cmp(factor) == 0
	}
	return same
}

func seconds(v json.Number) *big.Rat { return perMillion(big.NewInt(micros(v)), 1) }

func rat(v int64) *big.Rat { return big.NewRat(v, 1) }

func sum(v *big.Rat, factors ...*big.Rat) {
	p := rat(1)
	for _, f := range factors {
		p.Mul(p, f)
	}
	v.Add(v, p)
}

func timeOf(t model.Time) *big.Rat { return perMillion(big.NewInt(int64(t)), 1) }

// paid is a_u of the terms, by term and task, and by task; the heads of the tasks must not be before the threshold.
func (n *naive) paid(p *proof) (each [][]*big.Rat, all []*big.Rat, err error) {
	in := n.view.(*msjo.Instance)
	all = make([]*big.Rat, in.Tasks)
	for u := range all {
		all[u] = new(big.Rat)
	}
	for _, t := range p.Terms {
		list := make([]*big.Rat, in.Tasks)
		for u, q := range t.Prices {
			list[u] = new(big.Rat).Mul(timeOf(in.Processing[u]), big.NewRat(q, p.Denominator))
			if q < 0 || q > 0 && timeOf(in.Head[u]).Cmp(seconds(t.Threshold)) < 0 {
				return nil, nil, fmt.Errorf("price %d of task %d", q, u)
			}
			all[u].Add(all[u], list[u])
		}
		each = append(each, list)
	}
	return each, all, nil
}

// beforeInOrder is A_u: the work before each task in the order of falling prices.
func (n *naive) beforeInOrder(prices []int64) []*big.Rat {
	in := n.view.(*msjo.Instance)
	order := make([]int, len(prices))
	for u := range order {
		order[u] = u
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(prices[b] - prices[a]) })
	list, so := make([]*big.Rat, len(prices)), new(big.Rat)
	for _, u := range order {
		list[u] = new(big.Rat).Set(so)
		so.Add(so, timeOf(in.Processing[u]))
	}
	return list
}

// midpoints is Σ w_j c_j + Σ a_u (threshold − e_u) + (1/m) Σ a_u (A_u + p_u/2), as docs/formats.md has it.
func (n *naive) midpoints(p *proof) (*big.Rat, error) {
	in := n.view.(*msjo.Instance)
	each, all, err := n.paid(p)
	if err != nil {
		return nil, err
	}
	bound, half := new(big.Rat), big.NewRat(1, 2)
	job := make([]*big.Rat, in.Jobs)
	for j := range job {
		weight := perMillion(big.NewInt(int64(in.Weight[j])), 1)
		job[j] = new(big.Rat)
		sum(bound, weight, timeOf(in.Alone[j]))
		for u := range in.Tasks {
			if int(in.Job[u]) == j {
				job[j].Add(job[j], all[u])
			}
		}
		if job[j].Cmp(weight) > 0 {
			return nil, fmt.Errorf("the prices of job %d exceed its weight", j)
		}
	}
	for k, t := range p.Terms {
		ahead := n.beforeInOrder(t.Prices)
		for u, a := range each[k] {
			length := timeOf(in.Processing[u])
			e := new(big.Rat).Sub(timeOf(in.Alone[in.Job[u]]), timeOf(in.Tail[u]))
			sum(e, rat(-1), half, length)
			sum(bound, a, new(big.Rat).Sub(seconds(t.Threshold), e))
			sum(bound, a, big.NewRat(1, int64(in.Machines)), new(big.Rat).Add(ahead[u], new(big.Rat).Mul(half, length)))
		}
	}
	return bound, nil
}

// completions is Σ a_u (threshold + p_u/2 + (A_u + p_u/2)/m) + Σ f (d + p_v) + Σ rc_u (h_u + p_u).
func (n *naive) completions(p *proof) (*big.Rat, error) {
	in := n.view.(*msjo.Instance)
	each, all, err := n.paid(p)
	if err != nil || len(p.Arcs) != len(in.SuccNode) {
		return nil, errors.Join(err, fmt.Errorf("%d arcs", len(p.Arcs)))
	}
	bound, half, m := new(big.Rat), big.NewRat(1, 2), big.NewRat(1, int64(in.Machines))
	rest := make([]*big.Rat, in.Nodes)
	for u := range rest {
		rest[u] = perMillion(big.NewInt(int64(in.TaskWeight[u])), 1)
		if u < in.Tasks {
			rest[u].Sub(rest[u], all[u])
		}
	}
	for u := range in.Nodes {
		for k := in.SuccFirst[u]; k < in.SuccFirst[u+1]; k++ {
			f, v := big.NewRat(p.Arcs[k], p.Denominator), in.SuccNode[k]
			if f.Sign() < 0 {
				return nil, errors.New("a negative multiplier")
			}
			rest[u].Add(rest[u], f)
			rest[v].Sub(rest[v], f)
			sum(bound, f, timeOf(in.SuccDelay[k]+in.Processing[v]))
		}
	}
	for u, rc := range rest {
		if rc.Sign() < 0 {
			return nil, fmt.Errorf("node %d pays more than it weighs", u)
		}
		sum(bound, rc, timeOf(in.Head[u]+in.Processing[u]))
	}
	for k, t := range p.Terms {
		ahead := n.beforeInOrder(t.Prices)
		for u, a := range each[k] {
			length := timeOf(in.Processing[u])
			inside := new(big.Rat).Set(seconds(t.Threshold))
			if p.Inequality == "published" {
				sum(inside, m, new(big.Rat).Add(ahead[u], length))
			} else {
				sum(inside, half, length)
				sum(inside, m, new(big.Rat).Add(ahead[u], new(big.Rat).Mul(half, length)))
			}
			sum(bound, a, inside)
		}
	}
	return bound, nil
}
