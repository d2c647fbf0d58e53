package cli

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mrsched/io/engine"
	"mrsched/io/workload"
	"mrsched/model"
)

const certificates = "docs/certificates.md"

// TestCertificatesAreSpecified: docs/certificates.md names every violation code, every method of a bound, and every
// kind of certificate.
func TestCertificatesAreSpecified(t *testing.T) {
	text := readText(t, filepath.Join(root, certificates))
	ranges := regexp.MustCompile(`K6(\d\d)–K6(\d\d)`).FindAllStringSubmatch(text, -1)
	for code := range documentedCodes(t) {
		within := func(r []string) bool { return "K6"+r[1] <= code && code <= "K6"+r[2] }
		if strings.HasPrefix(code, "K6") && !strings.Contains(text, code) && !slices.ContainsFunc(ranges, within) {
			t.Errorf("%s does not say when a check finds %s", certificates, code)
		}
	}
	for _, d := range engine.Descriptions() {
		for _, method := range d.Bounds {
			if !strings.Contains(text, "`"+method+"`") {
				t.Errorf("%s does not name the method %s of %s", certificates, method, d.Problem)
			}
		}
	}
	kinds := kindsInCode(t)
	if len(kinds) < 10 {
		t.Errorf("the code has only the kinds %v", kinds)
	}
	for _, kind := range kinds {
		if !strings.Contains(text, "\n### Kind `"+kind+"`") {
			t.Errorf("%s has no section on the kind %s", certificates, kind)
		}
	}
}

// kindsInCode are the kinds of certificates that the problems' packages name.
func kindsInCode(t *testing.T) []string {
	t.Helper()
	kinds := map[string]bool{}
	paths, err := filepath.Glob(filepath.Join(root, "model", "*", "*.go"))
	if err != nil || len(paths) == 0 {
		t.Fatal("no code", err)
	}
	stated := regexp.MustCompile(`\bKind[A-Z]\w*\s+= "([a-z-]+)"`)
	for _, path := range paths {
		for _, m := range stated.FindAllStringSubmatch(readText(t, path), -1) {
			kinds[m[1]] = true
		}
	}
	return slices.Sorted(maps.Keys(kinds))
}

// TestCertificateExamples checks the certificates in docs/certificates.md. Each must prove its stated value for the
// workload before it, and the document must state that workload's digest.
func TestCertificateExamples(t *testing.T) {
	lines := strings.Split(readText(t, filepath.Join(root, certificates)), "\n")
	var w *model.Workload
	proven := map[string]bool{} // kinds
	for _, b := range blocks(lines) {
		text := strings.Join(lines[b.first:b.last], "\n") + "\n"
		words := strings.Fields(b.kind)
		switch {
		case slices.Equal(words, []string{"json", "workload"}):
			w = documentedWorkload(t, text)
		case len(words) > 1 && words[0] == "json" && words[1] == "certificate":
			if w == nil {
				t.Fatalf("line %d: no workload before the certificate", b.first)
			}
			proven[documentedCertificate(t, w, text, words[2:], b.first)] = true
		}
	}
	for _, kind := range kindsInCode(t) {
		if !proven[kind] {
			t.Errorf("%s works out no certificate of kind %s", certificates, kind)
		}
	}
}

// documentedWorkload reads a workload of a document, which states it in canonical form.
func documentedWorkload(t *testing.T, text string) *model.Workload {
	t.Helper()
	path := filepath.Join(t.TempDir(), "w.json")
	writeText(t, path, text)
	w, err := workload.Read(path, nil, workload.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var canonical strings.Builder
	if err := workload.WriteJSON(&canonical, w); err != nil || canonical.String() != text {
		t.Errorf("a workload is not canonical (%v): it should be\n%s", err, canonical.String())
	}
	return w
}

// documentedCertificate checks a certificate under some parameters, and returns its kind or method.
func documentedCertificate(t *testing.T, w *model.Workload, text string, settings []string, line int) string {
	t.Helper()
	name := regexp.MustCompile(`"problem":"(\w+)"`).FindStringSubmatch(text)
	if name == nil {
		t.Fatalf("line %d: a certificate of no problem", line)
	}
	p, err := engine.FindProblem(name[1], nil)
	if err != nil {
		t.Fatal(err)
	}
	with := engine.Settings{}
	for _, s := range settings {
		key, value, _ := strings.Cut(s, "=")
		with[key] = value
	}
	params, err := engine.SettingValues(p.Params, with)
	if err != nil {
		t.Fatal(err)
	}
	view, err := p.View(w, params)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := view.Certify([]byte(text)); err != nil {
		t.Errorf("line %d: %v", line, err)
	}
	if kind := regexp.MustCompile(`"kind":"([^"]*)"`).FindStringSubmatch(text); kind != nil {
		return kind[1]
	}
	return ""
}

// TestGlossaryHasBounds: the glossary has one line for every method of a bound, which names its problem, and no others.
func TestGlossaryHasBounds(t *testing.T) {
	_, text, found := strings.Cut(readText(t, filepath.Join(root, "docs/guide.md")), "\nBounds, as the column BOUND BY")
	if !found {
		t.Fatal("the glossary has no table of bounds")
	}
	text, _, _ = strings.Cut(text, "\nNames from the papers:")
	said := map[string][]string{} // by method
	for line := range strings.Lines(text) {
		if cells := strings.Split(line, "|"); len(cells) == 4 {
			for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[1], -1) {
				said[name[1]] = append(said[name[1]], cells[2])
			}
		}
	}
	var known []string
	for _, d := range engine.Descriptions() {
		if len(d.Bounds) == 0 {
			t.Errorf("%s has no bounds", d.Problem)
		}
		for _, method := range d.Bounds {
			known = append(known, method)
			mine := func(text string) bool { return strings.HasPrefix(text, " `"+d.Problem+"`") }
			if !slices.ContainsFunc(said[method], mine) {
				t.Errorf("the glossary should explain %s of %s, and says %q", method, d.Problem, said[method])
			}
		}
	}
	for method := range said {
		if !slices.Contains(known, method) {
			t.Errorf("the glossary explains %s, which is no method of a bound", method)
		}
	}
}
