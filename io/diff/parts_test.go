package diff

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"mrsched/io/result"
	"mrsched/model"
)

func TestDecimal(t *testing.T) {
	for text, want := range map[string]string{"12.50": "12.5", "-0.000001": "-0.000001", "1e3": "1000", "2.5e-3": "0.0025",
		"+7.": "7", ".5": "0.5",
		"9223372036854775808.000000000001": "9223372036854775808.000000000001", "-0": "0"} {
		if got := exactText(decimal(text)); string(got) != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
	for _, text := range []string{"", "x", "1/3", "0x10", "1_0", "Inf", "NaN", "1e9999", "--1", ".",
		strings.Repeat("1", maxDecimal+1)} {
		if got := decimal(text); got != nil {
			t.Errorf("%.20q is %s, want none", text, got)
		}
	}
}

func TestShown(t *testing.T) {
	for n, want := range map[string]string{"1169": "1169", "1149.250999": "1149.25", "-16.6669": "-16.666",
		"0.0184275": "0.018427", "0.00000000012": "0.00000000012",
		"-0.00000000012": "-0.00000000012", "0": "0"} {
		if got := shown(decimal(n)); got != want {
			t.Errorf("%s is shown as %s, want %s", n, got, want)
		}
	}
	for _, c := range [][3]string{
		{"100", "110", "100 → 110 (+10, +10 %)"},
		{"110", "100.5", "110 → 100.5 (-9.5, -8.63 %)"},
		{"7", "7.0", "7"},
		{"0", "5", "0 → 5 (+5)"},
		{"1000000", "1000000.000001", "1000000 → 1000000 (+0.000001)"},
		{"", "5", "– → 5"},
		{"a", "b", "a → b"},
	} {
		v := valueOf("x", c[0], c[1])
		if got := v.text(plainName, true, true); got != c[2] {
			t.Errorf("%q and %q are shown as %s, want %s", c[0], c[1], got, c[2])
		}
	}
}

// TestPairs compares the join with one that sorts.
func TestPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}), 0, 9)
		a, b := keys.Draw(t, "a"), keys.Draw(t, "b")
		buffer := make([]string, 1) // an item is valid only until the next
		seq := func(list []string) func(func([]string) bool) {
			own := slices.Clone(buffer)
			return func(yield func([]string) bool) {
				for _, x := range list {
					own[0] = x
					if !yield(own) {
						return
					}
				}
			}
		}
		// Numbers by key: of items that both have, and that only the old and only the new list has.
		got, want := map[string][3]int{}, map[string][3]int{}
		note := func(item []string, k int) {
			n := got[item[0]]
			n[k]++
			got[item[0]] = n
		}
		pairs(seq(a), seq(b), func(x []string) string { return x[0] }, slices.Clone, func(x, y *[]string, _ int) {
			switch {
			case x == nil:
				note(*y, 2)
			case y == nil:
				note(*x, 1)
			case (*x)[0] != (*y)[0]:
				t.Errorf("%s was joined with %s", *x, *y)
			default:
				note(*x, 0)
			}
		})
		for _, key := range slices.Concat(a, b) {
			n, m := strings.Count(strings.Join(a, ""), key), strings.Count(strings.Join(b, ""), key)
			want[key] = [3]int{min(n, m), n - min(n, m), m - min(n, m)}
		}
		if !maps.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
}

// manifold is a pair of sides with more differences than 60 lines can hold, with names of any kind.
func manifold(names func(k int) string) (a, b *result.Side) {
	sides := [2]*result.Side{}
	for k := range sides {
		r := &model.Result{Format: model.ResultFormat, Problem: problemMultitenant, Algorithm: names(k),
			Status:     model.Status(names(10 + k)),
			Objective:  &model.Objective{Name: objectiveMakespan, Value: model.Number(fmt.Sprint(100 + k))},
			LowerBound: &model.LowerBound{Value: "7", Method: names(20 + k)},
			Guarantee:  &model.Guarantee{Factor: "3", Additive: "0", Verdict: names(30 + k)}, Metrics: map[string]any{},
			Parameters: map[string]any{}, Ratio: model.Number(fmt.Sprint(2 + k))}
		var rows []result.Row
		digests := map[string]string{}
		for i := range 100 {
			r.Metrics[names(40+i)] = json.Number(fmt.Sprint(k*i + 1))
			r.Parameters[names(40+i)] = names(i + k)
			digests[fmt.Sprintf("t%d.csv", i)] = names(k)
			own := cells(columnLocality, names(40+(i+k)%9))
			for c := range 9 {
				own = append(own, cells(names(300+c), names(i+k))...)
			}
			rows = append(rows, result.Row{Task: names(400 + i), Job: names(600 + i%50), Kind: "map",
				Machine: names(700 + i + k), End: model.Time(k*i) + 1, Columns: own})
		}
		b := &result.Bundle{Result: r, Rows: result.RowsOf(rows)}
		sides[k] = &result.Side{Known: known, Name: names(800 + k), Problem: problemMultitenant, Bundle: b, Digests: digests,
			Schedule: names(k),
			Warnings: []string{names(900)}}
	}
	return sides[0], sides[1]
}

// TestDiffTextIsShort: each part of the text for people has few lines, and with everything none is left out.
func TestDiffTextIsShort(t *testing.T) {
	a, b := manifold(func(k int) string { return fmt.Sprintf("name-%d", k) })
	for _, digest := range []string{"", "other"} {
		b.Bundle.Result.Instance.SHA256 = digest
		if digest != "" {
			a.Instance, b.Instance = manyChanges(1), manyChanges(3)
		}
		d := diffed(t, a, b, Keep)
		var text, all, brief bytes.Buffer
		try(t, errors.Join(d.WriteText(&text, false), diffed(t, a, b, 0).WriteText(&all, true), d.WriteBrief(&brief)))
		if n := strings.Count(text.String(), "\n"); n > len(d.Sections)*(Keep+2)+3 {
			t.Errorf("%d lines:\n%s", n, &text)
		}
		if strings.Contains(all.String(), "--all") || strings.Count(all.String(), "\n") < 300 {
			t.Error(all.String())
		}
		for line := range strings.Lines(brief.String()) {
			if len(line) > briefWidth+1 {
				t.Errorf("%d columns: %s", len(line), line)
			}
		}
	}
}

// TestDiffNames: no name acts as markup or ends a line.
func TestDiffNames(t *testing.T) {
	nasty := []string{"a|b", "`code`", "<img src=x onerror=y>", "[text](http://example.org)", "@everybody", "\\|", "x\ny",
		"\x1b[31mred", "\u202etxt", "**", "# head", "", "http://example.org"}
	a, b := manifold(func(k int) string { return nasty[k%len(nasty)] + fmt.Sprint(k) })
	d := diffed(t, a, b, KeepMarkdown)
	d.note("%s", nasty[1])
	var text, page bytes.Buffer
	try(t, errors.Join(d.WriteText(&text, true), d.WriteMarkdown(&page)))
	for _, c := range text.String() + page.String() {
		if !unicode.IsPrint(c) && c != '\n' {
			t.Errorf("%q is not printable", c)
		}
	}
	for line := range strings.Lines(page.String()) {
		prose := ""
		for k, part := range strings.Split(line, "`") {
			if k%2 == 0 {
				prose += part
			}
		}
		if strings.Count(line, "`")%2 != 0 || strings.ContainsAny(prose, "<>[]@#\\") || strings.Contains(prose, "http") {
			t.Errorf("names are not code: %s", line)
		}
	}
}
