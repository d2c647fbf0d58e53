package diff

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
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

// TestTotal: sums are exact, also beyond machine words and below millionths.
func TestTotal(t *testing.T) {
	digits := rapid.StringMatching(`-?[0-9]{1,19}(\.[0-9]{1,9})?`)
	rapid.Check(t, func(t *rapid.T) {
		var sum total
		want := new(big.Rat)
		for _, text := range rapid.SliceOf(digits).Draw(t, "numbers") {
			sum.add(text)
			want.Add(want, decimal(text))
		}
		for _, micro := range rapid.SliceOf(rapid.SampledFrom([]int64{math.MaxInt64, math.MinInt64, 1, -1,
			math.MaxInt64 / 2})).Draw(t, "micro") {
			sum.addMicro(micro)
			want.Add(want, big.NewRat(micro, 1_000_000))
		}
		if got := sum.value(); got.Cmp(want) != 0 {
			t.Errorf("the sum is %s, want %s", got, want)
		}
	})
}

func TestShown(t *testing.T) {
	for n, want := range map[model.Number]string{"1169": "1169", "1149.250999": "1149.25", "-16.6669": "-16.666",
		"0.0184275": "0.018427", "0.00000000012": "0.00000000012",
		"-0.00000000012": "-0.00000000012", "0": "0", "": "–"} {
		if got := shown(n); got != want {
			t.Errorf("%s is shown as %s, want %s", n, got, want)
		}
	}
	for _, c := range []struct {
		n    Numbers
		want string
	}{
		{printed("100", "110"), "100 → 110 (+10, +10 %)"},
		{printed("110", "100.5"), "110 → 100.5 (-9.5, -8.63 %)"},
		{printed("7", "7.0"), "7"},
		{printed("0", "5"), "0 → 5 (+5)"},
		{printed("1000000", "1000000.000001"), "1000000 → 1000000 (+0.000001)"},
		{printed("", "5"), "– → 5"},
	} {
		if got := objectiveFact(&ObjectiveChange{Name: "x", Numbers: c.n}, plainName).String(); got != c.want {
			t.Errorf("%+v is shown as %s, want %s", c.n, got, c.want)
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

// TestDiffTextIsShort: the text for people has 60 lines at most, also with changes of the input.
func TestDiffTextIsShort(t *testing.T) {
	a, b := manifold(func(k int) string { return fmt.Sprintf("name-%d", k) })
	for _, digest := range []string{"", "other"} {
		b.Bundle.Result.Instance.SHA256 = digest
		if digest != "" {
			a.Instance, b.Instance = manyChanges(1), manyChanges(3)
		}
		d := diffed(t, a, b, Keep)
		for range 20 {
			d.note("another")
		}
		var text, all bytes.Buffer
		try(t, errors.Join(d.WriteText(&text, false), diffed(t, a, b, 0).WriteText(&all, true)))
		if n := strings.Count(text.String(), "\n"); n > 60 || n < 50 {
			t.Errorf("%d lines:\n%s", n, &text)
		}
		if strings.Contains(all.String(), "--all") || strings.Count(all.String(), "\n") < 300 {
			t.Error(all.String())
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
	if n := strings.Count(page.String(), "\n"); n > 60 {
		t.Errorf("the comment has %d lines", n)
	}
	for line := range strings.Lines(page.String()) {
		if strings.HasPrefix(line, "|") && strings.Count(line, "|") != 5 {
			t.Errorf("cells of another number: %s", line)
		}
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

// TestDiffOf is worked out by hand: two jobs of weights 2 and 1 on two machines. Job a ends 1 s later, which costs 2; b
// ends 3 s earlier, which gains 3; task b1 stays where it is.
func TestDiffOf(t *testing.T) {
	second := model.Second
	row := func(task, job, machine string, start, end model.Time) result.Row {
		return result.Row{Task: task, Job: job, Kind: "map", Machine: machine, Start: start * second, End: end * second}
	}
	side := func(name string, objective model.Number, table string, rows ...result.Row) *result.Side {
		b := &result.Bundle{Rows: result.RowsOf(rows),
			Result: &model.Result{Format: model.ResultFormat, Problem: problemMSJO,
				Objective: &model.Objective{Name: objectiveTWJCT, Value: objective}}}
		s := &result.Side{Known: known, Name: name, Problem: problemMSJO, Bundle: b, Digests: map[string]string{},
			Schedule: fmt.Sprint(rows)}
		if table != "" {
			var lines [][]string
			for line := range strings.Lines(table) {
				lines = append(lines, strings.Split(strings.TrimSpace(line), ","))
			}
			s.Tables = []model.ResultTable{{Name: jobsTable, Columns: []string{"job", "weight", "completion", "objective_share"},
				Rows: slices.Values(lines)}}
			s.Digests["jobs.csv"] = table
		}
		return s
	}
	rows := [2][]result.Row{
		{row("a1", "a", "m1", 0, 2), row("b1", "b", "m2", 0, 1), row("b2", "b", "m1", 2, 5)},
		{row("a1", "a", "m2", 1, 3), row("b1", "b", "m2", 0, 1), row("b2", "b", "m1", 0, 2)},
	}
	fresh := side("new", "8", "a,2,3,6\nb,1,2,2\n", rows[1]...)
	for name, c := range map[string]struct {
		old        *result.Side
		of, source string
	}{
		"with the table":    {side("old", "9", "a,2,2,4\nb,1,5,5\n", rows[0]...), columnShare, fromTable},
		"without the table": {side("old", "9", "", rows[0]...), "", fromRows},
	} {
		d := diffed(t, c.old, fresh, 0)
		if d.Verdict != VerdictBetter || d.Same || d.Objective.Change != "-1" {
			t.Errorf("%s: %+v", name, d.Objective)
		}
		shares := &Shares{Of: c.of, Source: c.source, Sum: "-1", Rest: "0", Gained: 1, Lost: 1}
		if c.of == "" { // only the table states shares
			shares = nil
		}
		if diff := cmp.Diff(shares, d.Shares); diff != "" {
			t.Error(name, diff)
		}
		if diff := cmp.Diff(&EndCounts{Source: c.source, Earlier: 1, Later: 1}, d.Ends); diff != "" {
			t.Error(name, diff)
		}
		if diff := cmp.Diff(&TaskCounts{Old: 3, New: 3, Same: 1, Start: 1, Both: 1, Moved: 2}, d.Tasks); diff != "" {
			t.Error(name, diff)
		}
		if len(d.Jobs) != 2 || d.Jobs[0].Job != "b" || d.Jobs[0].Moved != 1 ||
			shares != nil && (d.Jobs[0].Share.Change != "-3" || d.Jobs[1].Share.Change != "2") {
			t.Errorf("%s: %+v", name, d.Jobs)
		}
		moved := slices.Collect(d.Moved())
		want := []TaskChange{
			{Task: "b2", Job: "b", Kind: "map", Change: movedStart, Old: &Place{"m1", 2 * second, 5 * second, nil},
				New: &Place{"m1", 0, 2 * second, nil}, Shift: "-2"},
			{Task: "a1", Job: "a", Kind: "map", Change: movedBoth, Old: &Place{"m1", 0, 2 * second, nil},
				New: &Place{"m2", second, 3 * second, nil}, Shift: "1"},
		}
		if diff := cmp.Diff(want, moved); diff != "" {
			t.Error(name, diff)
		}
	}
}
