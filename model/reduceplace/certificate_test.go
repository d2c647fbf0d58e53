package reduceplace

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"mrsched/model"
)

// job is a row of jobs for instanceOf.
type job struct {
	release, work float64
	reduces       int64
	bytes         int64
}

func instanceOf(t *testing.T, running int64, costs []float64, jobs []job) *Instance {
	t.Helper()
	b := model.NewBuilder()
	for s, c := range costs {
		b.ReduceSlot(model.ReduceSlot{ID: fmt.Sprint("s", s), Cost: model.CostOf(c)}, model.Locus{})
	}
	for i, j := range jobs {
		b.Job(model.Job{ID: fmt.Sprint("j", i), Weight: model.UnitWeight, Release: model.TimeOf(j.release),
			MapWork: model.Some(model.TimeOf(j.work)),
			Reduces: model.Some(j.reduces), IntermediateBytes: model.Some(model.Bytes(j.bytes))}, model.Locus{})
	}
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	in, err := New(w, Options{MaxRunning: running})
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// threeJobs run from 0 to 16, from 4 to 24 and from 16 to 30 (two share the maps from 4 on), with 4, 5 and 3 bytes; the
// slots cost 1 and 3. The second job overlaps both others, so the first slot holds at most 4 + 3 = 7 of the 12 bytes:
// the bound is 1·12 + (3 − 1)·(12 − 7) = 22. The prices 4 and 3 at the points {0, 1} and {1, 2} prove it:
// 7 + max(0, 4 − 4) + max(0, 5 − 7) + max(0, 3 − 3) = 7.
func threeJobs(t *testing.T) *Instance {
	in := instanceOf(t, 0, []float64{3, 1}, []job{{0, 10, 1, 4}, {4, 10, 1, 5}, {16, 10, 1, 3}})
	for i, want := range [][2]float64{{0, 16}, {4, 24}, {16, 30}} {
		if in.Start[i].Seconds() != want[0] || in.End[i].Seconds() != want[1] {
			t.Fatalf("job %d runs from %s to %s, not %v", i, in.Start[i], in.End[i], want)
		}
	}
	return in
}

const threeProof = `{"format":"mrsched-certificate/1","problem":"reduceplace","method":"clairvoyant","kind":"slot-prices","value":"22","unit":"1","prices":[{"period":0,"rows":[[1,4,1,3]]}]}`

func TestCertificateWorkedExample(t *testing.T) {
	in := threeJobs(t)
	v, err := in.Certify([]byte(threeProof))
	if err != nil || v.Value.RatString() != "22" || v.Method != "clairvoyant" {
		t.Fatal(v, err)
	}
	// 0 and 2 on the cheap slot, 1 on the other: 7·1 + 5·3 = 22, so this is the optimum.
	if got := in.Fetching([]int32{0, 1, 0}); got.Cmp(v.Value) != 0 {
		t.Error("the best placement costs", got)
	}
}

func TestTimeline(t *testing.T) {
	line := threeJobs(t).Timeline()
	want := []Interval{{0, -1, 0, 1}, {1, -1, 0, 2}, {2, -1, 1, 2}}
	if len(line.Periods) != 1 || line.Periods[0] != (Period{0, 3, 2, 2}) ||
		fmt.Sprint(line.Intervals) != fmt.Sprint(want) {
		t.Errorf("%+v", line)
	}
}

// Any prices prove a bound; it is exact and never exceeds the optimum.
func TestCertificatePrices(t *testing.T) {
	in := threeJobs(t)
	for _, c := range []struct{ unit, prices, value string }{
		{"1", ``, "12"}, // no prices: the first slot may hold all
		{"1", `,"prices":[{"period":0,"rows":[[]]}]`, "12"},
		{"1", `,"prices":[{"period":0,"rows":[[2,3]]}]`, "18"}, // 3 + 4 + 2 + 0 = 9
		{"1/2", `,"prices":[{"period":0,"rows":[[1,8,1,6]]}]`, "22"},
		{"1/2", `,"prices":[{"period":0,"rows":[[1,7,1,6]]}]`, "22"},              // 6.5 + 0.5 + 0 + 0 = 7
		{"1", `,"prices":[{"period":0,"rows":[[1,100,1,7],[1,-96,1,-4]]}]`, "22"}, // changes
		{"3", `,"prices":[{"period":0,"rows":[[1,1,1,1]]}]`, "22"},                // 6 + 1 + 0 + 0 = 7
		{"1", `,"prices":[{"period":0,"rows":[[1,4,1,4]]}]`, "20"},                // 8 + 0
		{"1", `,"prices":[{"period":0,"rows":[[1,4611686018427387900]]}]`, "12"},
	} {
		text := fmt.Sprintf(
			`{"format":"mrsched-certificate/1","problem":"reduceplace","method":"clairvoyant","kind":"slot-prices","value":%q,"unit":%q%s}`, c.value, c.unit, c.prices)
		if _, err := in.Certify([]byte(text)); err != nil {
			t.Errorf("%s %s: %v", c.unit, c.prices, err)
		}
	}
}

// Any text that is no certificate, or none of this instance, is rejected.
func TestCertificateMutations(t *testing.T) {
	in := threeJobs(t)
	for name, m := range map[string][2]string{
		"value":           {`"22"`, `"23"`},
		"value below":     {`"22"`, `"21"`},
		"value written":   {`"22"`, `"44/2"`},
		"format":          {`certificate/1`, `certificate/2`},
		"problem":         {`"reduceplace"`, `"hta"`},
		"kind":            {`slot-prices`, `prices`},
		"price":           {`[1,4,1,3]`, `[1,4,1,4]`},
		"negative price":  {`[1,4,1,3]`, `[1,4,1,-1]`},
		"negative change": {`[1,4,1,3]`, `[1,4,1,3],[1,-5]`},
		"most negative":   {`[1,4,1,3]`, `[1,-9223372036854775808]`},
		"sum too high":    {`[1,4,1,3]`, `[1,4611686018427387904,1,1]`},
		"price too high":  {`[1,4,1,3]`, `[1,9223372036854775807]`},
		"beyond int64":    {`[1,4,1,3]`, `[1,9223372036854775808]`},
		"odd row":         {`[1,4,1,3]`, `[1,4,1]`},
		"no step":         {`[1,4,1,3]`, `[1,4,0,3]`},
		"backwards":       {`[1,4,1,3]`, `[2,4,-1,3]`},
		"beyond the end":  {`[1,4,1,3]`, `[1,4,2,3]`},
		"far beyond":      {`[1,4,1,3]`, `[1,4,9223372036854775807,3]`},
		"too many rows":   {`[1,4,1,3]`, `[1,4,1,3],[],[]`},
		"period":          {`"period":0`, `"period":1`},
		"negative period": {`"period":0`, `"period":-1`},
		"period twice": {`[{"period":0,"rows":[[1,4,1,3]]}]`,
			`[{"period":0,"rows":[[1,4,1,3]]},{"period":0,"rows":[[1,4,1,3]]}]`},
		"unit 0":           {`"unit":"1"`, `"unit":"0"`},
		"negative unit":    {`"unit":"1"`, `"unit":"-1"`},
		"unit not reduced": {`"unit":"1"`, `"unit":"2/2"`},
		"unit over 0":      {`"unit":"1"`, `"unit":"1/0"`},
		"unit decimal":     {`"unit":"1"`, `"unit":"1.0"`},
		"unit huge":        {`"unit":"1"`, `"unit":"1e999999"`},
		"unit too large":   {`"unit":"1"`, `"unit":"2147483648"`},
		"unit too small":   {`"unit":"1"`, `"unit":"1/2147483648"`},
		"another unit":     {`"unit":"1"`, `"unit":"1/2"`},
		"another method":   {`"method":"clairvoyant"`, `"method":"magic"`},
		"unknown key":      {`"unit"`, `"more":1,"unit"`},
		"key twice":        {`"unit":"1"`, `"unit":"1","unit":"1"`},
		"fraction":         {`[1,4,1,3]`, `[1,4.5,1,3]`},
		"no list":          {`[[1,4,1,3]]`, `7`},
		"cut off":          {`]}]}`, ``},
	} {
		text := strings.Replace(threeProof, m[0], m[1], 1)
		if text == threeProof {
			t.Fatal(name, "changes nothing")
		}
		if v, err := in.Certify([]byte(text)); err == nil {
			t.Errorf("%s: accepted as %s", name, v.Value)
		}
	}
}

// Instances with little or nothing to prove; without prices the bound is H(1)·W.
func TestCertificateDegenerate(t *testing.T) {
	for _, c := range []struct {
		name  string
		costs []float64
		jobs  []job
		rows  [][]int64
		value string
	}{
		{"one slot", []float64{2}, []job{{0, 5, 1, 7}, {1, 5, 1, 8}}, nil, "30"},
		{"equal costs", []float64{2, 2, 2}, []job{{0, 5, 2, 7}, {1, 5, 1, 8}}, [][]int64{{1, 8}}, "30"},
		{"no data", []float64{1, 2}, []job{{0, 5, 1, 0}, {0, 5, 1, 0}}, nil, "0"},
		{"costs of 0", []float64{0, 0}, []job{{0, 5, 2, 7}}, nil, "0"},
		{"no work", []float64{3, 4}, []job{{0, 0, 2, 7}, {0, 0, 1, 5}}, nil, "36"},
		// All overlap: 8, 7/2, 7/2 in this order on slots that cost 1, 2, 4. M_1 = 8, M_2 = 11.5: 15 + 7 + 2·3.5 = 29.
		{"all overlap", []float64{1, 2, 4}, []job{{0, 5, 2, 7}, {1, 5, 1, 8}}, [][]int64{{1, 16}, {1, -9}}, "29"},
		{"largest numbers", []float64{1, 9e12}, []job{{0, 5, 1, math.MaxInt64}, {0, 5, 1, math.MaxInt64}}, nil,
			"18446744073709551614"},
	} {
		in := instanceOf(t, 0, c.costs, c.jobs)
		cert := &Certificate{Claim: model.Claim{Method: "clairvoyant", Kind: KindSlotPrices}, Unit: "1/2"}
		if c.rows != nil {
			cert.Prices = []Prices{{0, c.rows}}
		}
		if err := in.Sign(cert); err != nil || cert.Value != c.value {
			t.Errorf("%s: %s, %v", c.name, cert.Value, err)
			continue
		}
		text, _ := json.Marshal(cert)
		if _, err := in.Certify(text); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func FuzzCertify(f *testing.F) {
	f.Add([]byte(threeProof))
	f.Fuzz(func(t *testing.T, raw []byte) {
		in := threeJobs(t)
		if v, err := in.Certify(raw); err == nil && v.Value.Cmp(in.Fetching([]int32{0, 1, 0})) > 0 {
			t.Errorf("%s proves %s, more than the optimum", raw, v.Value)
		}
	})
}
