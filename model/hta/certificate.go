package hta

import (
	"errors"
	"fmt"
	"math/big"

	"mrsched/model"
)

// Certificate proves a lower bound on the makespan.
//
// Kind "local-cuts": one integer per server, its level. For every τ ≥ 0 let A be the servers of level > τ and X the
// tasks all of whose replicas on servers lie in A: tasks in X can only be local in A, and those whose block no server
// holds nowhere. So with at most τ local tasks per server, at most
//
//	ℓ(τ) = min(τ·|A| + m − |X|, τ·n, m)
//
// tasks are local, whatever the levels are. An assignment whose largest number of local tasks on one server is τ has
// load ≥ τ·w_loc, at least ρ = m − ℓ(τ) remote tasks, and loads of the form a·w_loc + b·w_rem(r) with a ≤ τ. LB is the
// least load, over all τ, for which the relaxation of bound.go finds room for all tasks.
//
// Kind "server-prices": see prices.go.
type Certificate struct {
	model.Claim
	Levels []int32 `json:"levels,omitempty"` // by server
	// Prices are one to three vectors of integers, by server.
	Prices [][]int64 `json:"prices,omitempty"`
}

// kindsOf lists the kinds of certificates that each method makes.
var kindsOf = map[string][]string{KindLocalCuts: {KindLocalCuts}, KindServerPrices: {KindServerPrices}}

// KindLocalCuts is the kind of certificate that flows produce.
const KindLocalCuts = "local-cuts"

// Sign completes a certificate: it computes Value. Errors: the certificate proves nothing.
func (in *Instance) Sign(c *Certificate) error {
	return c.Claim.Sign(Name, func() (*big.Rat, error) { return in.prove(c) })
}

// Certify re-evaluates a certificate in exact arithmetic and requires that it states what it proves.
func (in *Instance) Certify(raw []byte) (model.Certified, error) {
	var c Certificate
	return model.Certify(raw, &c, &c.Claim, Name, kindsOf, func() (*big.Rat, error) { return in.prove(&c) })
}

// prove computes what a certificate proves, in seconds.
func (in *Instance) prove(c *Certificate) (*big.Rat, error) {
	if c.Kind == KindLocalCuts && c.Prices != nil || c.Kind == KindServerPrices && c.Levels != nil {
		return nil, fmt.Errorf("certificate: numbers that kind %q does not use", c.Kind)
	}
	if c.Kind == KindServerPrices {
		return in.provePrices(c.Prices)
	}
	if len(c.Levels) != in.Servers {
		return nil, fmt.Errorf("certificate: %s for %s", model.Counted(len(c.Levels), "level"),
			model.Counted(in.Servers, "server"))
	}
	for _, level := range c.Levels {
		if level < 0 || int(level) > in.Tasks {
			return nil, errors.New("certificate: levels lie between 0 and the number of tasks")
		}
	}
	return big.NewRat(int64(in.CutBound(c.Levels)), int64(model.Second)), nil
}
