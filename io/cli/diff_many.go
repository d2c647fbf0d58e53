package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"mrsched/io/artifact"
	"mrsched/io/diff"
	"mrsched/io/engine"
	"mrsched/io/textpos"
	"mrsched/model"
)

// pairDiff is how the result of one name changed between two directories of results.
type pairDiff struct {
	name    string // below both directories
	verdict string
	rank    int // of the verdict; the lowest needs attention first
	d       *diff.Difference
	why     string // it cannot be compared
}

// Ranks of pairs that are not compared: behind all that are, but before those that are the same.
const (
	rankIncomparable = 10 + iota
	rankGone
	rankNew
	rankSame
)

// mostPairs is how many results --brief lists.
const mostPairs = 20

// diffMany compares the results of two directories, each with that of its name.
func (s *session) diffMany(c *cli.Context, call diffArguments) error {
	for k, folder := range call.instances {
		if folder != "" && !engine.IsDir(folder) {
			return engine.Usagef("--%s %s: name the folder of the instances", inputNames[k], folder)
		}
	}
	older, newer := artifact.Below(call.old.path), artifact.Below(call.new.path)
	var pairs []pairDiff
	for _, name := range newer {
		p := pairDiff{name: name, verdict: "new", rank: rankNew}
		if slices.Contains(older, name) {
			var err error
			if p, err = s.comparedPair(c, call, name); err != nil {
				return err
			}
		}
		pairs = append(pairs, p)
	}
	for _, name := range older {
		if !slices.Contains(newer, name) {
			pairs = append(pairs, pairDiff{name: name, verdict: "gone", rank: rankGone})
		}
	}
	slices.SortStableFunc(pairs, func(a, b pairDiff) int { return cmp.Compare(a.rank, b.rank) })
	if err := s.printPairs(c, pairs); err != nil || !c.Bool("exit-code") || pairs[0].rank == rankSame {
		return err
	}
	return &engine.ExitError{Code: exitDifferent}
}

// comparedPair compares the results of a name; without the instances, if they are not those of the results.
func (s *session) comparedPair(c *cli.Context, call diffArguments, name string) (pairDiff, error) {
	one := call
	one.old, one.new = named(filepath.Join(call.old.path, name)), named(filepath.Join(call.new.path, name))
	for k, folder := range call.instances {
		one.instances[k] = artifact.InstanceIn(folder, name)
	}
	if one.instances[0] == "" || one.instances[1] == "" {
		one.instances = [2]string{}
	}
	d, err := s.compared(c, one)
	if isInput(err) && one.instances[0] != "" {
		one.instances = [2]string{}
		d, err = s.compared(c, one)
	}
	switch {
	case isInput(err):
		return pairDiff{name: name, verdict: "cannot be compared", rank: rankIncomparable, why: engine.OneLine(err)}, nil
	case err != nil:
		return pairDiff{}, err
	}
	p := pairDiff{name: name, d: d}
	if p.verdict, p.rank = d.InWords(); d.Same {
		p.rank = rankSame
	}
	return p, nil
}

// isInput says whether an error is about what was read.
func isInput(err error) bool {
	var input *model.InputError
	var usage *engine.UsageError
	return errors.As(err, &input) || errors.As(err, &usage)
}

// printPairs prints how many results have each verdict, and those that differ.
func (s *session) printPairs(c *cli.Context, pairs []pairDiff) error {
	var counts []string
	for first := 0; first < len(pairs); {
		next := first
		for ; next < len(pairs) && pairs[next].verdict == pairs[first].verdict; next++ {
		}
		counts = append(counts, fmt.Sprintf("%d %s", next-first, pairs[first].verdict))
		first = next
	}
	if !c.Bool("json") {
		if _, err := fmt.Fprintln(s.stdout, strings.Join(counts, ", ")); err != nil {
			return err
		}
	}
	shown := slices.IndexFunc(pairs, func(p pairDiff) bool { return p.rank >= rankNew })
	if shown < 0 {
		shown = len(pairs)
	}
	most := shown
	if c.Bool("brief") {
		most = min(shown, mostPairs)
	}
	for k := range pairs[:most] {
		if err := s.printPair(c, &pairs[k]); err != nil {
			return err
		}
	}
	if most < shown {
		_, err := fmt.Fprintf(s.stdout, "\n... and %d more\n", shown-most)
		return err
	}
	return nil
}

// printPair prints a result that differs; what is compared in words begins with its name.
func (s *session) printPair(c *cli.Context, p *pairDiff) error {
	if c.Bool("json") && p.d == nil {
		return nil
	}
	if !c.Bool("json") {
		head := "\n" + textpos.Visible(p.name) + ": "
		switch {
		case p.why != "":
			head += p.verdict + ": " + textpos.Visible(p.why) + "\n"
		case p.d == nil:
			head += p.verdict + "\n"
		}
		if _, err := io.WriteString(s.stdout, head); err != nil || p.d == nil {
			return err
		}
	}
	return s.printDifference(c, p.d)
}

// isMany says whether a path is a directory of results, in folders of their own.
func isMany(path string) bool {
	_, err := os.Stat(filepath.Join(path, model.ResultFile))
	return err != nil && len(artifact.Below(path)) > 0
}
