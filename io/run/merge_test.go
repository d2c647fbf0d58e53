package run

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
)

// finished is a row of a run with a result.
func finished(p *Plan, run Run, objective, ratio string) *Row {
	r := p.newRow(run)
	r.Status, r.Objective, r.Ratio = model.StatusFeasible, &model.Objective{Name: "cost", Value: model.Number(objective)},
		model.Number(ratio)
	r.Instance.SHA256 = "abc"
	r.Guarantee = &RowGuarantee{Factor: "3", Additive: "0", Verdict: model.VerdictProven}
	return r
}

// write puts a plan and rows, by shard, into a directory.
func write(t *testing.T, dir string, p *Plan, shards ...[]*Row) {
	t.Helper()
	if _, err := p.Write(dir); err != nil {
		t.Fatal(err)
	}
	for i, rows := range shards {
		l, err := OpenLog(logFile(dir, i+1, len(shards)))
		must(t, err)
		for _, r := range rows {
			must(t, l.Append(r))
		}
		must(t, l.Close())
	}
}

func tables(t *testing.T, m *Merged) string {
	t.Helper()
	var b strings.Builder
	must(t, errors.Join(m.RunRecords().WriteCSV(&b), m.SummaryRecords().WriteCSV(&b)))
	return b.String()
}

func mustMerge(t *testing.T, dir string) *Merged {
	t.Helper()
	m, err := Merge(dir)
	must(t, err)
	t.Cleanup(m.Close)
	return m
}

// TestSummary computes a line by hand: two instances with ratios 1, 2 and 4, 5. Their means 1.5 and 4.5 have the mean 3
// and the standard deviation 3/√2, so the half width is t·1.5 with t = 12.7062 for one degree of freedom: 19.0593.
func TestSummary(t *testing.T) {
	p := mustPlan(t, spec(`{"generate":"line","seeds":[1,2]}`, `"b"`, `,"seeds":[1,2]`))
	var rows []*Row
	for i, run := range p.Runs() {
		rows = append(rows, finished(p, run, fmt.Sprint(10*(i+1)), []string{"1", "2", "4", "5"}[i]))
	}
	rows[3].Guarantee.Verdict = model.VerdictUnknown
	dir := t.TempDir()
	write(t, dir, p, rows)
	want := `id,group,instance,sha256,jobs,tasks,machines,instance.seed,problem,algorithm,seed,status,objective_name,objective,lower_bound,method,ratio,guarantee,additive,verdict,code,note
ID,random,random seed=1,abc,0,0,0,1,line,b,1,feasible,cost,10,,,1,3,0,proven,,
ID,random,random seed=1,abc,0,0,0,1,line,b,2,feasible,cost,20,,,2,3,0,proven,,
ID,random,random seed=2,abc,0,0,0,2,line,b,1,feasible,cost,30,,,4,3,0,proven,,
ID,random,random seed=2,abc,0,0,0,2,line,b,2,feasible,cost,40,,,5,3,0,unknown,,
group,problem,algorithm,parameters,runs,missing,errors,skipped,limits,optimal,worst_verdict,objective_name,objective_n,objective_mean,objective_low,objective_high,objective_min,objective_median,objective_max,ratio_n,ratio_mean,ratio_low,ratio_high,ratio_min,ratio_median,ratio_max
random,line,b,,4,0,0,0,0,0,unknown,cost,4,25,-102.062047,152.062047,10,25,40,4,3,-16.059307,22.059307,1,3,5
`
	got := tables(t, mustMerge(t, dir))
	for _, run := range p.Runs() {
		got = strings.Replace(got, run.ID, "ID", 1)
	}
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestStatistics: one value has no interval, equal values one of width 0, and the runs of one instance are independent.
func TestStatistics(t *testing.T) {
	for _, c := range []struct {
		values string
		want   Statistics
	}{
		{"", Statistics{}},
		{"7", Statistics{Runs: 1, Units: 1, Mean: "7", Min: "7", Max: "7", Median: "7"}},
		{"2 2 2", Statistics{Runs: 3, Units: 3, Mean: "2", Low: "2", High: "2", Min: "2", Max: "2", Median: "2"}},
		// s = 1, t = 4.302653 for two degrees of freedom, over √3: 2.484138.
		{"3 1 2", Statistics{Runs: 3, Units: 3, Mean: "2", Low: "-0.484138", High: "4.484138", Min: "1", Max: "3",
			Median: "2"}},
	} {
		var s samples
		for _, v := range strings.Fields(c.values) {
			s.add(5, model.Number(v))
		}
		if got := s.statistics(); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.values, got, c.want)
		}
	}
	if got := rounded(big.NewRat(-1, 3)); got != "-0.333333" {
		t.Error(got)
	}
}

// TestMergeDoesNotDependOnShards spreads rows over shards in any order, some twice, with torn last lines.
func TestMergeDoesNotDependOnShards(t *testing.T) {
	p := mustPlan(t,
		spec(`{"generate":"line","parameters":{"n":[1,2]},"seeds":[1,2,3]}`, `"a","b"`, `,"parameters":{"x":[1,2]}`))
	rng := rand.New(rand.NewPCG(1, 1))
	var rows []*Row
	var order []int
	for i, run := range p.Runs() {
		order = append(order, i)
		rows = append(rows, finished(p, run, fmt.Sprint(1+rng.IntN(1000)), fmt.Sprint(1+rng.Float64())))
	}
	whole := t.TempDir()
	write(t, whole, p, rows)
	want := tables(t, mustMerge(t, whole))
	rapid.Check(t, func(r *rapid.T) {
		dir, err := os.MkdirTemp(whole, "shards")
		must(t, err)
		shards := make([][]*Row, rapid.IntRange(1, 4).Draw(r, "shards"))
		for _, i := range rapid.Permutation(order).Draw(r, "order") {
			k := rapid.IntRange(0, len(shards)-1).Draw(r, "shard")
			shards[k] = append(shards[k], rows[i])
			if rapid.Bool().Draw(r, "twice") {
				shards[0] = append(shards[0], rows[i])
			}
		}
		write(t, dir, p, shards...)
		tear(t, logFile(dir, 1, len(shards)), `{"id":"0`)
		m := mustMerge(t, dir)
		if got := tables(t, m); got != want || len(m.Missing)+m.Damaged+m.Foreign+m.Differ+len(m.Mixed) > 0 {
			r.Fatalf("%+v:\n%s\nwant\n%s", m, got, want)
		}
	})
}

// tear appends a text without a line end.
func tear(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteString(text)
	must(t, errors.Join(err, f.Close()))
}

// TestDamage: unfinished and damaged lines are ignored, rows of other specs are left out, rows of later attempts
// replace errors, and differing rows are counted.
func TestDamage(t *testing.T) {
	p := mustPlan(t, spec(`{"generate":"line","seeds":[1,2,3,4,5]}`, `"b"`, ``))
	runs := p.Runs()
	dir := t.TempDir()
	failed := p.newRow(runs[2])
	failed.Status, failed.Code, failed.Note = StatusError, "S403", "no machine"
	foreign := finished(p, runs[0], "1", "1")
	foreign.ID = "other"
	write(t, dir, p, []*Row{finished(p, runs[0], "1", "1"), finished(p, runs[1], "2", "1"), failed, foreign,
		finished(p, runs[2], "3", "1"), failed,
		finished(p, runs[3], "4", "1"), finished(p, runs[3], "5", "1")})
	path := logFile(dir, 1, 1)
	text, err := os.ReadFile(path)
	must(t, err)
	text[len(text)/16] ^= 1 // in the first line
	must(t, os.WriteFile(path, text, 0o644))
	last, err := line(finished(p, runs[4], "1", "1"))
	must(t, err)
	tear(t, path, string(last[:len(last)-1])) // only the line end is missing
	m := mustMerge(t, dir)
	if m.Damaged != 1 || m.Foreign != 1 || m.Differ != 1 || len(m.Missing) != 2 || m.Missing[0].ID != runs[0].ID ||
		m.Missing[1].ID != runs[4].ID {
		t.Errorf("%+v", m)
	}
	if g := m.Groups[0]; g.Missing != 2 || g.Errors != 0 || g.Objective.Max != "4" ||
		g.Runs-g.Optimal-g.Limits-g.Skipped != 3 {
		t.Errorf("%+v", g)
	}
	l, err := OpenLog(logFile(dir, 1, 1))
	must(t, err)
	if cut, err := os.ReadFile(path); err != nil || string(cut) != string(text) {
		t.Errorf("%v, after the cut: %s", err, cut)
	}
	must(t, errors.Join(l.Append(finished(p, runs[4], "9", "1")), l.Close()))
	done, err := openLogs(dir)
	must(t, err)
	if done.close(); done.damaged != 1 || len(done.rows) != 5 || done.rows[runs[2].ID].failed {
		t.Errorf("%+v", done)
	}
	if m := mustMerge(t, dir); len(m.Missing) != 1 {
		t.Errorf("%+v", m.Missing)
	}
}

// TestMixed: two seeds of one instance have different workloads.
func TestMixed(t *testing.T) {
	p := mustPlan(t, spec(`{"generate":"line"}`, `"b"`, `,"seeds":[1,2]`))
	runs := p.Runs()
	a, b := finished(p, runs[0], "1", "1"), finished(p, runs[1], "1", "1")
	b.Instance.SHA256 = "other"
	dir := t.TempDir()
	write(t, dir, p, []*Row{a}, []*Row{b})
	if m := mustMerge(t, dir); len(m.Mixed) != 1 || m.Mixed[0] != "random seed=1" {
		t.Errorf("%v", m.Mixed)
	}
}

// TestTrim finds the last line end however far it is from the end of the file.
func TestTrim(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		f, err := os.CreateTemp(t.TempDir(), "log")
		must(t, err)
		defer f.Close()
		text := strings.Repeat("x", rapid.IntRange(0, 140_000).Draw(r, "head")) +
			rapid.SampledFrom([]string{"", "\n"}).Draw(r, "end") + strings.Repeat("y",
			rapid.IntRange(0, 140_000).Draw(r, "tail"))
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
		want := strings.LastIndex(text, "\n") + 1
		must(t, trim(f))
		if info, err := f.Stat(); err != nil || info.Size() != int64(want) {
			r.Fatalf("%v: %d bytes, want %d", err, info.Size(), want)
		}
	})
}

func TestPlanFile(t *testing.T) {
	p := mustPlan(t, spec(`{"generate":"line","seeds":[1,2]}`, `"all"`,
		`,"parameters":{"x":[1,2]},"time_limit":1.5`))
	dir := t.TempDir()
	for _, want := range []bool{false, false} {
		if changed, err := p.Write(dir); err != nil || changed != want {
			t.Errorf("changed %v, %v", changed, err)
		}
	}
	again, err := ReadPlan(dir)
	must(t, err)
	if fmt.Sprint(again.Runs()) != fmt.Sprint(p.Runs()) || again.TimeLimit != 1_500_000 {
		t.Errorf("%v\n%v", again.Runs(), p.Runs())
	}
	other := mustPlan(t, spec(`{"generate":"line"}`, `"all"`, ``))
	if changed, err := other.Write(dir); err != nil || !changed {
		t.Errorf("changed %v, %v", changed, err)
	}
	for text, want := range map[string]string{
		`{`:                                 "F103 ",
		`{}`:                                "F107 ",
		`{"format":"mrsched-sweep-plan/1"}`: "V206 ",
	} {
		must(t, os.WriteFile(filepath.Join(dir, PlanFile), []byte(text), 0o644))
		if _, err := Merge(dir); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := Merge(t.TempDir()); err == nil || !strings.HasPrefix(err.Error(), "F101 ") {
		t.Error(err)
	}
}
