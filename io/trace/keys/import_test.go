package keys

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
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

func read(t testing.TB, names ...string) []File {
	t.Helper()
	var list []File
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join(data, name))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, File{Name: filepath.Base(name), Text: bytes.NewReader(b)})
	}
	return list
}

// show prints a workload in words that an expectation can be written in.
func show(w *model.Workload) string {
	var b strings.Builder
	for _, j := range w.Jobs {
		fmt.Fprintf(&b, "%s %s m=%d R=%d p=%d v=%v\n", w.Problem, j.ID, w.Machines.Value, j.Reduces.Value, j.Partitions.Value,
			j.ReduceRate.Value)
	}
	for _, k := range w.Keys {
		fmt.Fprintf(&b, "%q %q %d B\n", k.Map, k.Key, k.Bytes)
	}
	return b.String()
}

// TestRules adds up by hand: "the" comes 3 + 5 times in m1 and 4 times in m2, "of" 2 + 1 times in m1, over both files.
func TestRules(t *testing.T) {
	w, err := Import(read(t, "words.csv", "more.csv"), Options{BytesPerValue: 10, Reduces: 3,
		Partitions: model.Some(int64(12)), Machines: model.Some(int64(4)), ReduceRate: 50})
	if err != nil {
		t.Fatal(err)
	}
	const want = `realtime words m=4 R=3 p=12 v=50
"m1" "the" 80 B
"m1" "of" 30 B
"m2" "the" 40 B
"" "a,b" 70 B
`
	if diff := cmp.Diff(want, show(w)); diff != "" {
		t.Error(diff)
	}
	notes := []string{"imported from counts: 6 read, 4 of a map's key left, as those of the same map and key add up",
		"every value takes 10 B",
		"the job is given 3 reduces, each working off 50 B/s, and 4 identical machines"}
	if diff := cmp.Diff(notes, w.Notes); diff != "" {
		t.Error(diff)
	}
	w, err = Import(read(t, "more.csv"), DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("realtime more m=10 R=10 p=0 v=1e+06\n\"\" \"a,b\" 7 B\n\"m1\" \"of\" 1 B\n", show(w)); diff !=
		"" || w.Jobs[0].Partitions.Known {
		t.Error(diff)
	}
}

// TestSolvable: problem realtime takes the workload as it is: 14 B of keys in ten partitions, at a byte a second on
// each of ten machines.
func TestSolvable(t *testing.T) {
	opt := DefaultOptions()
	opt.ReduceRate = 1
	w, err := Import(read(t, "words.csv"), opt)
	if err != nil {
		t.Fatal(err)
	}
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

// TestBad imports every file of testdata/keys/bad, named after the code that it provokes, and compares the whole
// message with the .golden file next to it.
func TestBad(t *testing.T) {
	golden.Bad(t, filepath.Join(data, "bad", "*.csv"), func(path string) (*model.Workload, error) {
		return Import(read(t, filepath.Join("bad", filepath.Base(path))), DefaultOptions())
	})
}

func TestOptions(t *testing.T) {
	bad := Options{BytesPerValue: 0, Reduces: -1, Partitions: model.Some(int64(0)), Machines: model.Some(int64(1) << 40),
		ReduceRate: math.NaN()}
	const want = `V210: 0 bytes a value; expected from 1 to 2147483647
V210: -1 reduces; expected from 1 to 2147483647
V210: 0 partitions; expected from 1 to 2147483647
V210: 1099511627776 machines; expected from 1 to 2147483647
V210: NaN bytes per second; expected a number above 0`
	if _, err := Import(read(t, "words.csv"), bad); err == nil || err.Error() != want {
		t.Error(err)
	}
	opt := DefaultOptions()
	opt.BytesPerValue = math.MaxInt32
	// 2^31 − 1 times 2^32 + 3 is above 2^63
	_, err := Import([]File{{Name: "f", Text: strings.NewReader("map,key,count\nm,k,4294967299\n")}}, opt)
	if err == nil || !strings.HasPrefix(err.Error(), "V204 f:2:5: ") {
		t.Error(err)
	}
}

// TestLong rejects an endless record and an id that is too long.
func TestLong(t *testing.T) {
	_, err := Import([]File{{Name: "f", Text: io.MultiReader(strings.NewReader("map,key,count\n"), endless{})}}, DefaultOptions())
	if err == nil || !strings.HasPrefix(err.Error(), "F106 f:2:1: ") {
		t.Error(err)
	}
	_, err = Import([]File{{Name: "f", Text: strings.NewReader("map,key,count\nm," + strings.Repeat("k", trace.MaxID+1) + ",1\n")}},
		DefaultOptions())
	if err == nil || err.Error() != "F106 f:2:3: key has 65537 bytes; expected at most 65536; hint: look for a missing "+
		"quote" {
		t.Error(err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for k := range p {
		p[k] = 'x'
	}
	return len(p), nil
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
	for _, pattern := range []string{"*.csv", "bad/*.csv"} {
		files, _ := filepath.Glob(filepath.Join(data, pattern))
		for _, path := range files {
			if b, err := os.ReadFile(path); err == nil {
				f.Add(b)
			}
		}
	}
	f.Fuzz(func(t *testing.T, counts []byte) {
		w, err := Import([]File{{Name: "f", Text: bytes.NewReader(counts)}}, DefaultOptions())
		if err != nil {
			if input, ok := err.(*model.InputError); !ok || len(input.Findings) == 0 || w != nil {
				t.Fatalf("workload %v, error %T %v", w, err, err)
			}
			return
		}
		if len(w.Jobs) != 1 || len(w.Keys) == 0 {
			t.Fatalf("%d jobs, %d keys", len(w.Jobs), len(w.Keys))
		}
	})
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
