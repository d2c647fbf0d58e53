package realtime

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// TestHadoopHash is computed by hand. From 1 on: "a" 31·1 + 97 = 128; "ab" 31·128 + 98 = 4066; "abc" 31·4066 + 99 =
// 126145; "Aa" 31·96 + 97 = "BB" 31·97 + 66 = 3073; "é" is the bytes C3 A9, signed −61 and −87: 31·(31 − 61) − 87 =
// −1017, which without its sign bit is 2³¹ − 1017 = 2147482631. "hadoop" goes beyond 32 bits: 1 → 135 → 4282 → 132842 →
// 4118213 → 127664714 → 3957606246, which is −337361050 in 32 bits and 1810122598 without the sign.
func TestHadoopHash(t *testing.T) {
	for _, c := range []struct {
		key            string
		code           int32
		of10, of23, of int // partitions of 10, of 23 and of 1
	}{{"", 1, 1, 1, 0}, {"a", 128, 8, 13, 0}, {"ab", 4066, 6, 18, 0}, {"abc", 126145, 5, 13, 0}, {"Aa", 3073, 3, 14, 0},
		{"BB", 3073, 3, 14, 0}, {"é", -1017, 1, 1, 0}, {"hadoop", -337361050, 8, 12, 0}} {
		if got := hadoopHash(c.key); got != c.code {
			t.Errorf("hash code of %q is %d, want %d", c.key, got, c.code)
		}
		for parts, want := range map[int]int{10: c.of10, 23: c.of23, 1: c.of} {
			if got := HadoopPartition(c.key, parts); got != want {
				t.Errorf("%q goes to partition %d of %d, want %d", c.key, got, parts, want)
			}
		}
	}
}

// TestPoint: published values of 64-bit FNV-1a, mod 2⁶¹ − 1: the bits from 61 on are added to the rest. "a" is
// af63dc4c8601ec8c = 5·2⁶¹ + 0f63dc4c8601ec8c; "foobar" is 85944171f73967e8 = 4·2⁶¹ + 05944171f73967e8; "" is the
// offset basis cbf29ce484222325 = 6·2⁶¹ + 0bf29ce484222325.
func TestPoint(t *testing.T) {
	for key, want := range map[string]uint64{"a": 0x0f63dc4c8601ec91, "foobar": 0x05944171f73967ec,
		"": 0x0bf29ce48422232b} {
		if got := Point(key); got != want {
			t.Errorf("point of %q is %x, want %x", key, got, want)
		}
	}
}

// TestHashOf compares with big integers.
func TestHashOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := Hash{rapid.Uint64Range(1, prime-1).Draw(t, "a"), rapid.Uint64Range(0, prime-1).Draw(t, "b")}
		x, parts := rapid.Uint64Range(0, prime-1).Draw(t, "x"), rapid.IntRange(1, 1<<30).Draw(t, "parts")
		v := new(big.Int).SetUint64(h.A)
		v.Mul(v, new(big.Int).SetUint64(x)).Add(v, new(big.Int).SetUint64(h.B))
		v.Mod(v, big.NewInt(prime)).Mod(v, big.NewInt(int64(parts)))
		if got := h.Of(x, parts); int64(got) != v.Int64() {
			t.Errorf("%d, want %s", got, v)
		}
	})
}

// TestNewHashes: a seed determines them, a longer list begins with the shorter one, and multipliers are never 0.
func TestNewHashes(t *testing.T) {
	eight, three, other := NewHashes(8, 1), NewHashes(3, 1), NewHashes(3, 2)
	for i, h := range eight {
		if h.A == 0 || h.A >= prime || h.B >= prime {
			t.Errorf("hash %d: %v", i, h)
		}
		if i < 3 && (h != three[i] || h == other[i]) {
			t.Errorf("hash %d: %v, %v and, of another seed, %v", i, h, three[i], other[i])
		}
	}
}
