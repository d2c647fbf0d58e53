package bench

import (
	"fmt"
	"strings"

	"mrsched/io/trace"
	"mrsched/model"
)

// numbers reads a file of numbers alone, whose line ends mean nothing. In Patterson's layout it is one project:
//
//	activities resources capacity…
//	length request… number-of-successors successor…   for each activity, whose numbers count from 1
//
// In that of MPLIB it is several projects:
//
//	projects resources capacity…
//	activities release flag…                                    for each project; flags say which resources it uses
//	length request… number-of-successors project:activity…      for each of its activities
type numbers struct {
	*project
	many   bool // the layout of MPLIB
	at     int  // the next word of the line
	astray string
}

// numbersBegin says whether a file that begins so is numbers alone.
func numbersBegin(head string) bool {
	head = strings.TrimLeft(head, " \t\r\n")
	return head != "" && head[0] >= '0' && head[0] <= '9'
}

// manyBegin says whether a file of numbers that begins so has the layout of several projects.
func manyBegin(head string) bool {
	line, _, _ := strings.Cut(strings.TrimLeft(head, " \t\r\n"), "\n")
	return strings.Contains(head, ":") || len(strings.Fields(line)) == 1
}

func (n *numbers) read() {
	projects, activities := int64(1), int64(0)
	if n.many {
		projects = n.count("number of projects")
	} else {
		activities = n.count("number of activities")
	}
	resources := n.resources()
	for k := int64(0); k < resources && n.Sound(); k++ {
		n.available = append(n.available, n.amount("capacity of a resource"))
		n.availableAt = n.Line()
	}
	for p := int64(0); p < projects && n.Sound(); p++ {
		id := trace.ID{}
		uses := make([]bool, 0, len(n.available))
		if n.many {
			id.Project, n.projects = p+1, n.projects+1
			activities = n.count("number of activities of a project")
			at := n.Line()
			n.graph.Project(n.time("release of a project"), at)
			for range n.available {
				uses = append(uses, n.flag())
			}
		}
		for id.Number = 1; id.Number <= activities && n.Sound(); id.Number++ {
			n.activity(id, uses, activities)
		}
	}
	if n.Sound() && n.more() {
		n.Report(model.CodeRowShape, n.At(n.at), "a number follows the last activity", "the end of the file", n.astray)
	}
}

// activity reads an activity of a project that has so many, and that says which resources it uses.
func (n *numbers) activity(id trace.ID, uses []bool, activities int64) {
	if n.more() && n.at > 0 && n.astray == "" {
		n.astray = fmt.Sprintf("activity %s begins within line %d: is the number of successors before it right?", id,
			n.Line().Line)
	}
	j := job{id: id, length: n.time("length of an activity"), requests: []model.Amount{}}
	if !n.Sound() {
		return
	}
	j.at = n.At(n.at - 1)
	for k := range n.available {
		amount := n.amount("request of an activity")
		if amount > 0 && n.many && n.Sound() && !uses[k] {
			n.unused++
		}
		j.requests, j.requestsAt = append(j.requests, amount), j.at
	}
	successors := n.whole("number of successors", "a whole number")
	for ; successors > 0 && n.Sound(); successors-- {
		n.successor(id, activities)
	}
	n.jobs = append(n.jobs, j)
}

// successor reads a successor of an activity of a project that has so many.
func (n *numbers) successor(of trace.ID, activities int64) {
	i, ok := n.word("successor of an activity")
	if !ok {
		return
	}
	after, word := trace.ID{}, n.Word(i)
	expected := fmt.Sprintf("from 1 to %d", activities)
	if n.many {
		expected = "project:activity, such as 1:2"
		project, number, pair := strings.Cut(word, ":")
		if !pair {
			n.Report(model.CodeNumber, n.At(i), fmt.Sprintf("successor %.80q is no pair of numbers", word), expected, n.astray)
			return
		}
		after.Project, ok = n.parse(i, project, expected)
		word = number
	}
	if ok {
		after.Number, ok = n.parse(i, word, expected)
	}
	if outside := after.Number < 1 || after.Number > activities; ok && !n.many && outside {
		n.Report(model.CodeUnknownTask, n.At(i), fmt.Sprintf("there is no activity %d", after.Number), expected, n.astray)
	}
	n.graph.Edge(of, after, n.At(i))
}

// parse reads a part of a word as a number, or reports what is wrong with the word.
func (n *numbers) parse(i int, text, expected string) (int64, bool) {
	v, err := model.ParseBytes(text)
	if err != nil {
		n.Bad(i, "successor", err, expected)
	}
	return int64(v), err == nil
}

// more goes to the next word; false at the end of the file, and if a finding says why there is no more.
func (n *numbers) more() bool {
	if n.at < n.Len() {
		return true
	}
	n.at = 0
	return n.Next()
}

// word takes the next word, unless there is a finding: then the rest of the file cannot be understood.
func (n *numbers) word(what string) (int, bool) {
	if !n.Sound() {
		return 0, false
	}
	if !n.more() {
		if !n.Failed() {
			n.Report(model.CodeRowShape, n.Line(), "the file ends where the "+what+" should be", "numbers up to the last "+
				"activity", n.astray)
		}
		return 0, false
	}
	n.at++
	return n.at - 1, true
}

// next reads the next word; 0 after a finding.
func next[T any](n *numbers, what string, read func(i int, what string) T) (v T) {
	if i, ok := n.word(what); ok {
		v = read(i, what)
	}
	return v
}

func (n *numbers) count(what string) int64 {
	return next(n, what, func(i int, what string) int64 {
		v, _ := n.Count(i, what)
		return v
	})
}

func (n *numbers) whole(what, expected string) int64 {
	return next(n, what, func(i int, what string) int64 {
		v, _ := n.Whole(i, what, expected)
		return v
	})
}

// resources reads the number of resources, which may be 0.
func (n *numbers) resources() int64 {
	return next(n, "number of resources", func(i int, what string) (v int64) {
		if n.Word(i) != "0" {
			v, _ = n.Count(i, what)
		}
		return v
	})
}

func (n *numbers) time(what string) model.Time { return next(n, what, n.Time) }

func (n *numbers) amount(what string) model.Amount { return next(n, what, n.Amount) }

// flag says whether a project uses a resource.
func (n *numbers) flag() bool {
	const expected = "0 or 1: whether the project uses the resource"
	v := n.whole("flag of a resource", expected)
	if v > 1 {
		n.Report(model.CodeTraceObject, n.At(n.at-1), fmt.Sprintf("the flag of a resource is %d", v), expected,
			"due dates after the releases of projects are not read")
	}
	return v == 1
}
