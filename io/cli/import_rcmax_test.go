package cli

import (
	"encoding/csv"
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"testing"

	"mrsched/io/engine"
	"mrsched/model"
)

// fanjul holds the R||Cmax instances of Fanjul-Peyro and Ruiz, and values.csv with published values. It does not belong
// to the repository.
const fanjul = "../../../shared/bench/rcmax-fanjul"

// proven returns the proven optima of values.csv, by SET-NUMBER.
func proven(t *testing.T) map[string]*big.Rat {
	t.Helper()
	f, err := os.Open(filepath.Join(fanjul, "values.csv"))
	if os.IsNotExist(err) {
		t.Skipf("the instances are absent (%v)", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]*big.Rat{}
	for _, row := range rows[1:] {
		for k := 2; k+1 < len(row); k += 2 {
			if v, ok := new(big.Rat).SetString(row[k]); ok && row[k+1] == "1" {
				values[row[0]+"-"+row[1]] = v
			}
		}
	}
	return values
}

// TestBenchmarkOfRcmax imports benchmark files, solves them and checks the results. No schedule may be shorter than the
// published optimum and no bound above it, and both must be close to it.
func TestBenchmarkOfRcmax(t *testing.T) {
	values := proven(t)
	for _, name := range []string{"JobsCorre-111", "MaqCorre-112", "JobsCorre-141"} {
		want, ok := values[name]
		if !ok {
			t.Fatalf("values.csv has no proven value of %s", name)
		}
		dir := t.TempDir()
		instance, out := filepath.Join(dir, "w.json"), filepath.Join(dir, "r")
		run(t, engine.ExitDone, "import", "rcmax", filepath.Join(fanjul, name+".txt.gz"), "-o", instance, "-q")
		var r model.Result
		line := run(t, engine.ExitDone, "solve", instance, "-a", "best", "--iterations", "20", "-o", out, "--json", "-q")
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		run(t, engine.ExitDone, "check", instance, out)
		cost, okCost := r.Objective.Value.Rat()
		bound, okBound := r.LowerBound.Value.Rat()
		if !okCost || !okBound || bound.Cmp(want) > 0 || cost.Cmp(want) < 0 {
			t.Errorf("%s: bound %s, cost %s, published optimum %s", name, r.LowerBound.Value,
				r.Objective.Value, want.RatString())
		}
		near := new(big.Rat).Mul(want, big.NewRat(95, 100))
		if far := new(big.Rat).Mul(want, big.NewRat(110, 100)); bound.Cmp(near) < 0 || cost.Cmp(far) > 0 {
			t.Errorf("%s: bound %s and cost %s are far from %s", name, r.LowerBound.Value, r.Objective.Value, want.RatString())
		}
	}
}
