package sim

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
)

func TestOver(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := model.Wide{High: rapid.Uint64().Draw(t, "high"), Low: rapid.Uint64().Draw(t, "low")}
		d := rapid.Uint64Range(1, 1<<63).Draw(t, "divisor")
		is, want := over(x, d).Into(new(big.Int)), x.Into(new(big.Int))
		if want.Quo(want, new(big.Int).SetUint64(d)); is.Cmp(want) != 0 {
			t.Fatalf("%v, not %v", is, want)
		}
	})
}
