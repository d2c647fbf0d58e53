package command

import (
	"encoding/json"
	"io"
	"math/big"
	"mrsched/model"
	"strings"
)

// heading is how a table writes a name.
func heading(name string) string { return strings.ToUpper(strings.ReplaceAll(name, "_", " ")) }

// counted prints a number and what it counts.
func counted(n int, what string) string { return model.Counted(n, what) }

// shownDigits is how many decimals the table shows; files hold more.
const shownDigits = 3

// shorten cuts a number to shownDigits decimals, downwards; one below 1 to twice as many.
func shorten(n model.Number) string { return shortened(n, model.RoundDown) }

func shortened(n model.Number, mode model.Rounding) string {
	v, ok := n.Rat()
	switch {
	case !ok:
		return string(n)
	case v.Cmp(one) < 0:
		return model.FormatRat(v, 2*shownDigits, mode)
	}
	return model.FormatRat(v, shownDigits, mode)
}

func guaranteeText(r *model.Result) string {
	if r.Guarantee == nil {
		return "–"
	}
	return promiseText(r.Guarantee.Factor, r.Guarantee.Additive, r.Guarantee.Verdict)
}

// promiseText is a guarantee in a few characters; without a factor there is none.
func promiseText(factor, additive model.Number, verdict string) string {
	if factor == "" {
		return "–"
	}
	text := string(factor)
	if additive != "0" {
		text = strings.TrimPrefix(text+" ", "1 ") + "OPT + " + shortened(additive, model.RoundUp)
	}
	return "≤ " + text + " " + verdict
}

func dash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

func writeLines[T any](w io.Writer, rows []T) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, r := range rows {
		if err := e.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

var one = big.NewRat(1, 1)
