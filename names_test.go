package main

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mrsched/io/engine"
)

// namers are the folders that may name problems and algorithms: their own packages, the generators, and the figures of
// papers, which compare algorithms by name.
var namers = []string{"solver/", "model/", "instances/", "io/lab/experiment/"}

// otherwise are names of algorithms that mean something else in a file: here the table.
var otherwise = map[string]string{"delay": "io/cli/import.go"}

// TestNames: only descriptors know problems and algorithms by name. All other code asks them.
func TestNames(t *testing.T) {
	names := map[string]bool{}
	for _, p := range engine.Problems() {
		names[p.Name] = true
		for _, a := range p.Algorithms {
			names[a.Name] = true
		}
	}
	parsed(t, func(path string, files *token.FileSet, f *ast.File) {
		if slices.ContainsFunc(namers, func(dir string) bool { return strings.HasPrefix(path, dir) }) {
			return
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if _, ok := n.(*ast.ImportSpec); ok {
				return false
			}
			if x, ok := n.(*ast.BasicLit); ok && x.Kind == token.STRING {
				word, _ := strconv.Unquote(x.Value)
				if names[word] && otherwise[word] != path {
					t.Errorf("%s: %q is the name of a problem or an algorithm", files.Position(x.Pos()), word)
				}
			}
			return true
		})
	})
}
