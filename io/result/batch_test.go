package result

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mrsched/model"
)

// TestBatchRowsThatNobodyWrites: a summary whose two files agree, but which lists results twice, elsewhere or without a
// place.
func TestBatchRowsThatNobodyWrites(t *testing.T) {
	a := BatchRow{Instance: "a.json", Problem: "msjo", Algorithm: "mars", Status: model.StatusFeasible, Name: "twjct",
		Objective: "3", Result: "a/mars"}
	with := func(change func(*BatchRow)) BatchRow {
		row := a
		change(&row)
		return row
	}
	at := func(path string) BatchRow { return with(func(r *BatchRow) { r.Result = path }) }
	for about, x := range map[string]struct {
		second BatchRow
		want   string // "": nothing is wrong
	}{
		"another":           {at("b"), ""},
		"an error":          {BatchRow{Instance: "\xff.json", Status: StatusError, Exit: 2, Code: "F101", Error: "\xfe"}, ""},
		"not run":           {BatchRow{Instance: "b", Status: StatusNotRun, Exit: 130}, ""},
		"twice":             {with(func(r *BatchRow) { r.Objective = "1" }), `row 2 is another one of the result "a/mars"`},
		"out of it":         {at("../x"), "no place of one"},
		"out of it, within": {at("a/../b"), "no place of one"},
		"from the root":     {at("/etc/b"), "no place of one"},
		"NUL":               {at("b\x00"), "no place of one"},
		"too deep":          {at("a/b/c"), "no place of one"},
		"no place":          {at(""), "states a result without naming it"},
		"only a status": {BatchRow{Instance: "b", Status: model.StatusOptimal},
			`has the status "optimal" and names no result`},
	} {
		t.Run(about, func(t *testing.T) {
			b := &Batch{Rows: []BatchRow{a, x.second}}
			var text, table bytes.Buffer
			try(t, b.WriteJSON(&text))
			try(t, b.Records().WriteCSV(&table))
			path := write(t, SummaryFile, text.Bytes())
			dir := filepath.Dir(path)
			try(t, os.WriteFile(filepath.Join(dir, SummaryTable), table.Bytes(), 0o644))
			_, found, err := ReadBatch(dir)
			if err != nil || (len(found) == 0) != (x.want == "") || x.want != "" &&
				!strings.Contains(fmt.Sprint(found), x.want) {
				t.Errorf("%v %v, want %q", found, err, x.want)
			}
		})
	}
}

// TestRank: ties are best for all, runs without a schedule do not count, and means are rounded up.
func TestRank(t *testing.T) {
	row := func(instance, problem, algorithm string, objective, ratio model.Number) BatchRow {
		return BatchRow{Instance: instance, Problem: problem, Algorithm: algorithm, Name: "cost", Objective: objective,
			Ratio: ratio}
	}
	rows := []BatchRow{
		row("a", "p", "x", "10", "1"), row("a", "p", "y", "10", "1"), row("a", "p", "bound", "", ""),
		row("b", "p", "x", "7.5", "1.5"), row("b", "p", "y", "7.25", "1.450001"),
		row("c", "p", "x", "3", "1.5"), row("c", "p", "y", "4", ""),
		row("d", "q", "x", "0", ""),
	}
	want := []RankingRow{
		{Problem: "p", Name: "cost", Algorithm: "x", Instances: 3, Best: 2, Judged: 3, MeanRatio: "1.333334",
			WorstRatio: "1.5", WorstInstance: "b"},
		{Problem: "p", Name: "cost", Algorithm: "y", Instances: 3, Best: 2, Judged: 2, MeanRatio: "1.225001",
			WorstRatio: "1.450001", WorstInstance: "b"},
		{Problem: "q", Name: "cost", Algorithm: "x", Instances: 1, Best: 1},
	}
	if got := Rank(rows); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	if got := Rank(nil); len(got) > 0 {
		t.Error(got)
	}
}
