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

// TestCertificateExamples checks the examples for other checkers: each certificate of a folder must prove its stated
// value for the workload there, and README.md works it out. There is one of every kind.
func TestCertificateExamples(t *testing.T) {
	base := filepath.Join(root, "testdata/certificates")
	text := readText(t, filepath.Join(base, "README.md"))
	paths, err := filepath.Glob(filepath.Join(base, "*/*.json"))
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	proven := map[string]bool{} // kinds
	for _, path := range paths {
		folder, name := filepath.Base(filepath.Dir(path)), filepath.Base(path)
		if name == "workload.json" {
			continue
		}
		if !strings.Contains(text, "`"+folder+"/"+name+"`") {
			t.Errorf("README.md does not name %s/%s", folder, name)
		}
		var settings []string
		if words := strings.Split(name, "."); len(words) == 3 {
			settings = []string{"objective=" + words[1]}
		}
		w := documentedWorkload(t, readText(t, filepath.Join(filepath.Dir(path), "workload.json")))
		proven[documentedCertificate(t, w, readText(t, path), settings, folder+"/"+name)] = true
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
func documentedCertificate(t *testing.T, w *model.Workload, text string, settings []string, place string) string {
	t.Helper()
	name := regexp.MustCompile(`"problem":"(\w+)"`).FindStringSubmatch(text)
	if name == nil {
		t.Fatalf("%s: a certificate of no problem", place)
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
		t.Errorf("%s: %v", place, err)
	}
	if kind := regexp.MustCompile(`"kind":"([^"]*)"`).FindStringSubmatch(text); kind != nil {
		return kind[1]
	}
	return ""
}

// TestPagesHaveBounds: the page of each problem explains every method of a bound.
func TestPagesHaveBounds(t *testing.T) {
	for _, d := range engine.Descriptions() {
		text := readText(t, filepath.Join(root, "docs/problems", d.Problem+".md"))
		if len(d.Bounds) == 0 {
			t.Errorf("%s has no bounds", d.Problem)
		}
		for _, method := range d.Bounds {
			if !strings.Contains(text, "`"+method+"`") {
				t.Errorf("the page of %s does not explain %s", d.Problem, method)
			}
		}
	}
}
