package solver

import (
	"math/big"
	"reflect"
	"testing"

	"mrsched/model"
)

// lastEnd is a view whose objective is the last end in microseconds, and which forbids machine 9.
type lastEnd struct{ model.View }

func (lastEnd) Evaluate(s *model.Schedule) model.Evaluation {
	last := model.Time(0)
	for _, e := range s.Entries {
		last = max(last, e.End)
	}
	return model.Evaluation{Value: big.NewRat(int64(last), 1)}
}

func (lastEnd) Check(s *model.Schedule) []model.Violation {
	for _, e := range s.Entries {
		if e.Machine == 9 {
			return []model.Violation{{Code: model.CodeMachineUnknown}}
		}
	}
	return nil
}

// TestAlternatives: alternatives that break a constraint are reported and left out. The others are sorted by cost, then
// in the order tried, and cut to the number wanted. An alternative with a known change ranks like an evaluated one.
func TestAlternatives(t *testing.T) {
	at := func(machine int32, end model.Time) *model.Schedule {
		return &model.Schedule{Entries: []model.Entry{{Machine: machine, End: end}}}
	}
	a := NewAlternatives(lastEnd{}, at(0, 10), 3)
	for _, x := range []struct {
		name    string
		machine int32
		end     model.Time
		missing int
	}{{"later", 1, 12, 2}, {"forbidden", 9, 1, 2}, {"sooner", 2, 7, 1}, {"as late", 3, 12, 0}, {"last", 4, 11, 0}} {
		if broken := a.Try(Alternative{Machine: x.name}, at(x.machine, x.end)); (broken != nil) != (x.machine == 9) {
			t.Errorf("%s: %v", x.name, broken)
		}
		if a.Missing() != x.missing {
			t.Errorf("%s: %d more are wanted", x.name, a.Missing())
		}
	}
	a.Offer(Alternative{Machine: "known"}, big.NewRat(-2, 1))
	want := []Alternative{{Machine: "sooner", Objective: "7", Change: "-3"},
		{Machine: "known", Objective: "8", Change: "-2"}, {Machine: "last", Objective: "11", Change: "1"}}
	if got := a.List(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}
