package workload

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"mrsched/io/disk"
	"mrsched/model"
	"mrsched/model/tier"
)

// same compares two workloads, except for positions.
var same = cmp.Options{cmpopts.IgnoreUnexported(model.Workload{}), cmpopts.IgnoreFields(model.Workload{}, "Skipped"),
	cmpopts.EquateEmpty(), cmpopts.EquateComparable(model.Origin{})}

// anyText is any text that CSV can keep.
var anyText = rapid.Custom(func(t *rapid.T) string {
	special := rapid.SampledFrom([]rune("a, \"'\n\r\t\\é日\x00\ufeff"))
	s := rapid.OneOf(rapid.String(), rapid.StringOf(special)).Draw(t, "text")
	s = strings.ToValidUTF8(s, "?")
	for strings.Contains(s, "\r\n") { // CSV cannot keep it; see TestKeepable
		s = strings.ReplaceAll(s, "\r\n", "\n")
	}
	return s
})

// idStarts are beginnings of ids: some are what a spreadsheet would run, with and without apostrophes before it.
var idStarts = []string{"i", "i", "=", "+", "-", "@", "\t", "'", "'=", "''-", "'7"}

// anyCost is any cost that a Builder accepts.
var anyCost = rapid.Custom(func(t *rapid.T) model.AssignmentCost {
	anyTime := rapid.Map(rapid.Int64Range(0, 1<<50), func(v int64) model.Time { return model.Time(v) })
	costs := rapid.SliceOfN(anyTime, 3, 6).Draw(t, "costs")
	slices.Sort(costs)
	c := model.AssignmentCost{Local: costs[0], Remote: model.RemoteCost{Base: costs[2]}}
	switch rapid.IntRange(0, 3).Draw(t, "form") {
	case 1:
		c.Remote.PerRemote = anyTime.Draw(t, "per remote")
	case 2:
		c.Remote = model.RemoteCost{Table: costs[1:]}
	case 3:
		c.Rack = model.Some(costs[1])
	}
	return c
})

// drawing draws a document like small: copies of its rows with other ids, texts and numbers.
type drawing struct {
	*rapid.T
	copy   int
	ids    map[string]string // by that in small and the copy; there is one root
	stated []string          // numbers, as the canonical document has them
	last   int64             // number of the row
	table  string            // of the row
}

func (d *drawing) id(old string) string {
	if old != "top" {
		old += fmt.Sprint(" of ", d.copy)
	}
	if d.ids[old] == "" {
		start := rapid.SampledFrom(idStarts).Draw(d.T, "start")
		d.ids[old] = start + fmt.Sprint(len(d.ids)) + anyText.Draw(d.T, "id")
	}
	return d.ids[old]
}

// number draws one that a column takes.
func (d *drawing) number(c column) json.RawMessage {
	if c.most == "" { // in floating point
		least := map[bool]float64{true: math.SmallestNonzeroFloat64}[c.above]
		v := rapid.Float64Range(least, math.MaxFloat64).Draw(d.T, c.name)
		return strconv.AppendFloat(nil, v, 'g', -1, 64)
	}
	digits, least, most := 6, int64(0), int64(math.MaxInt64)
	switch {
	case c.whole:
		digits = 0
		least, _ = strconv.ParseInt(c.least, 10, 64)
		most, _ = strconv.ParseInt(c.most, 10, 64)
	case c.name == "until" || c.name == "end": // comes behind from, or start
		if least, most = d.last+1, d.last+1<<50; !c.signed {
			least, most = max(least, 0), max(most, 0)
		}
	case c.name == "now": // after what has happened
		least, most = 1<<52, 1<<52
	case c.name == "start" && d.table == "fixed": // after now
		least, most = 1<<52, 1<<53
	case c.unit != "":
		most = 1 << 50
	}
	if c.signed && c.name == "start" && d.table != "fixed" {
		least = -most
	}
	d.last = rapid.Int64Range(least, most).Draw(d.T, c.name)
	text := model.FormatFixed(d.last, digits)
	if d.last != 0 || !c.omit {
		d.stated = append(d.stated, fmt.Sprintf("%q:%s", c.name, text))
	}
	return json.RawMessage(text)
}

// row draws other values for a row of small.
func (d *drawing) row(columns []column, old map[string]any) map[string]any {
	row := map[string]any{}
	d.last = 0
	for _, c := range columns {
		was, isText := old[c.name].(string)
		drawn := c.required || c.name == "now" || rapid.Bool().Draw(d.T, c.name+"?")
		switch {
		case c.kind.name == "id" || c.kind.name == "ref":
			if isText && (drawn || c.name != "block") {
				row[c.name] = d.id(was)
			}
		case c.words != nil:
			row[c.name] = was
		case !drawn || c.name == "remaining" && row["end"] != nil:
		case c.number:
			row[c.name] = d.number(c)
		case c.kind.name == "text":
			row[c.name] = "n" + anyText.Draw(d.T, c.name)
		case c.kind.name == "object":
			cost := anyCost.Draw(d.T, c.name)
			row[c.name] = json.RawMessage(costText(&cost))
		default:
			row[c.name] = rapid.SampledFrom([]string{"22:00", "6:00:07", "2026-11-23T22:00", "0000-01-01 00:00",
				"9999-12-31T23:59:59Z", "2028-02-29 10:00:30+0530", "1969-07-20T20:17:40-03:30"}).Draw(d.T, c.name)
		}
	}
	return row
}

// Tables that a document without a topology, or without tasks, does not have.
const (
	nodeTables = " topology times capacities eligible unavailable fixed state "
	taskTables = " jobs tasks delays placements partitions keys times demands dependencies eligible fixed state "
)

// anyDocument is a document of any workload, and the numbers that it states.
func anyDocument(t *rapid.T) (doc []byte, stated []string) {
	d := &drawing{T: t, ids: map[string]string{}}
	var rows map[string]any
	try(t, json.Unmarshal([]byte(small), &rows))
	out := d.row(scalarColumns, rows)
	out["notes"] = rapid.SliceOfN(anyText, 0, 3).Draw(t, "notes")
	without := rapid.SampledFrom([]string{"", "", "", nodeTables, taskTables, nodeTables + taskTables}).Draw(t, "without")
	copies := rapid.IntRange(1, 3).Draw(t, "copies")
	for _, table := range tables {
		name, list := table.tableName(), []any{}
		d.table = name
		for d.copy = range copies {
			for _, x := range rows[name].([]any) {
				old := x.(map[string]any)
				optional := name != "jobs" && name != "tasks" && name != "topology"
				if strings.Contains(without, " "+name+" ") || old["id"] == "top" && d.copy > 0 ||
					optional && rapid.IntRange(0, 3).Draw(t, "left out") == 0 {
					continue
				}
				list = append(list, d.row(table.tableColumns(), old))
			}
		}
		out[name] = list
	}
	if d.copy = 9; without != "" || rapid.Bool().Draw(t, "implied") {
		reduces := rapid.Int64Range(1, maxCount).Draw(t, "reduces")
		out["jobs"] = append(out["jobs"].([]any), map[string]any{"id": d.id("implied"), "reduces": reduces})
	}
	doc, err := json.Marshal(out)
	try(t, err)
	return doc, d.stated
}

// unbounded allows any number of slots and reduces, which are never made here.
var unbounded = Options{MaxCount: math.MaxInt64}

func init() { tier.Rapid(40) }

// TestRoundTrip: workloads are read as they were written, in each form, and their documents fit the schema.
func TestRoundTrip(t *testing.T) {
	tier.Slow(t)
	schema := compiled(t)
	rapid.Check(t, func(t *rapid.T) {
		drawn, stated := anyDocument(t)
		w, err := ReadBytes(drawn, "w", unbounded)
		for _, f := range findings(err) { // equal rows by chance, or only placements that no task reads
			if f.Code == model.CodeDuplicate || f.Code == model.CodeUnknownBlock {
				t.Skip(err)
			}
		}
		try(t, err)
		var packed bytes.Buffer
		doc := docOf(t, w)
		for _, number := range stated {
			if !bytes.Contains(doc, []byte(number)) {
				t.Errorf("%s is lost in %s", number, doc)
			}
		}
		if err := validate(schema, doc); err != nil {
			t.Fatalf("%v\n%s", err, doc)
		}
		try(t, disk.Compress(&packed, "w.gz", func(out io.Writer) error { return WriteJSON(out, w) }))
		for _, text := range [][]byte{doc, packed.Bytes()} {
			back, err := ReadBytes(text, "w", unbounded)
			compare(t, "JSON", w, back, err)
		}
		throughCSV(t, w, rapid.Bool().Draw(t, "gzip"), unbounded)
	})
}

func compare(t rapid.TB, what string, want, got *model.Workload, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if d := cmp.Diff(want, got, same); d != "" {
		t.Fatalf("%s: (-written +read)\n%s", what, d)
	}
	if a, b := Digest(want), Digest(got); a != b || len(a) != 64 {
		t.Fatalf("%s: digest %q, then %q", what, a, b)
	}
}

// try fails a test that met an error.
func try(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// docOf is the JSON of a workload.
func docOf(t rapid.TB, w *model.Workload) []byte {
	t.Helper()
	var doc bytes.Buffer
	try(t, WriteJSON(&doc, w))
	return doc.Bytes()
}

// throughCSV compares a workload with what a directory of it is read as.
func throughCSV(t rapid.TB, w *model.Workload, packed bool, o Options) {
	t.Helper()
	files, err := csvFiles(w, packed)
	try(t, err)
	back, err := readDirectory(files, "w", o)
	compare(t, "CSV", w, back, err)
}

// csvFiles is the directory of a workload in memory.
func csvFiles(w *model.Workload, packed bool) (fstest.MapFS, error) {
	files := fstest.MapFS{}
	err := writeTables(func(name string, write func(io.Writer) error) error {
		if packed {
			name += gzSuffix
		}
		var buf bytes.Buffer
		err := disk.Compress(&buf, name, write)
		files[name] = &fstest.MapFile{Data: buf.Bytes()}
		return err
	}, w)
	return files, err
}

func FuzzReadJSON(f *testing.F) {
	for _, doc := range []string{small, strings.ReplaceAll(small, "\n", ""), "{}",
		`{"format":"mrsched-workload/1","jobs":[{"id":"\u0000"}],"tasks":[null]}`, "\xef\xbb\xbf[]"} {
		f.Add([]byte(doc), false)
	}
	f.Add([]byte(`{"format":"mrsched-workload/1","origin":"22:00","machines":1,"jobs":[{"id":"a","release":"6:00",`+
		`"deadline":"23:00","reduces":1,"intermediate_bytes":"1.5kB","map_work":"2d 3h"}]}`), false)
	matches, err := filepath.Glob("../../testdata/malformed/*.json")
	try(f, err)
	for _, name := range matches {
		f.Add(readFile(f, name), true)
	}
	f.Fuzz(func(t *testing.T, doc []byte, allow bool) {
		w, err := ReadBytes(doc, "w", Options{AllowUnknown: allow})
		checkRead(t, w, err)
	})
}

func FuzzReadCSV(f *testing.F) {
	all := map[string]string{}
	for name, file := range smallFiles() {
		all[name] = string(file.Data)
	}
	for _, seed := range []map[string]string{all,
		{"workload.json": `{"format":"mrsched-workload/1"}`, "jobs.csv": "\xef\xbb\xbfid\r\n\"j\r\"\r\n",
			"tasks.csv": "id,job,kind,block\nt,\"j\r\",map,b\n", "slots.csv": "id,node,cost\ns,n,0.5\ns2,x,1e400\n"},
		{"workload.json": `{"format":"mrsched-workload/1","origin":"2026-11-23T22:00+01:00"}`,
			"jobs.csv":   "id,release,deadline,map_bytes_per_s,,\nj,22:30,2026-11-24T06:00Z,10Gbit/s,,\n,,,,,\n",
			"tasks.csv":  "Id,job,kind,processing_time\nt,j,map,1h30m\n",
			"delays.csv": "from,to,delay\nt,t,.5ms\n", "partitions.csv": "job,partition,bytes\nj,p,64MiB\n"},
		{"workload.json": `{"format":"mrsched-workload/1","origin":"22:00"}`, "jobs.csv": "id\ni\nj\n",
			"tasks.csv": "id,job,kind\ns,i,map\nt,j,map\n", "topology.csv": "id,parent,kind\nr,,root\nn,r,node\n",
			"dependencies.csv": "job,after,delay\nj,i,90s\n", "eligible.csv": "job,task,place\nj,,r\n,s,n\n",
			"unavailable.csv": "node,from,until\nn,23:00,23:30\nn,2:00,\n",
			"fixed.csv":       "task,node,start\ns,n,-1h30m\nt,n,22:00\n"},
	} {
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(seed)) {
			parts = append(parts, name+"\x00"+seed[name])
		}
		f.Add(strings.Join(parts, "\x00"))
	}
	f.Fuzz(func(t *testing.T, directory string) { // a name and a text in turn
		files := fstest.MapFS{}
		for part := range slices.Chunk(strings.Split(directory, "\x00"), 2) {
			if len(part) == 2 && fs.ValidPath(part[0]) {
				files[part[0]] = &fstest.MapFile{Data: []byte(part[1])}
			}
		}
		w, err := readDirectory(files, "w", Options{})
		checkRead(t, w, err)
		if err != nil {
			return
		}
		if _, err := csvFiles(w, false); err == nil || !strings.Contains(err.Error(), "cannot be kept in CSV") {
			throughCSV(t, w, false, Options{})
		}
	})
}

// checkRead requires findings or a workload that can be written and read again.
func checkRead(t *testing.T, w *model.Workload, err error) {
	t.Helper()
	if err != nil {
		e, ok := err.(*model.InputError)
		if !ok || w != nil || len(e.Findings) == 0 {
			t.Fatalf("workload %v, error %v", w, err)
		}
		for _, f := range e.Findings {
			if f.Code == "" || f.Pos.File == "" || f.What == "" {
				t.Fatalf("incomplete finding %+v", f)
			}
		}
		return
	}
	back, err := ReadBytes(docOf(t, w), "w", Options{})
	compare(t, "JSON", w, back, err)
}
