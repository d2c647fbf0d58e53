package sim

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func (x wide) big() *big.Int {
	z := new(big.Int).SetUint64(x.high)
	return z.Lsh(z, 64).Add(z, new(big.Int).SetUint64(x.low))
}

func TestWide(t *testing.T) {
	modulus := new(big.Int).Lsh(big.NewInt(1), 128)
	rapid.Check(t, func(t *rapid.T) {
		x := wide{rapid.Uint64().Draw(t, "x high"), rapid.Uint64().Draw(t, "x low")}
		y := wide{rapid.Uint64().Draw(t, "y high"), rapid.Uint64().Draw(t, "y low")}
		d := rapid.Uint64Range(1, 1<<63).Draw(t, "divisor")
		bigD := new(big.Int).SetUint64(d)
		expect := func(what string, got wide, want *big.Int) {
			if got.big().Cmp(want.Mod(want, modulus)) != 0 {
				t.Fatalf("%s: %v, expected %v", what, got.big(), want)
			}
		}
		expect("plus", x.plus(y), new(big.Int).Add(x.big(), y.big()))
		expect("minus", x.minus(y), new(big.Int).Sub(x.big(), y.big()))
		expect("times", x.times(d), new(big.Int).Mul(x.big(), bigD))
		expect("product", product(x.low, y.low), new(big.Int).Mul(wide{0, x.low}.big(), wide{0, y.low}.big()))
		expect("over", x.over(d), new(big.Int).Div(x.big(), bigD))
		x.high >>= 1
		up := new(big.Int).Add(x.big(), bigD)
		expect("overUp", x.overUp(d), up.Sub(up, big.NewInt(1)).Div(up, bigD))
		if x.less(y) != (x.big().Cmp(y.big()) < 0) {
			t.Fatal("less")
		}
	})
}
