package campaign

import (
	"math/big"
	"path/filepath"
	"strings"
	"testing"

	"mrsched/io/result"
	"mrsched/model"
)

// FuzzCertificate evaluates arbitrary texts of certificate.json: evaluation ends without a panic, and the value that it
// proves is at most the cost of the seeds' schedules, or the proof would be wrong.
func FuzzCertificate(f *testing.F) {
	var views []model.View
	var costs []*big.Rat
	for _, p := range families() {
		count := len(p.flags)
		if len(p.made) > 0 { // with each of the flags
			count *= 3
		}
		for k := range count {
			view, least := seedCertificates(f, p, k, uint8(len(views)))
			views, costs = append(views, view), append(costs, least)
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, text []byte) {
		i := int(which) % len(views)
		proven, err := views[i].Certify(text)
		if err == nil && proven.Value.Cmp(costs[i]) > 0 {
			t.Errorf("%s is proven, and a schedule costs %s", proven.Value.FloatString(6), costs[i].FloatString(6))
		}
	})
}

// seedCertificates adds the certificates of real runs and slightly changed ones, and returns the instance and the least
// cost of their schedules.
func seedCertificates(f *testing.F, p family, k int, which uint8) (view model.View, least *big.Rat) {
	f.Helper()
	instance, out := p.compare(f, k)
	found, err := filepath.Glob(filepath.Join(out, "*", result.CertificateFile))
	if err != nil || len(found) == 0 {
		f.Fatal("no certificates", err)
	}
	for _, name := range found {
		b, violations, err := result.Read(filepath.Dir(name))
		if err != nil || len(violations) > 0 {
			f.Fatal(err, violations)
		}
		if view == nil {
			view = viewOf(f, p.problem, &base{instance: instance, dir: filepath.Dir(name)})
		}
		if b.Rows != nil {
			s, _ := result.Schedule(view, b.Rows)
			if cost := view.Evaluate(s).Value; least == nil || cost.Cmp(least) < 0 {
				least = cost
			}
		}
		text := string(b.Certificate)
		for _, seed := range []string{text, strings.Replace(text, "0", "1", 1), strings.Replace(text, "1", "9", 1),
			text[:len(text)/2], strings.Replace(text, "[", "[-1,", 1), "{}"} {
			f.Add(which, []byte(seed))
		}
	}
	return view, least
}
