package result

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"mrsched/model"
)

// tablesView is a slotView with two tables: the machines of the rows, and some numbers.
type tablesView struct {
	slotView
	rows int // of the second table
}

func (v tablesView) Tables(s *model.Schedule) []model.ResultTable {
	return []model.ResultTable{
		{Name: "where", Columns: []string{"row", "a,\"<b>\""}, Rows: func(yield func([]string) bool) {
			row := make([]string, 2)
			for k, e := range s.Entries {
				row[0], row[1] = strconv.Itoa(k), "<"+v.MachineName(e.Machine)+">"
				if !yield(row) {
					return
				}
			}
		}},
		{Name: "numbers", Columns: []string{"n", "square"}, Rows: func(yield func([]string) bool) {
			for k := range v.rows {
				if !yield([]string{strconv.Itoa(k), strconv.Itoa(k * k)}) {
					return
				}
			}
		}},
	}
}

// allTables are the tables of a result as its document has them.
func allTables(b *Bundle) []table {
	var all []table
	for _, t := range b.listed() {
		rows := [][]string{}
		for row := range t.Rows {
			rows = append(rows, slices.Clone(row))
		}
		all = append(all, table{t.Name, t.Columns, rows})
	}
	return all
}

// TestTables writes tables next to the schedule, reads them in both forms and compares them with those of the view.
func TestTables(t *testing.T) {
	view := tablesView{rows: 3}
	w, b := implied(t, view)
	dir := readBack(t, w, view, b)
	holds(t, dir, map[string]string{"where.csv": "row,\"a,\"\"<b>\"\"\"\n0,<s2>\n1,<s1>\n",
		"numbers.csv": "n,square\n0,0\n1,1\n2,4\n"})
	text := oneLine(t, b)
	if want := `,"tables":[{"name":"where","columns":["row","a,\"<b>\""],"rows":[["0","<s2>"],["1","<s1>"]]},{"name":"numbers",`; !bytes.Contains(text, []byte(want)) {
		t.Errorf("the document is %s", text)
	}
	if err := validate(t, text); err != nil {
		t.Error(err)
	}
	if err := b.WriteDir(dir, true); err != nil {
		t.Errorf("a result with tables cannot be replaced: %v", err)
	}
	try(t, os.WriteFile(filepath.Join(dir, "thesis.csv"), nil, 0o600))
	if err := b.WriteDir(dir, true); err == nil {
		t.Error("a file that is no table of the result was replaced")
	}
}

// slotView places the reduces that a job implies, r1, r2, …, on two slots, and has its own columns.
type slotView struct{ model.ViewDefaults }

func (slotView) Description() *model.Description { return &model.Description{} }

func (slotView) Scheduled() int { return 2 }

func (slotView) Size() int { return 2 }

func (slotView) MachineName(i int32) string { return fmt.Sprintf("s%d", i+1) }

func (v slotView) Machine(name string) (int32, bool) {
	for i := range int32(2) {
		if v.MachineName(i) == name {
			return i, true
		}
	}
	return 0, false
}

func (slotView) Evaluate(s *model.Schedule) model.Evaluation {
	return model.Evaluation{Name: "rows", Value: big.NewRat(int64(len(s.Entries)), 1)}
}

func (slotView) Check(*model.Schedule) []model.Violation { return nil }

func (slotView) Certify([]byte) (model.Certified, error) { return model.Certified{}, nil }

func (slotView) TaskCount() int { return 2 }

func (slotView) TaskName(i model.TaskIndex) (id, job string, kind model.TaskKind) {
	return fmt.Sprintf("r%d", i+1), "j", model.Reduce
}

func (v slotView) FindTask(id string) (model.TaskIndex, bool) {
	for i := range model.TaskIndex(2) {
		if name, _, _ := v.TaskName(i); name == id {
			return i, true
		}
	}
	return 0, false
}

// columnsView is a slotView with columns.
type columnsView struct{ slotView }

func (columnsView) Description() *model.Description {
	return &model.Description{Columns: []model.RowColumn{{Name: "rank"}, {Name: "a,\"<b>\""}}}
}

func (columnsView) Cells(e model.Entry) []string {
	return []string{fmt.Sprint(e.Machine), []string{"", "x\n,\"y\""}[e.Machine]}
}

// implied is a result of a workload without tasks.
func implied(t testing.TB, view model.View) (*model.Workload, *Bundle) {
	t.Helper()
	b := model.NewBuilder()
	b.Job(model.Job{ID: "j", Reduces: model.Some(int64(2))}, model.Locus{})
	w, err := b.Build()
	try(t, err)
	s := &model.Schedule{Entries: []model.Entry{{Task: 0, Machine: 1, End: model.Second},
		{Task: 1, Machine: 0, End: model.Second}}}
	r := &model.Result{Problem: "p", Algorithm: "hand", Status: model.StatusFeasible, Parameters: map[string]any{},
		Instance: Summary(w, strings.Repeat("0", 64), view)}
	try(t, Derive(r, view, s, nil, Promise{}, false))
	return w, sealed(t, New(r, view, s, nil))
}

// sealed is a new result with its digests.
func sealed(t testing.TB, b *Bundle) *Bundle {
	t.Helper()
	try(t, b.Seal())
	return b
}

// allRows are all rows of a result.
func allRows(b *Bundle) []Row {
	var all []Row
	for some := range b.Rows.All() {
		all = append(all, some...)
	}
	return all
}

// TestVirtualTasks writes and reads results of tasks that the workload does not list, with and without columns.
func TestVirtualTasks(t *testing.T) {
	for want, view := range map[string]model.View{
		"task,job,kind,machine,start,end\nr1,j,reduce,s2,0,1\nr2,j,reduce,s1,0,1\n":                                               slotView{},
		"task,job,kind,machine,start,end,rank,\"a,\"\"<b>\"\"\"\nr1,j,reduce,s2,0,1,1,\"x\n,\"\"y\"\"\"\nr2,j,reduce,s1,0,1,0,\n": columnsView{},
	} {
		w, b := implied(t, view)
		if b.Result.Instance.Tasks != 2 || b.Result.Instance.Jobs != 1 || b.Result.Instance.Machines != 2 {
			t.Errorf("%T: instance %+v", view, b.Result.Instance)
		}
		holds(t, readBack(t, w, view, b), map[string]string{ScheduleFile: want})
	}
}

// TestColumnsDocument: the columns' order is kept, and the schema accepts them.
func TestColumnsDocument(t *testing.T) {
	_, b := implied(t, columnsView{})
	text := oneLine(t, b)
	if want := `"end":1,"columns":{"rank":"1","a,\"<b>\"":"x\n,\"y\""}}`; !bytes.Contains(text, []byte(want)) {
		t.Errorf("no %s in %s", want, text)
	}
	for columns, ok := range map[string]bool{`{"rank":"1"}`: true, `{"rank":1}`: false, `{}`: false, `"rank"`: false} {
		changed := bytes.Replace(text, []byte(`{"rank":"1","a,\"<b>\"":"x\n,\"y\""}`), []byte(columns), 1)
		if err := validate(t, changed); (err == nil) != ok {
			t.Errorf("%s: schema says %v", columns, err)
		}
	}
}

// schemaOf compiles a schema.
func schemaOf(t *testing.T, text []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	try(t, err)
	c := jsonschema.NewCompiler()
	try(t, c.AddResource("schema.json", doc))
	return c.MustCompile("schema.json")
}

// validate returns the schema's objections to a document.
func validate(t *testing.T, text []byte) error {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	try(t, err)
	return schemaOf(t, Schema()).Validate(v)
}

// TestForeignColumns: columns that a view does not have are violations, and so are other names in rows.
func TestForeignColumns(t *testing.T) {
	_, b := implied(t, slotView{})
	rows := allRows(b)
	for k := range rows {
		rows[k].Columns = append(rows[k].Columns, Cell{"spare", "1"})
	}
	_, found := Schedule(slotView{}, RowsOf(rows))
	if !slices.Equal(codes(found), []model.Code{model.CodeRowContradicts}) || !strings.Contains(found[0].What, `spare="1"`) {
		t.Errorf("columns of a view without columns: %v", found)
	}
	rows[0].Task, rows[1].Job = "t1", "i"
	_, found = Schedule(slotView{}, RowsOf(rows))
	const contradicts = model.CodeRowContradicts
	if !slices.Equal(codes(found), []model.Code{model.CodeTaskUnknown, contradicts, contradicts}) {
		t.Errorf("names changed: %v", found)
	}
}

// TestBadColumns lists texts that are no rows with columns.
func TestBadColumns(t *testing.T) {
	const first = "task,job,kind,machine,start,end"
	for text, want := range map[string]string{
		first + ",rank,rank\n":              "header",
		first + ",end\n":                    "header",
		"job," + first + "\n":               "header",
		"task,job,kind,machine,start\n":     "header",
		first + ", task\nt,j,map,m,0,1,u\n": "in two ways",
		first + ",rank\nt,j,map,m,0,1\n":    "wrong number of fields",
		first + "\nt,j,map,m,0,1,2\n":       "wrong number of fields",
	} {
		if rows, _, err := rowsIn([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want %s", text, rows != nil, err, want)
		}
	}
	for _, text := range []string{`[]`, `"rank"`, `7`, `{"rank":1}`, `{"rank":{}}`, `{"rank":null}`} {
		var c Cells
		if err := json.Unmarshal([]byte(text), &c); err == nil {
			t.Errorf("%s reads as %v", text, c)
		}
	}
	rows := []Row{{Columns: Cells{{"a", "1"}}}, {}}
	if err := writeRows(&bytes.Buffer{}, RowsOf(rows)); err == nil {
		t.Error("rows with different columns are written")
	}
}
