package shop

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"mrsched/model"
	"mrsched/model/tier"
)

// TestLeaving: nodes leave and come back so late that a schedule ends after that only if it needs them. If they leave
// forever instead, New reports a task exactly if there is no other schedule.
func TestLeaving(t *testing.T) {
	const back = 60 // µs, when nodes come back
	r := rand.New(rand.NewPCG(7, 2))
	reported, open, fine := 0, 0, 0
	for range tier.Draws(800, 3000) {
		b := drawTiny(r, 1+r.IntN(4))
		w, err := b.Build()
		if err != nil {
			continue // a cycle
		}
		for n := range w.Topology {
			if w.Topology[n].Kind == model.HostNode {
				from := model.Time(2 + r.IntN(12))
				w.Unavailable = append(w.Unavailable, model.Unavailable{Node: model.NodeIndex(n), From: from,
					Until: model.Some(model.Time(back))})
			}
		}
		in, err := New(w)
		if err != nil {
			continue
		}
		forever := *w
		forever.Unavailable = slices.Clone(w.Unavailable)
		for k := range forever.Unavailable {
			if u := &forever.Unavailable[k]; u.Until.Value == back {
				u.Until = model.Optional[model.Time]{}
			}
		}
		_, err = New(&forever)
		none := optimum(in.Under(Makespan)).Cmp(big.NewInt(back)) > 0
		switch {
		case err != nil && !none:
			t.Fatalf("%v, although there is a schedule", err)
		case err != nil:
			reported++
		case none:
			open++
		default:
			fine++
		}
	}
	if t.Logf("%d reported, %d without a schedule are not, %d have one", reported, open, fine); reported < 5*open ||
		fine < 100 {
		t.Errorf("%d reported, %d without a schedule are not, %d have one", reported, open, fine)
	}
}
