package alibaba

import (
	"fmt"
	"slices"
	"strings"

	"mrsched/io/trace"
	"mrsched/model"
)

// graph is the precedence among the tasks of a job that are imported.
type graph struct {
	rows  []int32   // in the order of the lines
	waits [][]int32 // by task: the tasks, by their places in rows, that it waits for, ascending
	count [len(doubts)]int
}

// newGraph reads the names of a job's tasks, rows being all its lines. false if they form a cycle, or after a finding.
func (t *table) newGraph(rows []int32) (*graph, bool) {
	rows = t.settled(rows)
	g := &graph{}
	place := make([]int32, len(rows)) // in g.rows, or None
	numbered := map[int32][]int32{}   // places in rows by number
	named := make([][]int32, len(rows))
	for i, r := range rows {
		place[i] = model.None
		if t.rows[r].kept {
			place[i] = int32(len(g.rows))
			g.rows = append(g.rows, r)
		}
		number, waits, staged, ok := parseName(t.rows[r].name)
		if staged && t.rows[r].kept {
			g.count[withStage]++
		}
		if named[i] = waits; ok {
			numbered[number] = append(numbered[number], int32(i))
		} else if t.rows[r].kept {
			g.count[unnamed]++
		}
	}
	before := make([][]int32, len(rows)) // places in rows
	for i, numbers := range named {
		slices.Sort(numbers)
		for _, n := range slices.Compact(numbers) {
			if !t.fits(len(numbered[n]), rows[i]) {
				return nil, false
			}
			if place[i] != model.None {
				g.countNumber(len(numbered[n]))
			}
			before[i] = append(before[i], numbered[n]...)
		}
	}
	order := trace.Topological(before)
	if len(order) < len(rows) {
		return nil, false
	}
	g.waits = make([][]int32, len(g.rows))
	through := make([][]int32, len(rows)) // imported tasks that must have ended before, by way of those left out
	for _, i := range order {
		var list []int32
		for _, b := range before[i] {
			if place[b] != model.None {
				list = append(list, place[b])
			} else {
				list = append(list, through[b]...)
			}
		}
		slices.Sort(list)
		list = slices.Compact(list)
		if place[i] != model.None {
			g.waits[place[i]] = list
		} else if through[i] = list; !t.fits(len(list), rows[i]) {
			return nil, false
		}
	}
	return g, true
}

// countNumber counts a number that an imported task waits for, if it is that of no task or of several.
func (g *graph) countNumber(tasks int) {
	switch {
	case tasks == 0:
		g.count[missing]++
	case tasks > 1:
		g.count[shared]++
	}
}

// fits counts pairs of tasks of which one waits for the other; false once there are too many of them, which is
// reported.
func (t *table) fits(pairs int, row int32) bool {
	if t.pairs += int64(pairs); t.pairs <= maxRows {
		return true
	}
	t.found.Add(model.Finding{Code: model.CodeOverflow, Pos: t.position(&t.rows[row]),
		What:     fmt.Sprintf("up to here there are more than %d pairs of tasks of which one waits for the other", maxRows),
		Expected: "fewer", Hint: "do several tasks of a job have the same number?"})
	return false
}

// settled are the lines of a job without those that are left out for an imported one of the same name: a task that
// failed first and was then run again.
func (t *table) settled(rows []int32) []int32 {
	done := map[string]bool{}
	for _, r := range rows {
		if t.rows[r].kept {
			done[t.rows[r].name] = true
		}
	}
	if len(done) == len(rows) {
		return rows
	}
	return slices.DeleteFunc(slices.Clone(rows), func(r int32) bool { return !t.rows[r].kept && done[t.rows[r].name] })
}

// shape says how a job's precedence is written.
type shape int

const (
	mapsOnly   shape = iota // nothing waits
	twoPhases               // tasks wait for nothing, or for exactly all that wait for nothing
	stageGraph              // rows of delays
)

func (g *graph) shape() shape {
	var sources []int32
	for i, list := range g.waits {
		if len(list) == 0 {
			sources = append(sources, int32(i))
		}
	}
	if len(sources) == len(g.rows) {
		return mapsOnly
	}
	for _, list := range g.waits {
		if len(list) > 0 && !slices.Equal(list, sources) {
			return stageGraph
		}
	}
	return twoPhases
}

// maxDigits bounds the number of a task, so that it fits an int32.
const maxDigits = 9

// parseName takes a task's name apart: its own number, and those of the tasks that it waits for. A part such as Stg4 is
// ignored, as the trace does not tell what it means; staged says that there is one. ok is false for a name of another
// form.
func parseName(name string) (number int32, waits []int32, staged, ok bool) {
	name = strings.TrimRight(name, "_")
	head, rest, more := strings.Cut(name, "_")
	letters := strings.TrimRight(head, "0123456789")
	number, ok = parseNumber(head[len(letters):])
	if !ok || letters == "" || !allLetters(letters) {
		return 0, nil, false, false
	}
	for more {
		var part string
		part, rest, more = strings.Cut(rest, "_")
		if stage, found := strings.CutPrefix(part, "Stg"); found && allDigits(stage) {
			staged = true
			continue
		}
		n, ok := parseNumber(part)
		if !ok {
			return 0, nil, false, false
		}
		waits = append(waits, n)
	}
	return number, waits, staged, true
}

func parseNumber(digits string) (n int32, ok bool) {
	if digits == "" || len(digits) > maxDigits || !allDigits(digits) {
		return 0, false
	}
	for _, c := range []byte(digits) {
		n = n*10 + int32(c-'0')
	}
	return n, true
}

func allDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

func allLetters(s string) bool {
	for _, c := range []byte(s) {
		if (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}
