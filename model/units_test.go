package model

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseFixed(t *testing.T) {
	for _, c := range []struct {
		text string
		want int64
		err  error
	}{
		{"0", 0, nil}, {"12.5", 12_500_000, nil}, {"3e-2", 30_000, nil}, {"1E3", 1_000_000_000, nil}, {"007", 7_000_000, nil},
		{".5", 500_000, nil}, {"5.", 5_000_000, nil}, {"+1", 1_000_000, nil},
		{"0.0000005", 1, nil}, {"0.00000049", 0, nil}, {"1e-99", 0, nil}, // rounded half away from zero, once
		{"9223372036854.775807", math.MaxInt64, nil}, {"9223372036854.775808", 0, ErrOverflow},
		{"1e999999999999", 0, ErrOverflow},
		{"0e999999999999", 0, nil}, {"-0", 0, nil}, {"-1", 0, ErrNegative}, {"-1e-9", 0, ErrNegative},
		{"", 0, ErrNotANumber}, {".", 0, ErrNotANumber}, {"NaN", 0, ErrNotANumber}, {"Inf", 0, ErrNotANumber},
		{"0x1", 0, ErrNotANumber},
		{"1e", 0, ErrNotANumber}, {"1e+", 0, ErrNotANumber}, {"1 ", 0, ErrNotANumber}, {"1_000", 0, ErrNotANumber},
		{"--1", 0, ErrNotANumber},
	} {
		got, err := ParseFixed(c.text, 6)
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%q: %d, %v; want %d, %v", c.text, got, err, c.want, c.err)
		}
	}
}

// TestFixed compares with exact rational arithmetic. Printed numbers read back as the same numbers.
func TestFixed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Int64Range(0, math.MaxInt64).Draw(t, "v")
		digits := rapid.IntRange(0, 9).Draw(t, "digits")
		text := FormatFixed(v, digits)
		if got, err := ParseFixed(text, digits); err != nil || got != v || strings.Contains(text, ".") &&
			strings.HasSuffix(text, "0") {
			t.Fatalf("%d printed as %q reads as %d, %v", v, text, got, err)
		}
		text = rapid.StringMatching(`[0-9]{0,14}\.[0-9]{1,14}(e-?[0-3])?`).Draw(t, "text")
		exact, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Skip("not a number for big.Rat")
		}
		exact.Add(exact.Mul(exact, big.NewRat(1_000_000, 1)), big.NewRat(1, 2))
		want := new(big.Int).Quo(exact.Num(), exact.Denom())
		got, err := ParseFixed(text, 6)
		if !want.IsInt64() && !errors.Is(err, ErrOverflow) || want.IsInt64() && (err != nil || got != want.Int64()) {
			t.Fatalf("%q: %d, %v; want %s", text, got, err, want)
		}
	})
}

func TestParseBytesAndTimes(t *testing.T) {
	for text, want := range map[string]Bytes{"0": 0, "64": 64, "1e6": 1_000_000, "1.0": 1, "67108864": 67108864} {
		if got, err := ParseBytes(text); err != nil || got != want {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"1.5", "-1", "1e-1", "x", ""} {
		if got, err := ParseBytes(text); err == nil {
			t.Errorf("%q reads as %d", text, got)
		}
	}
	if _, err := ParseTime("4611686018427.387903"); err != nil {
		t.Error(err)
	}
	if _, err := ParseTime("4611686018427.387904"); !errors.Is(err, ErrOverflow) {
		t.Errorf("beyond MaxTime: %v", err)
	}
	for text, want := range map[string]Time{"-1.5": -1_500_000, "2": 2 * Second, "-0": 0} {
		if got, err := ParseSignedTime(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "-", "--1", "-+1", "x", "-1e30"} {
		if got, err := ParseSignedTime(text); err == nil {
			t.Errorf("%q is %s", text, got)
		}
	}
}

// TestFormatRat: bounds round down, ratios up, and exact values stay.
func TestFormatRat(t *testing.T) {
	for _, c := range []struct {
		r    *big.Rat
		mode Rounding
		want string
	}{
		{big.NewRat(1, 3), RoundDown, "0.333"}, {big.NewRat(1, 3), RoundUp, "0.334"}, {big.NewRat(2, 3), RoundDown, "0.666"},
		{big.NewRat(5, 2), RoundUp, "2.5"}, {big.NewRat(7, 1), RoundUp, "7"}, {big.NewRat(1, 5000), RoundDown, "0"},
		{big.NewRat(1, 5000), RoundUp, "0.001"},
		{big.NewRat(9999, 10000), RoundUp, "1"},
		{big.NewRat(-1, 3), RoundDown, "-0.334"}, {big.NewRat(-1, 3), RoundUp, "-0.333"},
		{big.NewRat(-5, 1), RoundDown, "-5"}, {big.NewRat(-1, 5000), RoundUp, "0"},
	} {
		if got := FormatRat(c.r, 3, c.mode); got != c.want {
			t.Errorf("%s: %s, want %s", c.r, got, c.want)
		}
	}
}

// TestJudge: a failed inequality is a violation only against the bound of its theorem.
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		objective    int64
		theorem, met bool
		want         string
	}{
		{30, true, true, VerdictProven}, {31, true, true, VerdictViolated}, {31, false, true, VerdictUnknown},
		{31, true, false, VerdictUnknown},
	} {
		g := Guarantee{Factor: "2.5", Additive: "5", PreconditionsMet: c.met}
		if err := g.Judge(big.NewRat(c.objective, 1), big.NewRat(10, 1), c.theorem); err != nil || g.Verdict != c.want {
			t.Errorf("%+v: %s, %v", c, g.Verdict, err)
		}
	}
	g := Guarantee{Factor: "three"}
	if err := g.Judge(big.NewRat(1, 1), big.NewRat(1, 1), true); err == nil {
		t.Error("a factor that is not a number is judged")
	}
}

// TestShare: shares of 77 in thirds are 25, 51 and 77, and no step overflows.
func TestShare(t *testing.T) {
	for part, want := range []Bytes{0, 25, 51, 77} {
		if is := Bytes(77).Share(Bytes(part), 3); is != want {
			t.Errorf("%d thirds are %d", part, is)
		}
	}
	if is := Bytes(math.MaxInt64).Share(math.MaxInt64-1, math.MaxInt64); is != math.MaxInt64-1 {
		t.Error(is)
	}
}
