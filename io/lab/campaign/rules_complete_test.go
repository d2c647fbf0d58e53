package campaign

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mrsched/model"
)

// TestRulesAreComplete demands that TestMutationsByRule breaks every rule that the package of a problem can report.
func TestRulesAreComplete(t *testing.T) {
	text, err := os.ReadFile("../../../model/schedule.go")
	if err != nil {
		t.Fatal(err)
	}
	code := map[string]model.Code{} // by the name of its constant
	for _, m := range regexp.MustCompile(`(Code\w+) +Code = "(K\d+)"`).FindAllStringSubmatch(string(text), -1) {
		code[m[1]] = model.Code(m[2])
	}
	documented, err := os.ReadFile("../../../docs/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(documented), "\n### K"); len(code) != n {
		t.Fatalf("found %d codes of %d", len(code), n)
	}
	for _, p := range allRules() {
		paths, err := filepath.Glob(filepath.Join("../../../model", p.problem, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		reported := 0
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range regexp.MustCompile(`model\.(Code\w+)`).FindAllStringSubmatch(string(text), -1) {
				c, ok := code[m[1]]
				if !ok { // of a finding in the input
					continue
				}
				reported++
				if !slices.ContainsFunc(p.rules, func(r rule) bool { return r.code == c }) {
					t.Errorf("%s reports %s (%s), and no rule breaks it", path, c, m[1])
				}
			}
		}
		if reported == 0 {
			t.Errorf("model/%s reports nothing", p.problem)
		}
	}
}
