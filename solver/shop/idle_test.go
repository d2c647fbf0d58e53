package shop

import (
	"math/rand/v2"
	"testing"

	"mrsched/model"
	"mrsched/model/shop"
)

// watched is fifo, and looks at every start whether the dispatcher finds nodes as a look at all of them does.
type watched struct {
	*inOrder
	t *testing.T
	d *dispatcher
}

func (p *watched) start(u int32) {
	p.inOrder.start(u)
	for v := range int32(p.b.in.Tasks) {
		if p.d == nil || p.b.node[v] != model.None {
			continue
		}
		if i, want := p.d.nearest(v), p.d.among(v); i != want {
			p.t.Errorf("at %s, task %d: node %d, expected %d", p.d.now, v, i, want)
		}
	}
}

// TestNearest compares the queues of nodes with all nodes.
func TestNearest(t *testing.T) {
	var list []*shop.Instance
	for k := range 200 {
		list = append(list, small(t, rand.New(rand.NewPCG(uint64(k), 3)), k))
	}
	for seed := range uint64(12) {
		list = append(list, medium(t, seed))
	}
	for _, in := range list {
		b := newBoard(in)
		p := &watched{newInOrder(b, byRelease(in)), t, nil}
		p.d = newDispatcher(t.Context(), b, p)
		p.d.all(testOptions)
	}
}
