package msjo

import "testing"

// TestMemoIsBounded: nodes without values take memory, too.
func TestMemoIsBounded(t *testing.T) {
	m := newAloneMemo()
	for k := range uint64(memoWords / nodeWords * 2) {
		m.add(&aloneNode{placed: taskSet{k}})
	}
	if n := len(m.seen); n < memoWords/nodeWords/2 || n > memoWords/nodeWords+1 {
		t.Errorf("%d nodes", n)
	}
}
