package model

import (
	"slices"
	"testing"
)

func seconds(list ...Time) []Time {
	for i := range list {
		list[i] *= Second
	}
	return list
}

// remoteCosts are remote costs with some of their values, in seconds.
var remoteCosts = map[string]struct {
	cost     RemoteCost
	at       map[int]Time
	constant bool
}{
	"uniform":        {RemoteCost{Base: 3 * Second}, map[int]Time{0: 3, 1: 3, 1 << 30: 3}, true},
	"affine":         {RemoteCost{Base: 3 * Second, PerRemote: 2 * Second}, map[int]Time{0: 3, 1: 5, 10: 23}, false},
	"table":          {RemoteCost{Table: seconds(3, 3, 4)}, map[int]Time{0: 3, 1: 3, 2: 4, 3: 4, 1 << 30: 4}, false},
	"flat table":     {RemoteCost{Table: seconds(3, 3)}, map[int]Time{0: 3, 7: 3}, true},
	"table of one":   {RemoteCost{Table: seconds(3)}, map[int]Time{0: 3, 7: 3}, true},
	"table counts":   {RemoteCost{Base: 9 * Second, PerRemote: 9, Table: seconds(3)}, map[int]Time{0: 3, 7: 3}, true},
	"nothing at all": {RemoteCost{}, map[int]Time{0: 0, 7: 0}, true},
}

func TestRemoteCost(t *testing.T) {
	for name, c := range remoteCosts {
		for r, want := range c.at {
			if got := c.cost.At(r); got != want*Second {
				t.Errorf("%s: %d remote tasks cost %s each, want %d", name, r, got, want)
			}
		}
		if got := c.cost.Constant(); got != c.constant {
			t.Errorf("%s: constant is %v", name, got)
		}
	}
}

// costCodes returns the codes of a Builder for a cost with some tasks.
func costCodes(t *testing.T, c AssignmentCost, tasks int) []Code {
	t.Helper()
	b := NewBuilder()
	b.Job(Job{ID: "j"}, Locus{})
	for i := range tasks {
		b.Task(Task{ID: string(rune('a' + i))}, "j", "", Locus{})
	}
	at := Position{File: "w", Line: 2, Column: 3}
	b.Cost(c, Locus{Pos: at})
	w, err := b.Build()
	if err == nil {
		if w.Cost == nil || w.Cost.Local != c.Local {
			t.Errorf("cost %+v became %+v", c, w.Cost)
		}
		return nil
	}
	if got := err.(*InputError).Findings[0].Pos; got != at {
		t.Errorf("found at %s, want %s", got, at)
	}
	return codes(t, err)
}

func TestBuilderCost(t *testing.T) {
	if d := DefaultAssignmentCost(); costCodes(t, d, 1) != nil {
		t.Error("the default cost is refused")
	}
	const most = MaxHorizon / 2 // for each of two tasks
	for name, c := range map[string]struct {
		cost AssignmentCost
		want Code // "" if it is accepted
	}{
		"equal": {AssignmentCost{Local: Second, Remote: RemoteCost{Base: Second}}, ""},
		"free":  {AssignmentCost{}, ""},
		"racks": {AssignmentCost{Local: Second, Rack: Some(Second), Remote: RemoteCost{Base: Second}}, ""},
		"racks and table": {AssignmentCost{Local: Second, Rack: Some(2 * Second), Remote: RemoteCost{Table: seconds(3, 3)}},
			""},

		"remote below local": {AssignmentCost{Local: 2, Remote: RemoteCost{Base: 1, PerRemote: 5}}, CodeCost},
		"table below local":  {AssignmentCost{Local: 2, Remote: RemoteCost{Table: []Time{1, 5}}}, CodeCost},
		"falling table":      {AssignmentCost{Local: 1, Remote: RemoteCost{Table: []Time{3, 4, 3}}}, CodeCost},
		"rack below local":   {AssignmentCost{Local: 2, Rack: Some(Time(1)), Remote: RemoteCost{Base: 3}}, CodeCost},
		"rack above remote":  {AssignmentCost{Local: 2, Rack: Some(Time(4)), Remote: RemoteCost{Base: 3}}, CodeCost},
		"racks and affine": {AssignmentCost{Local: 1, Rack: Some(Time(2)), Remote: RemoteCost{Base: 3, PerRemote: 1}},
			CodeCost},
		"racks, rising table": {AssignmentCost{Local: 1, Rack: Some(Time(2)), Remote: RemoteCost{Table: []Time{3, 4}}},
			CodeCost},

		"most":             {AssignmentCost{Local: most, Remote: RemoteCost{Base: most}}, ""},
		"too much":         {AssignmentCost{Local: 1, Remote: RemoteCost{Base: most + 1}}, CodeTotalTime},
		"most, affine":     {AssignmentCost{Remote: RemoteCost{Base: most - 2, PerRemote: 1}}, ""},
		"too much, affine": {AssignmentCost{Remote: RemoteCost{Base: most - 1, PerRemote: 1}}, CodeTotalTime},
		"beyond 64 bits":   {AssignmentCost{Remote: RemoteCost{Base: MaxTime, PerRemote: MaxTime}}, CodeTotalTime},
		"most, table":      {AssignmentCost{Remote: RemoteCost{Table: []Time{0, 0, most}}}, ""},
		"too much, table":  {AssignmentCost{Remote: RemoteCost{Table: []Time{0, 0, most + 1}}}, CodeTotalTime},
		// takes three remote tasks
		"never reached": {AssignmentCost{Remote: RemoteCost{Table: []Time{0, 0, 0, MaxTime}}}, ""},
	} {
		var want []Code
		if c.want != "" {
			want = []Code{c.want}
		}
		if got := costCodes(t, c.cost, 2); !slices.Equal(got, want) {
			t.Errorf("%s: codes %v, want %v", name, got, want)
		}
	}
}
