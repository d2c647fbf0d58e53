package model

import (
	"fmt"
	"slices"
	"strings"
)

// Plural is a noun after a number: "slot" after 1, "slots" after any other number, and "capacities" for "capacity". It
// handles regular nouns only.
func Plural[N int | int32 | int64](n N, noun string) string {
	if n == 1 {
		return noun
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok && !strings.HasSuffix(stem, "e") && !strings.HasSuffix(stem, "a") {
		return stem + "ies"
	}
	return noun + "s"
}

// Are is "is" or "are" after a number.
func Are[N int | int32 | int64](n N) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// Counted is a number and what it counts: "1 slot", "2 slots".
func Counted[N int | int32 | int64](n N, noun string) string {
	return fmt.Sprintf("%d %s", n, Plural(n, noun))
}

// maxNearest is the longest name that Nearest looks at: the comparison takes quadratic time.
const maxNearest = 256

// Nearest is the name closest to the given one by edit distance (insertions, deletions, substitutions and swaps of
// neighbours), or "" if none is close enough to be a typing error: less than half of a short name may differ. A name
// that differs only in capitals or by blanks around it is the nearest. Ties: the earlier name. Names beyond maxNearest
// bytes are not compared.
func Nearest(name string, names []string) string {
	best, bestDistance := "", min(max(2, len(name)/3), (len(name)-1)/2)+1
	if len(name) > maxNearest {
		return ""
	}
	for _, n := range names {
		if strings.EqualFold(strings.TrimSpace(n), strings.TrimSpace(name)) {
			return n
		}
		if len(n)-len(name) >= bestDistance || len(name)-len(n) >= bestDistance {
			continue // the distance is at least the difference of the lengths
		}
		if d := editDistance(name, n); d < bestDistance && d < max(len(name), len(n)) {
			best, bestDistance = n, d
		}
	}
	return best
}

// editDistance is the optimal string alignment distance.
func editDistance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for k := range last {
		last[k] = k
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for k := 1; k <= len(b); k++ {
			cost := 1
			if a[i-1] == b[k-1] {
				cost = 0
			}
			row[k] = min(last[k]+1, row[k-1]+1, last[k-1]+cost)
			if i > 1 && k > 1 && a[i-1] == b[k-2] && a[i-2] == b[k-1] {
				row[k] = min(row[k], before[k-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// DidYouMean is a hint with the nearest name, or "". A host with its domain is near the host.
func DidYouMean(name string, names []string) string {
	host, _, _ := strings.Cut(name, ".")
	same := slices.DeleteFunc(slices.Clone(names), func(n string) bool {
		return n != host && !strings.HasPrefix(n, name+".")
	})
	near := Nearest(name, names)
	if near == "" && len(same) == 1 {
		near = same[0]
	}
	if near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return ""
}

// totals are the names that spreadsheets give to a row of sums.
var totals = []string{"total", "totals", "sum", "subtotal", "grand total", "gesamt", "summe"}

// TotalHint is the hint for a row that LooksLikeTotal.
const TotalHint = "the row looks like a total: delete it"

// LooksLikeTotal reports whether an id is a name that spreadsheets give to a row of sums.
func LooksLikeTotal(id string) bool { return slices.Contains(totals, strings.ToLower(id)) }
