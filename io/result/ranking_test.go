package result

import (
	"slices"
	"testing"

	"mrsched/model"
)

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
