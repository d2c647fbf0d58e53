package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"mrsched/model/tier"
)

// plainWords are words to avoid: the standard word says the same.
var plainWords = []string{"deed", "mission", "errand", "crew", "grave", "gravest", "hurry", "strange", "strand"}

// TestPlainWords reads Go files, their names and the documents. Identifiers are split where their case changes.
func TestPlainWords(t *testing.T) {
	tier.Repeats(t)
	unplain := map[string]bool{}
	for _, w := range plainWords {
		unplain[w], unplain[w+"s"] = true, true
	}
	words := regexp.MustCompile(`[A-Z]?[a-z]+`)
	look := func(path, text string) {
		for i, line := range strings.Split(path+"\n"+text, "\n") {
			for _, w := range words.FindAllString(line, -1) {
				// This file contains the list itself.
				if unplain[strings.ToLower(w)] && !strings.HasPrefix(line, "var plainWords") {
					t.Errorf("%s:%d: %q is not plain English; use the standard word", path, i, w)
				}
			}
		}
	}
	sources(t, look)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && (d.Name() == "README.md" || filepath.Dir(path) == "docs" && filepath.Ext(path) == ".md") {
			look(path, read(t, path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// maxLine is how many characters a line of Go may have; a tab counts as one. maxLines is how many lines a file may
// have.
const maxLine, maxLines = 120, 400

// TestLineLength exempts raw strings, whose lines cannot be broken, and in tests the rows of tables.
func TestLineLength(t *testing.T) {
	sources(t, func(path, text string) {
		if n := strings.Count(text, "\n"); n > maxLines {
			t.Errorf("%s: %d lines; at most %d", path, n, maxLines)
		}
		wide := map[int]int{} // widths of lines by number
		for i, line := range strings.Split(text, "\n") {
			if n := utf8.RuneCountInString(line); n > maxLine {
				wide[i+1] = n
			}
		}
		if len(wide) == 0 {
			return
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, path, text, parser.SkipObjectResolution)
		if err != nil {
			t.Error(err)
			return
		}
		exempt := func(n ast.Node) {
			for l := files.Position(n.Pos()).Line; l <= files.Position(n.End()).Line; l++ {
				delete(wide, l)
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				if strings.HasPrefix(n.Value, "`") {
					exempt(n)
				}
			case *ast.CompositeLit:
				for _, row := range n.Elts {
					_, literal := row.(*ast.CompositeLit)
					_, keyed := row.(*ast.KeyValueExpr)
					if strings.HasSuffix(path, "_test.go") && (literal || keyed) {
						exempt(row)
					}
				}
			}
			return true
		})
		for _, l := range slices.Sorted(maps.Keys(wide)) {
			t.Errorf("%s:%d: %d characters; at most %d", path, l, wide[l], maxLine)
		}
	})
}
