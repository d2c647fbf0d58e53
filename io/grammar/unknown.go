package grammar

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mrsched/io/engine"
	"mrsched/model"
)

// gone are flags of earlier versions, of all commands or of one, and what to do without them.
var gone = map[string]string{
	"config":         "set variables of the environment, such as MRSCHED_THREADS=2",
	"print-config":   "variables of the environment set flags, such as MRSCHED_THREADS=2",
	"log-file":       "write --log into a file: 2>FILE",
	"log-format":     "--log prints text",
	"textconv":       "git config --unset diff.mrsched.textconv; docs/guide.md has what to set instead",
	"git-attributes": "docs/guide.md has the lines for .gitattributes",
	"attempts":       "a run during which the process died three times is an error; --retry-failed tries it again",
	"balance":        "schedules were nearly always the same without it",
	"bandwidth":      "edges move files in no time; state delays in the workload",
	"speeds":         "state speed in the topology",
	"memory":         "state memory_bytes in the topology",
	"instances-max":  "--instances one makes one task of all instances",
	"durations":      "times of tasks are net",
	"law":            "policies assume the law of the workload's own jobs",
	"law-values":     "policies assume the law of the workload's own jobs",
	"law-reduces":    "policies assume the law of the workload's own jobs",
	"draw":           "presets have one law each",
	"size-spread":    "presets have one law each",
	"arrival-window": "--interarrival is the mean time between arrivals",
	"tasks-max":      "no figure depends on it",
	"like":           "nodes that join are copies of all nodes in turn",
	"job":            "leave the other jobs out of the instance",
	"stats":          "the last line on standard error has time and memory; --log has the phases",
	"no-color":       "messages have no colours",
	"size machines":  "size asks about the nodes of cluster; for msjo, solve with each number of --machines",
	"version json":   "read the lines of mrsched version",
	"show":           "solve without -o lists the jobs, and schedule.csv of -o DIR has the schedule",
}

// unknownFlag says what a flag that a command does not have may mean: one of an earlier version, a flag of other
// commands, the flag that it begins, else the nearest flag. A command may have dozens, so no message lists them.
func (p *Program) unknownFlag(path []string, name string, names []string) error {
	text := fmt.Sprintf("unknown flag %q", Dashed(name))
	if instead := cmp.Or(gone[strings.Join(append(slices.Clone(path), name), " ")], gone[name]); instead != "" {
		return engine.Usagef("%s; it is gone: %s", text, instead)
	}
	var others []string
	p.Walk(func(path []string, c *Command) {
		if flagOf(c.Flags, name) != nil && len(others) < 3 {
			others = append(others, p.Name+" "+strings.Join(path, " "))
		}
	})
	if len(others) > 0 {
		text += "; it is a flag of " + strings.Join(others, ", ")
	} else if near := cmp.Or(begun(Dashed(name), names), model.Nearest(Dashed(name), names)); near != "" {
		text += fmt.Sprintf("; did you mean %q?", near)
	}
	return engine.Usagef("%s", text)
}

// begun is the shortest of the names that begin with a name; empty if none does.
func begun(name string, names []string) (best string) {
	for _, n := range names {
		if len(name) > len("--")+1 && strings.HasPrefix(n, name) && (best == "" || len(n) < len(best)) {
			best = n
		}
	}
	return best
}
