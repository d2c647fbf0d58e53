//go:build unix

package command

import (
	"cmp"
	"context"
	"encoding/csv"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"mrsched/io/sweep"
)

// `go test ./io/command -run TestCostModel -v -calibrate ../../testdata/cost/mixed.json` runs every run of a sweep on
// its own and compares its processor time with the estimate; -calibrate-csv FILE appends the rows for fitting. The
// table of costs was fitted to the specs fit-*.json there; mixed.json and wide.json, of other sizes and seeds, say how
// good it is: nine of ten estimates should be within a factor of 4, and shards nearly alike unless a single run is as
// long as a shard.
var (
	calibrate    = flag.String("calibrate", "", "specs of sweeps, separated by commas, whose runs TestCostModel measures")
	calibrateCSV = flag.String("calibrate-csv", "", "where TestCostModel writes a row a run")
)

// calibrationShards is the number of shards of which the imbalance is told.
const calibrationShards = 4

// measured is a run or, without an algorithm, the loading of an instance, in seconds.
type measured struct {
	instance, problem, algorithm string
	parameters                   string
	iterations                   int
	size                         instanceSize
	estimate, actual             float64
	status, id                   string
}

func (m *measured) ratio() float64 { return m.estimate / m.actual }

func (m *measured) key() string { return strings.TrimSpace(m.problem + " " + m.algorithm) }

// processor is the processor time that this process has had.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// leastOf repeats something short and gives the least processor time that it took, in seconds.
func leastOf(do func()) float64 {
	least := math.Inf(1)
	for spent, n := time.Duration(0), 0; n < 2 || spent < 60*time.Millisecond && n < 20; n++ {
		begin := processor()
		do()
		took := processor() - begin
		least = min(least, took.Seconds())
		if spent += took; spent > time.Second {
			break
		}
	}
	return max(least, 1e-6)
}

// TestCostModel measures; it says how far estimates are off and how well they divide.
func TestCostModel(t *testing.T) {
	if *calibrate == "" {
		t.Skip("measures only with -calibrate SPEC")
	}
	for _, path := range strings.Split(*calibrate, ",") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			spec, err := readSpec(path, 1_000_000)
			if err != nil {
				t.Fatal(err)
			}
			plan, err := spec.Plan(catalog(), filepath.Dir(path))
			if err != nil {
				t.Fatal(err)
			}
			x := &sweeping{s: &session{stderr: io.Discard}, c: shardFlags(t, ""), plan: plan, base: filepath.Dir(path),
				runs: plan.Runs()}
			x.costs = runCosts(plan, x.runs, calibrationShards)
			runs, loads := x.measureAll(t)
			if *calibrateCSV != "" {
				if err := writeMeasured(*calibrateCSV, append(slices.Clone(runs), loads...)); err != nil {
					t.Fatal(err)
				}
			}
			printRatios(append(slices.Clone(runs), loads...))
			x.printImbalance(runs, loads)
		})
	}
}

// measureAll runs every run, and loads every instance.
func (x *sweeping) measureAll(t *testing.T) (runs, loads []measured) {
	var of *work
	for i, run := range x.runs {
		in, v := &x.plan.Instances[run.Instance], &x.plan.Variants[run.Variant]
		if of == nil || of.instance != in {
			of = &work{instance: in}
			size := sizeOf(in)
			m := measured{instance: in.Name, size: size, estimate: costSeconds(loadCost(in.Problem, size)), problem: in.Problem}
			m.actual = leastOf(func() { of.w, of.digest, of.err = x.load(in) })
			of.loaded.Do(func() {})
			loads = append(loads, m)
		}
		m := measured{instance: in.Name, problem: in.Problem, algorithm: v.Algorithm, iterations: v.Iterations,
			size:     sizeOf(in),
			estimate: costSeconds(runCost(sizeOf(in), v, x.plan.TimeLimit))}
		m.actual = leastOf(func() {
			row, _, err := x.execute(context.Background(), of, i)
			if err != nil {
				t.Fatal(err)
			}
			m.status = string(row.Status)
		})
		runs = append(runs, m)
	}
	return runs, loads
}

// printRatios tells, of each algorithm, the quartiles of estimate/actual and how many are within a factor of 4.
func printRatios(all []measured) {
	groups := map[string][]measured{}
	var total []float64
	var names []string
	for _, m := range all {
		if m.status == "skipped" {
			continue
		}
		if groups[m.key()] == nil {
			names = append(names, m.key())
		}
		groups[m.key()] = append(groups[m.key()], m)
		if m.algorithm != "" {
			total = append(total, m.ratio())
		}
	}
	slices.Sort(names)
	tw := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "ALGORITHM\tRUNS\tSECONDS\tLEAST\tMEDIAN\tLARGEST\tWITHIN 4\tLARGEST AT")
	for _, name := range names {
		g := groups[name]
		slices.SortFunc(g, func(a, b measured) int { return cmp.Compare(a.ratio(), b.ratio()) })
		var sum float64
		var ratios []float64
		for _, m := range g {
			sum += m.actual
			ratios = append(ratios, m.ratio())
		}
		fmt.Fprintf(tw, "%s\t%d\t%.3f\t%.2f\t%.2f\t%.2f\t%.0f %%\t%s\n", name, len(g), sum, ratios[0], ratios[len(g)/2],
			ratios[len(g)-1], shareWithin(ratios), g[len(g)-1].instance)
	}
	fmt.Fprintf(tw, "all\t%d\t\t\t\t\t%.1f %%\n", len(total), shareWithin(total))
	_ = tw.Flush()
}

// shareWithin is the share of ratios between ¼ and 4, in percent.
func shareWithin(ratios []float64) float64 {
	n := 0
	for _, r := range ratios {
		if r >= 0.25 && r <= 4 {
			n++
		}
	}
	return 100 * float64(n) / float64(len(ratios))
}

// printImbalance tells the largest shard over the mean one, by actual times, and what the best division could reach.
func (x *sweeping) printImbalance(runs, loads []measured) {
	load := map[string]float64{}
	for _, m := range loads {
		load[m.instance] = m.actual
	}
	of := sweep.Divide(x.costs, calibrationShards)
	var sums [calibrationShards]float64
	seen := map[string]bool{}
	var total, longest float64
	for i, m := range runs {
		sums[of[i]] += m.actual
		total += m.actual
		longest = max(longest, m.actual)
		if key := fmt.Sprint(of[i], m.instance); !seen[key] {
			seen[key] = true
			sums[of[i]] += load[m.instance]
			total += load[m.instance]
		}
	}
	mean := total / calibrationShards
	fmt.Printf("%d shards: %.3f s, largest over mean %.3f; the longest run is %.3f of the mean\n", calibrationShards,
		total, slices.Max(sums[:])/mean, longest/mean)
}

// writeMeasured appends rows for other tools to fit.
func writeMeasured(path string, all []measured) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	w := csv.NewWriter(f)
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	for _, m := range all {
		if err := w.Write([]string{m.problem, m.algorithm, m.instance, strconv.Itoa(m.iterations), m.status,
			number(m.estimate), number(m.actual), m.id, m.parameters, fmt.Sprint(m.size.tasks), fmt.Sprint(m.size.jobs),
			fmt.Sprint(m.size.machines), fmt.Sprint(m.size.rows)}); err != nil {
			return err
		}
	}
	w.Flush()
	return cmp.Or(w.Error(), f.Close())
}
