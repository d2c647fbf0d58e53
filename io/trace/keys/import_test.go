package keys

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mrsched/io/trace"
	"mrsched/io/trace/golden"
	"mrsched/model"
	"mrsched/model/realtime"
)

const data = "../../../testdata/keys"

// TestRules adds up by hand: "the" comes 3 + 5 times in m1 and 4 times in m2, "of" 2 + 1 times in m1, over both files.
func TestRules(t *testing.T) {
	w := golden.Must(t)(Import(golden.Files(t, data, "words.csv", "more.csv"), Options{BytesPerValue: 10, Reduces: 3,
		Partitions: model.Some(int64(12)), Machines: model.Some(int64(4)), ReduceRate: 50}))
	golden.Same(t, w, `words for "realtime": 0 tasks, 0 delays, 4 machines
words at 0 s, R=3, p=12, v=50
"m1" "the" 80 B
"m1" "of" 30 B
"m2" "the" 40 B
"" "a,b" 70 B
imported from counts: 6 read, 4 of a map's key left, as those of the same map and key add up
every value takes 10 B
the job is given 3 reduces, each working off 50 B/s, and 4 identical machines
`)
	w = golden.Must(t)(Import(golden.Files(t, data, "more.csv"), DefaultOptions()))
	golden.Holds(t, w, "more at 0 s, R=10, v=1e+06", `"" "a,b" 7 B`, `"m1" "of" 1 B`, "no words")
	if w.Machines.Value != 10 {
		t.Error(w.Machines)
	}
}

// TestSolvable: problem realtime takes the workload as it is: 14 B of keys in ten partitions, at a byte a second on
// each of ten machines.
func TestSolvable(t *testing.T) {
	opt := DefaultOptions()
	opt.ReduceRate = 1
	w := golden.Must(t)(Import(golden.Files(t, data, "words.csv"), opt))
	in, err := realtime.New(w, realtime.Options{})
	if err != nil {
		t.Fatal(err)
	}
	bytes, times := model.Bytes(0), model.Time(0)
	for k := range int32(in.Tasks) {
		bytes += in.Bytes[k]
		times += in.Time(k, 0)
	}
	if in.Goal != realtime.Partitions || in.Workers != 10 || in.Tasks != 10 || bytes != 14 || times != 14*model.Second {
		t.Errorf("goal %s, %d workers, %d partitions of %d B, %s s", in.Goal, in.Workers, in.Tasks, bytes, times)
	}
}

// TestBad imports every file of testdata/keys/bad.
func TestBad(t *testing.T) {
	golden.Bad(t, data+"/bad/*.csv", func(path string) (*model.Workload, error) {
		return Import(golden.Files(t, "", path), DefaultOptions())
	})
}

// TestRefused refuses bad options, a record without end, and an id that is too long.
func TestRefused(t *testing.T) {
	large := DefaultOptions()
	large.BytesPerValue = math.MaxInt32 // times 2^32 + 3 is above 2^63
	golden.Refused(t, "V210, V210, V210, V210, V210")(Import(golden.Files(t, data, "words.csv"), Options{Reduces: -1,
		Partitions: model.Some(int64(0)), Machines: model.Some(int64(1) << 40), ReduceRate: math.NaN()}))
	golden.Refused(t, "V204 f:2:5")(Import(golden.Text("map,key,count\nm,k,4294967299\n"), large))
	golden.Refused(t, "F106 f:2:1")(Import(golden.Endless("map,key,count\n", 'x'), DefaultOptions()))
	long := "map,key,count\nm," + strings.Repeat("k", trace.MaxID+1) + ",1\n"
	golden.Refused(t, "F106 f:2:3")(Import(golden.Text(long), DefaultOptions()))
}

// TestProperties: the bytes of each map and key are the sum of their counts, however the rows are spread over files.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type pair struct{ m, k string }
		want := map[pair]int64{}
		files := make([]strings.Builder, rapid.IntRange(1, 3).Draw(t, "files"))
		for i := range files {
			files[i].WriteString("map,key,count\n")
		}
		for range rapid.IntRange(1, 30).Draw(t, "rows") {
			p := pair{rapid.SampledFrom([]string{"", "m1", "m2"}).Draw(t, "map"),
				rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "key")}
			n := rapid.Int64Range(0, 1000).Draw(t, "count")
			fmt.Fprintf(&files[rapid.IntRange(0, len(files)-1).Draw(t, "file")], "%s,%s,%d\n", p.m, p.k, n)
			want[p] += n
		}
		var list []File
		for i := range files {
			list = append(list, File{Name: fmt.Sprint("f", i), Text: strings.NewReader(files[i].String())})
		}
		w, err := Import(list, DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		got := map[pair]int64{}
		for _, r := range w.Keys {
			got[pair{r.Map, r.Key}] = int64(r.Bytes)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(pair{})); diff != "" || len(w.Keys) != len(got) {
			t.Fatal(diff)
		}
	})
}

func FuzzImport(f *testing.F) {
	golden.Fuzz(f, data, func(files []File) (*model.Workload, error) { return Import(files, DefaultOptions()) })
}

func BenchmarkImport(b *testing.B) {
	var text bytes.Buffer
	text.WriteString("map,key,count\n")
	for i := range 1_000_000 {
		fmt.Fprintf(&text, "m%d,key%d,%d\n", i%59, i*7919%100_003, i%100)
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if _, err := Import([]File{{Name: "f", Text: bytes.NewReader(text.Bytes())}}, DefaultOptions()); err != nil {
			b.Fatal(err)
		}
	}
}
