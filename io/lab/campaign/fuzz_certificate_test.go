package campaign

import (
	"maps"
	"math/big"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"mrsched/io/result"
	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/solver"
)

// lens is an instance opened for one problem.
type lens struct {
	file    string // of the shipped examples; or a command that makes an instance
	problem string
	params  solver.Params // besides the defaults
	solve   []string      // algorithms and flags whose certificates are the seeds
}

func lenses() []lens {
	return []lens{
		{"fig1.json", "msjo", nil, []string{"-a", "mars,best", "--bound", "all"}},
		{"dag.json", "msjo", nil, []string{"-a", "best"}},
		{"fig1.json", "msjo", solver.Params{"objective": "twtct"},
			[]string{"-a", "tmars,mars", "--objective", "twtct", "--bound", "all"}},
		{"fig7.json", "hta", nil, []string{"-a", "flow", "-p", "hta"}},
		{"tree.json", "reduceplace", nil, []string{"-a", "clairvoyant"}},
		{"deadlines.json", "realtime", nil, []string{"-a", "best"}},
		{"deadlines.json", "realtime", solver.Params{"goal": "partitions"},
			[]string{"-a", "best,lst", "--goal", "partitions"}},
		{"fig7.json", "multitenant", nil, []string{"-a", "fair"}},
		{"etl.json", "cluster", nil, []string{"-a", "best,fifo"}},
		{"etl.json", "cluster", solver.Params{"objective": "tardiness"}, []string{"-a", "fifo", "--objective", "tardiness"}},
		{"generate cluster --tasks 12 --nodes 2", "cluster", nil, []string{"-a", "best,fifo"}},
		{"generate cluster --tasks 12 --nodes 2", "cluster", solver.Params{"objective": "late"},
			[]string{"-a", "best", "--objective", "late"}},
		{"generate cluster --tasks 10 --nodes 3", "cluster", solver.Params{"objective": "makespan"},
			[]string{"-a", "best,fifo", "--objective", "makespan"}},
		{"import rwct ../../../testdata/rwct/two.csv", "cluster", nil, []string{"-a", "best,fifo", "-p", "cluster"}},
	}
}

// FuzzCertificate evaluates arbitrary texts of certificate.json: evaluation ends without a panic, and the value that it
// proves is at most the cost of the seeds' schedules, or the proof would be wrong.
func FuzzCertificate(f *testing.F) {
	var views []model.View
	var costs []*big.Rat
	for i, l := range lenses() {
		path := filepath.Join("../../../instances/examples", l.file)
		if words := strings.Fields(l.file); len(words) > 1 {
			path = filepath.Join(f.TempDir(), "w.json")
			if o := run(append(words, "-o", path, "-q")...); o.code != exitDone {
				f.Fatal(o.stderr)
			}
		}
		w, err := workload.Read(path, nil, workload.Options{})
		if err != nil {
			f.Fatal(err)
		}
		problem := descriptor(l.problem)
		params := defaults(f, problem)
		maps.Copy(params, l.params)
		opened, err := problem.Open(w, params)
		if err != nil {
			f.Fatal(err)
		}
		views = append(views, opened.View())
		costs = append(costs, seedCertificates(f, i, l, path, opened.View(), w))
	}
	f.Fuzz(func(t *testing.T, which uint8, text []byte) {
		i := int(which) % len(views)
		proven, err := views[i].Certify(text)
		if err == nil && proven.Value.Cmp(costs[i]) > 0 {
			t.Errorf("%s: %s is proven, and a schedule costs %s", lenses()[i].file, proven.Value.FloatString(6),
				costs[i].FloatString(6))
		}
	})
}

// defaults are the values of a problem's parameters without flags.
func defaults(f *testing.F, p *solver.Problem) solver.Params {
	f.Helper()
	params := solver.Params{}
	for _, q := range p.Params {
		var err error
		switch q.Kind {
		case solver.IntParam:
			params[q.Name], err = strconv.ParseInt(q.Default, 10, 64)
		case solver.FloatParam:
			params[q.Name], err = strconv.ParseFloat(q.Default, 64)
		case solver.BoolParam:
			params[q.Name] = q.Default == "true"
		default:
			params[q.Name] = q.Default
		}
		if err != nil {
			f.Fatal(q.Name, err)
		}
	}
	return params
}

// seedCertificates adds the certificates of real runs and slightly changed ones, and returns the least cost of the
// schedules.
func seedCertificates(f *testing.F, i int, l lens, path string, view model.View, w *model.Workload) *big.Rat {
	f.Helper()
	dir := filepath.Join(f.TempDir(), "r")
	if o := run(quiet(append([]string{"solve", path, "-o", dir}, l.solve...)...)...); o.code != exitDone {
		f.Fatal(o.stderr)
	}
	found, err := filepath.Glob(filepath.Join(dir, "*", "result.json"))
	if err != nil {
		f.Fatal(err)
	}
	if len(found) == 0 {
		found = []string{filepath.Join(dir, "result.json")}
	}
	var least *big.Rat
	for _, name := range found {
		b, violations, err := result.Read(filepath.Dir(name))
		if err != nil || len(violations) > 0 {
			f.Fatal(err, violations)
		}
		s, violations := result.Schedule(view, b.Rows)
		if len(violations) > 0 {
			f.Fatal(violations)
		}
		if cost := view.Evaluate(s).Value; least == nil || cost.Cmp(least) < 0 {
			least = cost
		}
		text := string(b.Certificate)
		for _, seed := range []string{text, strings.Replace(text, "0", "1", 1), strings.Replace(text, "1", "9", 1),
			text[:len(text)/2], strings.Replace(text, "[", "[-1,", 1), "{}"} {
			f.Add(uint8(i), []byte(seed))
		}
	}
	return least
}
