package trace

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"mrsched/io/textpos"
	"mrsched/model"
)

// File is one file to import, plain or gzip.
type File struct {
	Name string // for messages
	Text io.Reader
}

// Limits against hostile input. No real trace comes near them.
const (
	MaxRecord = 1 << 20  // bytes of a line
	MaxID     = 64 << 10 // bytes of an id
)

// NewRecords reads the records of a file.
func NewRecords(f File, found *model.Findings) *textpos.Records {
	in := textpos.NewReader(f.Text, f.Name)
	return textpos.NewRecords(in, in, MaxRecord, found)
}

// Options collects the findings about the options of an import.
type Options struct{ Found *model.Findings }

// Bad reports an option.
func (o Options) Bad(what, expected string) {
	o.Found.Add(model.Finding{Code: model.CodeParameter, What: what, Expected: expected})
}

// Count requires a number from 1 to most.
func (o Options) Count(n, most int64, what, expected string) {
	if n < 1 || n > most {
		o.Bad(fmt.Sprintf("%d %s", n, what), expected)
	}
}

// Rate requires a finite number of bytes per second above 0.
func (o Options) Rate(v float64) {
	if !(v > 0) || math.IsInf(v, 0) {
		o.Bad(fmt.Sprintf("%v bytes per second", v), "a number above 0")
	}
}

// Build runs the steps of an import, each if there is no finding so far, and builds the workload.
//
// Errors: *model.InputError with every finding.
func Build(b *model.Builder, steps ...func()) (*model.Workload, error) {
	for _, step := range steps {
		if step(); !b.Findings.Empty() {
			return nil, b.Findings.Err()
		}
	}
	return b.Build()
}

// NothingLeft reports that the files hold nothing to import, unless there are other findings.
func NothingLeft(found *model.Findings, files []File, what, expected string) {
	if !found.Empty() {
		return
	}
	f := model.Finding{Code: model.CodeNothingLeft, What: what, Expected: expected}
	if len(files) > 0 {
		f.Pos.File = files[0].Name
	}
	found.Add(f)
}

// Numbering numbers texts in the order of their first appearance.
type Numbering struct {
	IDs    []string
	number map[string]int32
}

// Of is the number of a text, of which it keeps a copy.
func (n *Numbering) Of(text string) int32 {
	if i, ok := n.number[text]; ok {
		return i
	}
	if n.number == nil {
		n.number = map[string]int32{}
	}
	i := int32(len(n.IDs))
	text = strings.Clone(text)
	n.IDs = append(n.IDs, text)
	n.number[text] = i
	return i
}

// Topological orders nodes, each after those before it, by Kahn's algorithm. Nodes on a cycle and those after them are
// left out.
func Topological(before [][]int32) []int32 {
	after, waiting := make([][]int32, len(before)), make([]int, len(before))
	order := make([]int32, 0, len(before))
	for i, list := range before {
		if waiting[i] = len(list); len(list) == 0 {
			order = append(order, int32(i))
		}
		for _, b := range list {
			after[b] = append(after[b], int32(i))
		}
	}
	for k := 0; k < len(order); k++ {
		for _, i := range after[order[k]] {
			if waiting[i]--; waiting[i] == 0 {
				order = append(order, i)
			}
		}
	}
	return order
}

// Notes are sentences about what was imported and assumed.
type Notes []string

// Add adds a sentence.
func (n *Notes) Add(format string, args ...any) { *n = append(*n, fmt.Sprintf(format, args...)) }

// Lack adds a sentence about what the files lack. It counts as a warning whenever the workload is read.
func (n *Notes) Lack(format string, args ...any) { n.Add(model.NoteOfLack+format, args...) }

// Doubt is something that an import counts. The text follows a number of things; {one|many} stands for the first word
// or phrase if there is one thing, and for the second if there are several.
type Doubt struct {
	Noun, Text string
	Lack       bool // the files lack it: see Notes.Lack
}

// Doubts adds a sentence for each doubt whose count is not 0.
func (n *Notes) Doubts(list []Doubt, counts []int) {
	for i, d := range list {
		before := len(*n)
		n.Count(counts[i], d.Noun, d.Text)
		if d.Lack && len(*n) > before {
			(*n)[before] = model.NoteOfLack + (*n)[before]
		}
	}
}

// Count adds a sentence that begins with a number of things, unless that is 0. In the text, {one|many} stands for the
// first word or phrase if there is one thing, and for the second if there are several.
func (n *Notes) Count(count int, noun, text string) {
	if count == 0 {
		return
	}
	sentence := model.Counted(count, noun) + " "
	for choice := range strings.SplitSeq(text, "{") {
		words, rest, found := strings.Cut(choice, "}")
		if !found {
			sentence += choice
			continue
		}
		one, many, _ := strings.Cut(words, "|")
		if count != 1 {
			one = many
		}
		sentence += one + rest
	}
	*n = append(*n, sentence)
}

// PerNode is a value for every node, or for some by their names.
type PerNode[T any] struct {
	All   model.Optional[T]
	Named map[string]T
}

// Of is the value of a node.
func (p PerNode[T]) Of(node string) model.Optional[T] {
	if v, ok := p.Named[node]; ok {
		return model.Some(v)
	}
	return p.All
}

// Check reports names that are not those of nodes.
func (p PerNode[T]) Check(found *model.Findings, what string, nodes []string) {
	for _, name := range slices.Sorted(maps.Keys(p.Named)) {
		if !slices.Contains(nodes, name) {
			found.Add(model.Finding{Code: model.CodeParameter, What: fmt.Sprintf("%s of %.80q, which is no node", what, name),
				Expected: "a node of the workload", Hint: model.DidYouMean(name, nodes)})
		}
	}
}
