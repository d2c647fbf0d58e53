package proof_test

import (
	"strings"
	"testing"

	"mrsched/model/proof"
)

// twoTasks are tasks 0 and 1 of length 2 that cannot run together, and their makespan, 2, which is at most 3.
func twoTasks() *proof.Model {
	return &proof.Model{Least: []int64{0, 0, 0}, Most: []int64{3, 3, 3}, Objective: 2,
		Arcs: []proof.Arc{{From: 0, To: 2, Delay: 2}, {From: 1, To: 2, Delay: 2}},
		Limits: []proof.Limit{{Capacity: 1, Tasks: []proof.Need{{Variable: 0, Length: 2, Amount: 1},
			{Variable: 1, Length: 2, Amount: 1}}}}}
}

var nothing = proof.Literal{Side: proof.None}

// The log of docs/certificates.md: both tasks start at 1 at the latest, so both run at 1.
func TestCheck(t *testing.T) {
	var log proof.Log
	log.Add([]proof.Literal{proof.AtMost(0, 1)}, []proof.Hint{{Kind: proof.ByArc, At: 1}})
	log.Add([]proof.Literal{proof.AtMost(1, 1)}, []proof.Hint{{Kind: proof.ByArc, At: 3}})
	log.Add([]proof.Literal{proof.AtLeast(0, 1), proof.AtMost(0, 0)}, nil)
	log.Add(nil, []proof.Hint{{Kind: proof.ByTable, From: 1, Until: 2, To: nothing}})
	for _, raw := range [][]byte{log.All(), log.Bytes()} {
		if _, none, err := proof.Check(twoTasks(), raw); err != nil || !none {
			t.Errorf("%d bytes: %v, %v", len(raw), none, err)
		}
	}
	if a, b := len(log.All()), len(log.Bytes()); b >= a {
		t.Errorf("%d bytes, trimmed %d", a, b)
	}
}

// Without tasks that exclude each other, the log proves an end of 2; by energy, with them, one of 4.
func TestCheckLeast(t *testing.T) {
	m := twoTasks()
	m.Most = []int64{9, 9, 9}
	var log proof.Log
	log.Add([]proof.Literal{proof.AtLeast(2, 2)}, []proof.Hint{{Kind: proof.ByArc}})
	if least, none, err := proof.Check(m, log.All()); err != nil || none || least != 2 {
		t.Errorf("%d %v %v", least, none, err)
	}
	log.Add([]proof.Literal{proof.AtLeast(2, 4)}, []proof.Hint{{Kind: proof.ByArc, At: 1}, {Kind: proof.ByArc, At: 3},
		{Kind: proof.ByEnergy, From: 0, Until: 3, To: nothing}})
	if least, none, err := proof.Check(m, log.All()); err != nil || none || least != 4 {
		t.Errorf("%d %v %v", least, none, err)
	}
}

func TestCheckRefuses(t *testing.T) {
	clause := []proof.Literal{proof.AtMost(0, 1)}
	table := proof.Hint{Kind: proof.ByTable, From: 0, Until: 2, To: nothing}
	for _, c := range []struct {
		name, says string
		clause     []proof.Literal
		hints      []proof.Hint
	}{
		{"nothing shows it", "do not show", clause, nil},
		{"another arc", "do not show", clause, []proof.Hint{{Kind: proof.ByArc, At: 3}}},
		{"an arc too many", "no such arc", clause, []proof.Hint{{Kind: proof.ByArc, At: 4}}},
		{"a clause to come", "no clause 0", clause, []proof.Hint{{Kind: proof.ByClause, At: 0}}},
		{"a variable too many", "no such variable", []proof.Literal{proof.AtMost(3, 1)}, nil},
		{"a limit too many", "no such limit", nil, []proof.Hint{{Kind: proof.ByTable, At: 1, Until: 1, To: nothing}}},
		{"an empty interval", "empty interval", nil, []proof.Hint{{Kind: proof.ByTable, To: nothing}}},
		{"room in the table", "leave room", nil, []proof.Hint{table}},
		{"room by energy", "enough room", nil, []proof.Hint{{Kind: proof.ByEnergy, Until: 4, To: nothing}}},
		{"another task", "leave room", nil, []proof.Hint{{Kind: proof.ByTable, Until: 2, To: proof.AtLeast(2, 2)}}},
		{"a task that ends before", "leave room", nil,
			[]proof.Hint{{Kind: proof.ByTable, From: 2, Until: 3, To: proof.AtLeast(0, 3)}}},
	} {
		var log proof.Log
		log.Add(c.clause, c.hints)
		if _, _, err := proof.Check(twoTasks(), log.All()); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, expected %q", c.name, err, c.says)
		}
		if _, _, err := proof.Check(twoTasks(), log.All()[:len(log.All())-1]); err == nil {
			t.Errorf("%s: a cut log is accepted", c.name)
		}
	}
}
