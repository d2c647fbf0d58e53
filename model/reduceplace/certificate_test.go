package reduceplace

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"mrsched/model"
)

// job is a row of jobs for instanceOf, in seconds.
type job struct {
	release, work model.Time
	reduces       int64
	bytes         model.Bytes
}

func instanceOf(t *testing.T, costs []float64, jobs []job) *Instance {
	t.Helper()
	return opened(t, Options{}, func(b *model.Builder) {
		slots(b, costs...)
		for i, j := range jobs {
			addJob(b, fmt.Sprint("j", i), j.release*model.Second, j.work*model.Second, j.reduces, j.bytes)
		}
	})
}

// threeJobs run from 0 to 16, from 4 to 24 and from 16 to 30 (two share the maps from 4 on), with 4, 5 and 3 bytes; the
// slots cost 1 and 3. The second job overlaps both others, so the first slot holds at most 4 + 3 = 7 of the 12 bytes:
// the bound is 1·12 + (3 − 1)·(12 − 7) = 22. The prices 4 and 3 at the points {0, 1} and {1, 2} prove it:
// 7 + max(0, 4 − 4) + max(0, 5 − 7) + max(0, 3 − 3) = 7.
func threeJobs(t *testing.T) *Instance {
	in := instanceOf(t, []float64{3, 1}, []job{{0, 10, 1, 4}, {4, 10, 1, 5}, {16, 10, 1, 3}})
	for i, want := range [][2]float64{{0, 16}, {4, 24}, {16, 30}} {
		if in.Start[i].Seconds() != want[0] || in.End[i].Seconds() != want[1] {
			t.Fatalf("job %d runs from %s to %s, not %v", i, in.Start[i], in.End[i], want)
		}
	}
	return in
}

const threeProof = `{"format":"mrsched-certificate/2","problem":"reduceplace","method":"clairvoyant",` +
	`"kind":"slot-prices","value":"22","unit":"1","prices":[{"period":0,"rows":[[1,4,1,3]]}]}`

// TestCertificateWorkedExample: any prices prove a bound; it is exact and never exceeds the optimum: jobs 0 and 2 on
// the cheap slot, 1 on the other, 7·1 + 5·3 = 22.
func TestCertificateWorkedExample(t *testing.T) {
	in := threeJobs(t)
	line := in.Timeline()
	if want := []Interval{{0, -1, 0, 1}, {1, -1, 0, 2}, {2, -1, 1, 2}}; len(line.Periods) != 1 ||
		line.Periods[0] != (Period{0, 3, 2, 2}) || !slices.Equal(line.Intervals, want) {
		t.Errorf("%+v", line)
	}
	if got := in.Fetching([]int32{0, 1, 0}); got.RatString() != "22" {
		t.Error("the best placement costs", got)
	}
	const prices = `[{"period":0,"rows":[[1,4,1,3]]}]`
	for _, c := range []struct{ unit, rows, value string }{
		{"1", `[[1,4,1,3]]`, "22"},
		{"1", ``, "12"}, // no prices: the first slot may hold all
		{"1", `[[]]`, "12"},
		{"1", `[[2,3]]`, "18"}, // 3 + 4 + 2 + 0 = 9
		{"1/2", `[[1,8,1,6]]`, "22"},
		{"1/2", `[[1,7,1,6]]`, "22"},              // 6.5 + 0.5 + 0 + 0 = 7
		{"1", `[[1,100,1,7],[1,-96,1,-4]]`, "22"}, // changes
		{"3", `[[1,1,1,1]]`, "22"},                // 6 + 1 + 0 + 0 = 7
		{"1", `[[1,4,1,4]]`, "20"},                // 8 + 0
		{"1", `[[1,4611686018427387900]]`, "12"},
	} {
		text := strings.NewReplacer(`"22"`, `"`+c.value+`"`, `"unit":"1"`, `"unit":"`+c.unit+`"`, `[[1,4,1,3]]`, c.rows)
		if c.rows == "" {
			text = strings.NewReplacer(`"22"`, `"12"`, `,"prices":`+prices, ``)
		}
		v, err := in.Certify([]byte(text.Replace(threeProof)))
		if err != nil || v.Value.RatString() != c.value || v.Method != "clairvoyant" {
			t.Errorf("%s %s: %v, %v", c.unit, c.rows, v, err)
		}
	}
}

// TestCertificateMutations: any text that is no certificate, or none of this instance, is rejected.
func TestCertificateMutations(t *testing.T) {
	in := threeJobs(t)
	for old, list := range map[string][]string{
		`"22"`:          {`"23"`, `"21"`, `"44/2"`},
		`certificate/2`: {`certificate/1`},
		`"reduceplace"`: {`"hta"`},
		`slot-prices`:   {`prices`},
		`"clairvoyant"`: {`"magic"`},
		`[1,4,1,3]`: {`[1,4,1,4]`, `[1,4,1,-1]`, `[1,4,1,3],[1,-5]`, `[1,-9223372036854775808]`,
			`[1,4611686018427387904,1,1]`, `[1,9223372036854775807]`, `[1,9223372036854775808]`, `[1,4,1]`, `[1,4,0,3]`,
			`[2,4,-1,3]`, `[1,4,2,3]`, `[1,4,9223372036854775807,3]`, `[1,4,1,3],[],[]`, `[1,4.5,1,3]`},
		`[[1,4,1,3]]`:                     {`7`},
		`"period":0`:                      {`"period":1`, `"period":-1`},
		`{"period":0,"rows":[[1,4,1,3]]}`: {`{"period":0,"rows":[[1,4,1,3]]},{"period":0,"rows":[[1,4,1,3]]}`},
		`"unit":"1"`: {`"unit":"0"`, `"unit":"-1"`, `"unit":"2/2"`, `"unit":"1/0"`, `"unit":"1.0"`, `"unit":"1e999999"`,
			`"unit":"2147483648"`, `"unit":"1/2147483648"`, `"unit":"1/2"`, `"unit":"1","unit":"1"`, `"more":1,"unit":"1"`},
		`]}]}`: {``},
	} {
		for _, changed := range list {
			text := strings.Replace(threeProof, old, changed, 1)
			if v, err := in.Certify([]byte(text)); err == nil || text == threeProof {
				t.Errorf("%s instead of %s: accepted as %s", changed, old, v.Value)
			}
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
		in := instanceOf(t, c.costs, c.jobs)
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
