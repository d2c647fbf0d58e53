package instances

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"mrsched/io/textpos"
	"mrsched/model"
	"mrsched/model/hta/sat"
	"mrsched/solver"
)

func satPreset() Preset {
	return Preset{
		Problem: "hta", Name: "3sat",
		Summary: "the reduction from 3SAT: the formula is satisfiable exactly if the makespan is at most 3",
		Params: []solver.Param{
			text("cnf", "", "the formula, a DIMACS CNF file with at most three literals per clause; plain or gzip"),
		},
		Files: []string{"cnf"}, Fixed: true,
		Generate: generateSAT,
	}
}

// generateSAT reads the formula; nothing is random.
func generateSAT(p solver.Params, _ uint64) (*model.Workload, error) {
	path := p.Text("cnf")
	if path == "" {
		return nil, model.NewInputError(contradiction("preset 3sat needs a formula", "--cnf FILE",
			"DIMACS CNF, at most three literals per clause"))
	}
	file, err := os.Open(path)
	if err != nil {
		if e, ok := errors.AsType[*fs.PathError](err); ok {
			err = e.Err // the position already has the path
		}
		return nil, model.NewInputError(model.Finding{Code: model.CodeUnreadable, Pos: model.Position{File: path},
			What: err.Error(), Expected: "a DIMACS CNF file", Hint: "check the path and its permissions"})
	}
	defer file.Close() // it was only read
	text := textpos.NewReader(file, path)
	text.Max(textpos.MaxHeld)
	formula, err := sat.ReadCNF(text, path)
	if err != nil {
		return nil, err
	}
	return sat.Reduce(formula)
}

func thm41Preset() Preset {
	return Preset{
		Problem: "hta", Name: "thm41",
		Summary: "one task per server, each with one replica: one more replica may cost round robin a remote task: run " +
			"round-robin --tie worst with and without --extra-replica",
		Params: slices.Concat([]solver.Param{
			htaServers("10", 2),
			flag("extra-replica", "a second replica of the last task's block, on the first server: the proof's G′"),
		}, htaCosts()),
		Generate: generateThm41,
		Tasks:    tasksOf("servers"),
	}
}

// generateThm41 makes the placement graph G of the proof, task "t<i>" on server "s<i>" alone; or G′, with an edge from
// the last task to the first server.
func generateThm41(p solver.Params, _ uint64) (*model.Workload, error) {
	n, extra := int(p.Int("servers")), p.Bool("extra-replica")
	name, graph := fmt.Sprintf("thm41-%d", n), "G"
	if extra {
		name, graph = name+"-extra", "G′"
	}
	b := htaWorkload(name, htaCost(p), n, 1)
	b.Note("the placement graph %s of Theorem 4.1 (Fischer, Su, Yin 2010)", graph)
	for i := range n {
		servers := []int{i + 1}
		if extra && i == n-1 {
			servers = append(servers, 1)
		}
		b.local(nth("t", i), nth("b", i), servers...)
	}
	return b.Build()
}

func thm43Preset() Preset {
	return Preset{
		Problem: "hta", Name: "thm43",
		Summary: "every server has its share of the tasks, but those of the last may run elsewhere: round robin may leave " +
			"remote ones to it: run round-robin --tie worst",
		Params: slices.Concat([]solver.Param{
			whole("tasks", "80", 1, 1e7, "number of map tasks, at most n(n-2) on n servers"),
			htaServers("10", 3),
		}, htaCosts()),
		Generate: generateThm43,
		Tasks:    tasksOf("tasks"),
	}
}

// generateThm43 makes the placement graph of the proof. Tasks are split into one set per server; if the numbers require
// it, the first servers have one task more. Task "t<i>.<k>" is the k-th of server "s<i>", which holds its block; the
// block of the k-th task of the last server lies on s<k>, too.
func generateThm43(p solver.Params, _ uint64) (*model.Workload, error) {
	m, n := p.Int("tasks"), p.Int("servers")
	b := htaWorkload(fmt.Sprintf("thm43-%d-%d", m, n), htaCost(p), int(n), 1)
	if m > n*(n-2) {
		b.refuse(model.Counted(m, "task")+" on "+model.Counted(n, "server"),
			fmt.Sprintf("at most n(n-2) = %d tasks", n*(n-2)), "lower --tasks or raise --servers")
		return nil, b.Findings.Err()
	}
	b.Note("the placement graph of Theorem 4.3 (Fischer, Su, Yin 2010)")
	for i := range int(n) {
		size := int(m / n)
		if int64(i) < m%n {
			size++
		}
		for k := range size {
			servers := []int{i + 1}
			if i == int(n)-1 {
				servers = append(servers, k+1)
			}
			b.local(nth(nth("t", i)+".", k), nth(nth("b", i)+".", k), servers...)
		}
	}
	return b.Build()
}

// thm54Servers bounds the servers of thm54, because the number of tasks grows with its square.
const thm54Servers = 3000

func thm54Preset() Preset {
	return Preset{
		Problem: "hta", Name: "thm54",
		Summary: "flow spreads the few local tasks of all servers but the first, and so exceeds the optimum by as much as " +
			"its guarantee allows: run flow",
		Params: []solver.Param{
			whole("servers", "10", 3, thm54Servers, "number of servers; they decide the tasks and their costs too"),
		},
		Generate: generateThm54,
		Tasks:    func(p solver.Params, _ uint64) int64 { return product(p.Int("servers"), p.Int("servers")) },
	}
}

// generateThm54 makes an instance on n servers with w_loc = n−2 and w_rem = n−1 on which Algorithm 2 is worse than the
// optimum by n−2 = (1 − 1/(n−1))·w_rem. The paper says that such instances exist, and shows none.
//
// Tasks "hot1", "hot2", …, (n−1) + (n−2)² of them, are local to s1 only; "t<i>", for i ≥ 2, to s<i> and s2.
//
// Optimum: n−1 hot tasks on s1, all t on s2, n−2 remote ones on each of the others: every load is (n−1)(n−2).
// Algorithm 2: its first maximum flow, at most one local task per server, puts t<i> on s<i>, and no later one moves it.
// Then n−3 remote tasks fit on each of s2, … below (n−1)(n−2), which leaves one of the (n−2)²: with it a server has
// n−2 + (n−2)(n−1). One more local task on s1 makes n(n−2), the same.
func generateThm54(p solver.Params, _ uint64) (*model.Workload, error) {
	n := int(p.Int("servers"))
	cost := model.AssignmentCost{Local: model.Time(n-2) * model.Second,
		Remote: model.RemoteCost{Base: model.Time(n-1) * model.Second}}
	b := htaWorkload(fmt.Sprintf("thm54-%d", n), cost, n, 1)
	b.Note("meets the guarantee of Theorem 5.4 (Fischer, Su, Yin 2010)")
	for k := range n - 1 + (n-2)*(n-2) {
		b.local(nth("hot", k), "b."+nth("hot", k), 1)
	}
	b.local("t2", "b.t2", 2)
	for i := 3; i <= n; i++ {
		name := fmt.Sprintf("t%d", i)
		b.local(name, "b."+name, i, 2)
	}
	return b.Build()
}
