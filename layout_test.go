package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// topLevel lists everything allowed in the repository's root, besides dot files and ignored files.
var topLevel = []string{"main.go", "layout_test.go", "names_test.go", "prose_test.go",
	"record_test.go", "toy_test.go", "go.mod", "go.sum", "Makefile", "README.md",
	"CHANGELOG.md", "CONTRIBUTING.md", "LICENSE",
	"solver", "model", "io", "instances", "testdata", "docs", "deploy"}

// problemNames are the problems; model/<p> and solver/<p> belong to one each.
func problemNames() (names []string) {
	list, _ := filepath.Glob("solver/*/problem.go")
	for _, name := range list {
		names = append(names, filepath.Base(filepath.Dir(name)))
	}
	return names
}

// shared are the solver packages that do not depend on problems.
var shared = []string{"solver", "solver/lp", "solver/lp/*", "solver/flow", "solver/list", "solver/search", "solver/sim",
	"solver/unrelated", "solver/estimate", "solver/explain", "solver/bound", "solver/shop", "solver/lcg"}

// helpers are the io packages that others in io share: atomic writing, positions in text, and how tables show numbers.
var helpers = []string{"io/disk", "io/textpos", "io/show"}

// rule lists the imports of this module that packages with a matching path may use. Patterns are path.Match's, and the
// first matching rule applies.
type rule struct {
	pattern string
	may     []string
}

// rules is the import table, for code that is not a test.
func rules() []rule {
	var list []rule
	for _, p := range problemNames() {
		list = append(list,
			rule{"model/" + p, []string{"model", "model/heap", "model/proof"}},
			rule{"solver/" + p, slices.Concat([]string{"model", "model/heap", "model/proof", "model/shop", "model/" + p,
				"model/" + p + "/*", "instances"}, shared)})
	}
	list = append(list, rule{"model/proof", nil}, rule{"solver/lcg", []string{"model/proof"}},
		rule{"solver/bound", []string{"model", "solver"}})
	nouns := []string{"model", "model/*", "model/hta/sat", "solver"}
	list = append(list, rule{"model", nil}, rule{"model/heap", nil}, rule{"model/tier", nil}, rule{"model/hta/sat", []string{"model"}},
		rule{"io/cli", []string{"*", "*/*", "*/*/*"}}, rule{"io/lab/campaign", []string{"*", "*/*", "*/*/*"}},
		rule{"io/engine", slices.Concat(nouns, helpers, []string{"solver/*", "instances", "io/workload",
			"io/result"})},
		rule{"io/lab/scoreboard", slices.Concat(nouns, helpers, []string{"instances", "io/artifact", "io/engine", "io/run",
			"io/trace", "io/trace/*", "io/workload"})},
		rule{"io/run", slices.Concat(nouns, helpers, []string{"instances", "io/engine", "io/report", "io/result",
			"io/workload"})},
		rule{"io/lab/*", slices.Concat(nouns, helpers, []string{"solver/*", "instances", "io/workload", "io/result",
			"io/report", "io/engine", "io/run"})},
		rule{"io/solve", slices.Concat(nouns, helpers, []string{"io/artifact", "io/engine", "io/run", "io/workload",
			"io/result"})},
		rule{"io/check", slices.Concat(nouns, helpers, []string{"io/engine", "io/artifact", "io/result"})},
		rule{"io/grammar", slices.Concat(nouns, helpers, []string{"io/engine"})},
		rule{"io/lint", slices.Concat(nouns, helpers, []string{"io/engine", "io/workload"})},
		rule{"io/explain", slices.Concat(nouns, helpers, []string{"io/engine", "io/result", "solver/explain"})},
		rule{"io/simulation", slices.Concat(nouns, helpers, []string{"io/engine", "io/export", "io/run"})},
		rule{"io/export", slices.Concat(nouns, helpers)},
		rule{"io/sizing", slices.Concat(nouns, helpers, []string{"io/engine", "io/result", "io/workload"})},
		rule{"io/diff", slices.Concat(nouns, helpers, []string{"io/result"})},
		rule{"io/artifact", slices.Concat(nouns, helpers, []string{"io/engine", "io/workload", "io/result", "io/run",
			"io/trace", "io/trace/*"})},
		rule{"io/report/gather", slices.Concat(nouns, helpers, []string{"io/engine", "io/artifact", "io/workload",
			"io/result", "io/explain", "io/report/page", "solver/explain"})},
		rule{"", []string{"io/cli"}}, rule{"deploy", nil})
	for _, p := range shared {
		list = append(list, rule{p, append([]string{"model", "model/heap"}, shared...)})
	}
	list = append(list, rule{"io/show", []string{"model", "io/textpos"}})
	for _, p := range helpers {
		list = append(list, rule{p, []string{"model"}})
	}
	list = append(list, rule{"io/trace/*", slices.Concat(nouns, helpers, []string{"io/trace"})})
	for _, p := range []string{"instances", "io/workload", "io/result", "io/trace"} {
		list = append(list, rule{p, slices.Concat(nouns, helpers)})
	}
	list = append(list, rule{"io/report/chart", append([]string{"model"}, helpers...)})
	for _, p := range []string{"io/report", "io/report/page"} {
		list = append(list, rule{p, slices.Concat(nouns, helpers, []string{"io/report/chart"})})
	}
	return list
}

// modules lists the packages that may import each external module, tests aside.
var modules = []rule{
	{"github.com/gocarina/gocsv", []string{"io/result"}},
	{"github.com/urfave/cli", []string{"io/cli"}},
	{"github.com/schollz/progressbar", []string{"io/cli"}},
	{"github.com/go-json-experiment/json", []string{"io/artifact", "io/grammar", "io/workload", "io/textpos", "io/trace", "io/trace/*", "io/run"}},
	{"github.com/klauspost/compress", []string{"io/trace/*"}},
	{"gonum.org/v1/gonum", []string{"instances", "solver/*", "io/lab/*", "io/report"}},
	{"golang.org/x/sync", []string{"solver", "solver/*", "io/*", "io/lab/*"}},
	{"golang.org/x/sys", []string{"io/disk"}},
	{"golang.org/x/term", []string{"io/cli"}},
}

func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := path.Match(p, name)
		return err == nil && ok
	})
}

// pkg holds the output of `go list` for a package.
type pkg struct {
	ImportPath string
	Imports    []string
	CgoFiles   []string
}

func packages(t *testing.T) []pkg {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,CgoFiles", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	var list []pkg
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
}

func TestImports(t *testing.T) {
	table := rules()
	for _, p := range packages(t) {
		name := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, "mrsched"), "/")
		i := slices.IndexFunc(table, func(r rule) bool { return matches([]string{r.pattern}, name) })
		if i < 0 {
			t.Errorf("package %q has no row in the import table", name)
			continue
		}
		for _, imported := range p.Imports {
			if err := allowed(name, table[i].may, imported); err != nil {
				t.Error(err)
			}
		}
		if len(p.CgoFiles) > 0 && name != "solver/lp/lpsolve" {
			t.Errorf("%s uses cgo; only solver/lp/lpsolve may", name)
		}
	}
}

// allowed checks one import of a package against its permitted imports of this module.
func allowed(name string, may []string, imported string) error {
	first, _, _ := strings.Cut(imported, "/")
	switch {
	case first == "mrsched":
		if own := strings.TrimPrefix(imported, "mrsched/"); !matches(may, own) {
			return fmt.Errorf("%s imports %s; it may import %v", name, own, may)
		}
	case strings.Contains(first, "."):
		i := slices.IndexFunc(modules, func(r rule) bool {
			return imported == r.pattern ||
				strings.HasPrefix(imported, r.pattern+"/")
		})
		if i < 0 {
			return fmt.Errorf("%s imports %s, which is in no row of the table of modules", name, imported)
		}
		if !matches(modules[i].may, name) {
			return fmt.Errorf("%s imports %s; only %v may", name, imported, modules[i].may)
		}
	}
	return nil
}

// TestNoShell: the program never starts another program, whatever its input.
func TestNoShell(t *testing.T) {
	for _, p := range packages(t) {
		for _, imported := range p.Imports {
			if imported == "os/exec" || imported == "plugin" {
				t.Errorf("%s imports %s", p.ImportPath, imported)
			}
		}
	}
	parsed(t, func(_ string, files *token.FileSet, f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			from, ok := s.X.(*ast.Ident)
			if ok && (from.Name == "syscall" || from.Name == "os" || from.Name == "unix") && slices.Contains(starters,
				s.Sel.Name) {
				t.Errorf("%s: %s.%s starts a program", files.Position(s.Pos()), from.Name, s.Sel.Name)
			}
			return true
		})
	})
}

// starters are the functions of os and syscall that start programs.
var starters = []string{"Exec", "ForkExec", "StartProcess", "RawSyscall", "RawSyscall6"}

func TestTopLevel(t *testing.T) {
	ignored, err := os.ReadFile(".gitignore")
	if err != nil {
		t.Fatal(err)
	}
	patterns := strings.Fields(strings.ReplaceAll(string(ignored), "/", " "))
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, ".") && !slices.Contains(topLevel, name) && !matches(patterns, name) {
			t.Errorf("%s may not stand in the repository's root", name)
		}
	}
	// A package io would shadow the standard library's.
	if files, err := filepath.Glob("io/*.go"); err != nil || len(files) > 0 {
		t.Errorf("io holds Go files of its own: %v %v", files, err)
	}
}

// sources visits every Go file.
func sources(t *testing.T, visit func(path, text string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		visit(path, string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// parsed visits the syntax of every Go file that is no test.
func parsed(t *testing.T, visit func(path string, files *token.FileSet, f *ast.File)) {
	t.Helper()
	files := token.NewFileSet()
	sources(t, func(path, text string) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		f, err := parser.ParseFile(files, path, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Error(err)
			return
		}
		visit(path, files, f)
	})
}

func TestFinished(t *testing.T) {
	marks := []string{"TO" + "DO", "FIX" + "ME"}
	sources(t, func(path, text string) {
		for _, m := range marks {
			if strings.Contains(text, m) {
				t.Errorf("%s is unfinished by its own words: %s", path, m)
			}
		}
	})
}

// TestDocumented requires a comment on every exported identifier of a package, tests aside. Constants and variables may
// share that of their group. Methods need one, too, except Error of the error types. The comment of a package stands in
// doc.go. Files that it names are there; of more than three, it names the one to read first.
func TestDocumented(t *testing.T) {
	documented := map[string]bool{} // directories whose package has a comment
	parsed(t, func(path string, files *token.FileSet, f *ast.File) {
		dir := filepath.Dir(path)
		documented[dir] = documented[dir] || f.Doc != nil
		if f.Doc != nil && dir[0] != '.' {
			documentedPackage(t, path, f.Doc.Text())
		}
		for _, d := range f.Decls {
			for _, id := range undocumented(d) {
				t.Errorf("%s: %s has no comment", files.Position(id.Pos()), id.Name)
			}
		}
	})
	for dir, ok := range documented {
		if !ok {
			t.Errorf("package %s has no comment", dir)
		}
	}
}

// documentedPackage checks the comment of a package.
func documentedPackage(t *testing.T, path, text string) {
	t.Helper()
	if filepath.Base(path) != "doc.go" {
		t.Errorf("%s has the comment of the package: move it to doc.go", path)
	}
	named := regexp.MustCompile(`\b[a-z_]+\.go\b`).FindAllString(text, -1)
	for _, name := range named {
		if _, err := os.Stat(filepath.Join(filepath.Dir(path), name)); err != nil {
			t.Errorf("%s names %s, which is not there", path, name)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*.go")); len(files) > 3 && len(named) == 0 {
		t.Errorf("%s does not say which file to read first", path)
	}
}

// undocumented lists the exported names of a declaration without a comment.
func undocumented(d ast.Decl) (list []*ast.Ident) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		isError := d.Recv != nil && d.Name.Name == "Error"
		if d.Name.IsExported() && d.Doc == nil && exportedReceiver(d) && !isError {
			list = append(list, d.Name)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			var names []*ast.Ident
			commented := d.Doc != nil
			switch s := s.(type) {
			case *ast.TypeSpec:
				names, commented = []*ast.Ident{s.Name}, commented || s.Doc != nil || s.Comment != nil
			case *ast.ValueSpec:
				names, commented = s.Names, commented || s.Doc != nil || s.Comment != nil
			}
			for _, id := range names {
				if id.IsExported() && !commented {
					list = append(list, id)
				}
			}
		}
	}
	return list
}

// exportedReceiver is true for functions, and for methods of exported types.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	var name *ast.Ident // the first: that of the type stands before those of its parameters
	ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == nil {
			name = id
		}
		return name == nil
	})
	return name.IsExported()
}
