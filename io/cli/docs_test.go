package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mrsched/io/engine"
	"mrsched/io/lint"
	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/solver"
)

// document compares the generated regions of a Markdown file with their expected text, and writes them with -update. A
// region is between <!-- begin: NAME --> and <!-- end: NAME -->.
func document(t *testing.T, name string, regions map[string]string) {
	t.Helper()
	path := filepath.Join(root, name)
	text := readText(t, path)
	for region, want := range regions {
		begin, end := "<!-- begin: "+region+" -->\n", "<!-- end: "+region+" -->"
		head, rest, ok1 := strings.Cut(text, begin)
		got, tail, ok2 := strings.Cut(rest, end)
		if !ok1 || !ok2 {
			t.Fatalf("%s has no region %s", name, region)
		}
		if got != want && !*update {
			t.Errorf("%s: region %s is out of date: run make golden; it should be\n%s", name, region, want)
		}
		text = head + begin + want + end + tail
	}
	if *update {
		writeText(t, path, text)
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func writeText(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestErrorsDocument generates a paragraph for each code of a finding: cause, remedy and a message, if a malformed file
// of testdata has one. The table of violations is written by hand.
func TestErrorsDocument(t *testing.T) {
	messages := messagesByCode(t)
	var b strings.Builder
	for _, c := range lint.Codes() {
		fmt.Fprintf(&b, "\n**%s** %s. *To do:* %s.\n", c.Code, upper(strings.TrimSuffix(c.Cause, ".")),
			strings.TrimSuffix(c.Action, "."))
		if m := messages[c.Code]; m != "" {
			fmt.Fprintf(&b, "\n    %s\n", m)
		}
	}
	document(t, "docs/errors.md", map[string]string{"findings": b.String() + "\n"})
}

// messagesByCode returns, by code, the shortest message for the malformed files of testdata; ties: the first.
func messagesByCode(t *testing.T) map[model.Code]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "testdata/malformed/*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	shortest := map[model.Code]string{}
	for _, name := range files {
		for line := range strings.Lines(readText(t, name)) {
			line = strings.TrimSpace(line)
			word, rest, _ := strings.Cut(line, " ")
			if is := shortest[model.Code(word)]; rest != "" && (is == "" || len(line) < len(is)) {
				shortest[model.Code(word)] = line
			}
		}
	}
	return shortest
}

// TestFormatsDocument generates the table of all columns, and for each problem those that it uses.
func TestFormatsDocument(t *testing.T) {
	var b strings.Builder
	b.WriteString("\n| column | values | problems | |\n|---|---|---|---|\n")
	add := func(table string, list []workload.Column) {
		for _, c := range list {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", c.Name, values(c), usedBy(table, c), c.Doc)
		}
	}
	add("", workload.Scalars())
	for _, table := range workload.Tables() {
		needed := ""
		if table.Required {
			needed = ". Required"
		}
		fmt.Fprintf(&b, "| **`%s`** | | | **%s%s** |\n", table.Name, upper(table.Doc), needed)
		add(table.Name+".", table.Columns)
	}
	regions := map[string]string{"tables": b.String() + "\n"}
	for _, p := range engine.Problems() {
		regions["columns of "+p.Name] = columnsOf(p)
	}
	document(t, "docs/formats.md", regions)
}

// usedBy names the problems that use a column. It leaves out ids and columns that describe the document.
func usedBy(table string, c workload.Column) string {
	if c.Kind == "id" && c.Name == "id" || c.Name == "format" {
		return "all"
	}
	var names []string
	for _, p := range engine.Problems() {
		if slices.ContainsFunc(p.Columns, func(x solver.Column) bool { return x.Name == table+c.Name }) {
			names = append(names, p.Name)
		}
	}
	if names == nil {
		return "–"
	}
	return strings.Join(names, ", ")
}

// columnsOf lists what a problem uses by table, with the settings under which it does, in the order of the tables.
func columnsOf(p engine.Problem) string {
	var b strings.Builder
	b.WriteString("| table | columns that count |\n|---|---|\n")
	var whole []string // tables of which every column counts
	row := func(title, prefix string, list []workload.Column) {
		var texts, whens []string // names, by when they count
		for _, c := range list {
			for _, x := range p.Columns {
				k := slices.Index(whens, x.When)
				switch {
				case x.Name != prefix+c.Name:
				case k >= 0:
					texts[k] += ", `" + c.Name + "`"
				default:
					whens, texts = append(whens, x.When), append(texts, "`"+c.Name+"`")
				}
			}
		}
		for k, when := range whens {
			texts[k] += strings.TrimSuffix(" ("+when+")", " ()")
		}
		all := slices.DeleteFunc(slices.Clone(list), func(c workload.Column) bool { return c.Name == "id" })
		if prefix != "" && len(whens) == 1 && whens[0] == "" && strings.Count(texts[0], "`") == 2*len(all) {
			whole = append(whole, title)
			return
		}
		if len(texts) > 0 {
			fmt.Fprintf(&b, "| %s | %s |\n", title, strings.Join(texts, "; "))
		}
	}
	row("scalars", "", workload.Scalars())
	for _, table := range workload.Tables() {
		row("`"+table.Name+"`", table.Name+".", table.Columns)
	}
	if len(whole) > 0 {
		fmt.Fprintf(&b, "| %s | all |\n", strings.Join(whole, ", "))
	}
	return b.String()
}

// values describes the values that a column takes.
func values(c workload.Column) string {
	text := c.Kind
	switch {
	case c.Words != nil:
		text = "`" + strings.Join(c.Words, "`, `") + "`"
	case c.Kind == "ref":
		text = "id"
	case c.Clock:
		text = c.Unit + " or clock time"
	case c.Unit != "" && c.Unit != c.Kind:
		text = c.Unit
	}
	switch {
	case c.Required:
		text += ", required"
	case c.Default != "":
		text += ", default " + c.Default
	}
	return text
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
