package lint

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"mrsched/io/engine"
	"mrsched/io/workload"
)

// topic is the common name of some columns.
type topic struct {
	name    string
	aim     bool // it defines good or possible schedules: people ask which problem handles two such topics
	columns []string
}

// topics are the subjects of a summary.
var topics = []topic{
	{"deadlines", true, []string{"jobs.deadline"}},
	{"weights", true, []string{"jobs.weight", "tasks.weight"}},
	{"tenants", true, []string{"jobs.tenant"}},
	{"releases", false, []string{"jobs.release", "tasks.release"}},
	{"processing times", false, []string{"tasks.processing_time"}},
	{"precedence", false, []string{"delays.from"}},
	{"replicas", false, []string{"placements.node"}},
	{"racks", false, []string{"topology.parent"}},
	{"speeds", false, []string{"topology.speed"}},
	{"bandwidths", false, []string{"topology.bandwidth_bytes_per_s"}},
	{"memory", true, []string{"topology.memory_bytes", "tasks.memory_bytes"}},
	{"cores", false, []string{"topology.cpu", "tasks.cpu"}},
	{"named resources", false, []string{"capacities.amount", "demands.amount"}},
	{"dependencies between jobs", false, []string{"dependencies.after"}},
	{"eligible places", false, []string{"eligible.place"}},
	{"unavailable times", false, []string{"unavailable.node"}},
	{"fixed tasks", false, []string{"fixed.task"}},
	{"data sizes", false, []string{"jobs.intermediate_bytes", "tasks.input_bytes", "tasks.output_bytes"}},
}

// among says whether one of the topic's columns is in a list.
func (t topic) among(columns []string) bool {
	return slices.ContainsFunc(t.columns, func(c string) bool { return slices.Contains(columns, c) })
}

// named are the names of the topics that a list of columns touches.
func named(columns []string) (names []string) {
	for _, t := range topics {
		if t.among(columns) {
			names = append(names, t.name)
		}
	}
	return names
}

// summarize precedes the details of several problems: what the data state, what each problem uses, and which aims no
// problem handles together.
func (r *Report) summarize(w io.Writer) {
	if len(r.Problems) < 2 || len(named(r.stated)) == 0 {
		return
	}
	fmt.Fprintf(w, "your data state %s\n", engine.Sentence(named(r.stated)))
	for _, u := range r.Problems {
		switch names := named(u.Uses); {
		case !u.Solvable:
			fmt.Fprintf(w, "  %s cannot solve this\n", u.Problem)
		case len(names) == 0:
			fmt.Fprintf(w, "  %s uses none of these\n", u.Problem)
		default:
			fmt.Fprintf(w, "  %s uses %s\n", u.Problem, engine.Sentence(names))
		}
	}
	if best := r.fittest(); best != "" && !(r.named && best == r.Problems[0].Problem) {
		fmt.Fprintf(w, "  %s uses most of it: pass --problem %s\n", best, best)
	}
	for _, line := range r.unserved() {
		fmt.Fprintf(w, "  %s\n", line)
	}
}

// refused says that the only requested problem cannot solve an instance that was read without errors.
func (r *Report) refused() string {
	if len(r.Problems) == 1 && !r.Problems[0].Solvable {
		return fmt.Sprintf(", and %s cannot solve it", r.Problems[0].Problem)
	}
	return ""
}

// fittest is the problem that uses more of the stated data than any other; empty: there is a tie.
func (r *Report) fittest() (best string) {
	most := 0
	for _, u := range r.Problems {
		switch n := len(named(u.Uses)); {
		case !u.Solvable || n < most:
		case n == most:
			best = ""
		default:
			best, most = u.Problem, n
		}
	}
	return best
}

// unserved says which topics no problem uses that can solve the workload, and which pairs of aims none uses together.
func (r *Report) unserved() (lines []string) {
	used := func(list ...topic) bool {
		return slices.ContainsFunc(r.Problems, func(u Use) bool {
			return !slices.ContainsFunc(list, func(t topic) bool { return !t.among(u.Uses) })
		})
	}
	var none []string
	var aims []topic
	for _, t := range topics {
		switch {
		case !t.among(r.stated):
		case !used(t):
			none = append(none, t.name)
		case t.aim:
			aims = append(aims, t)
		}
	}
	if solvable := func(u Use) bool { return u.Solvable }; len(none) > 0 && slices.ContainsFunc(r.Problems, solvable) {
		lines = append(lines, "no problem that can solve it uses "+strings.Join(none, " or "))
	}
	for i, t := range aims {
		for _, other := range aims[i+1:] {
			if !used(t, other) {
				lines = append(lines, fmt.Sprintf("no problem that can solve it uses both %s and %s", t.name, other.name))
			}
		}
	}
	return lines
}

// grouped lists columns by table: "machines; jobs: release, weight".
func grouped(columns []string) string {
	var text strings.Builder
	last := ""
	for i, name := range columns {
		table, column, ok := strings.Cut(name, ".")
		switch {
		case i > 0 && ok && table == last:
			text.WriteString(", " + column)
			continue
		case i > 0:
			text.WriteString("; ")
		}
		text.WriteString(table)
		if ok {
			text.WriteString(": " + column)
		}
		last = table
	}
	return text.String()
}

// names are those of columns with values.
func names(stated []workload.Stated) (list []string) {
	for _, s := range stated {
		list = append(list, s.Name)
	}
	return list
}
