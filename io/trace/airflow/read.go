package airflow

import (
	"bufio"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"mrsched/io/textpos"
	"mrsched/io/trace"
	"mrsched/model"
)

// record is a row of a table; cells that are null are empty.
type record struct {
	cell func(column string) string
	at   func(column string) model.Position
}

// first is the first of some columns that has a value.
func (r record) first(columns ...string) (text, column string) {
	for _, c := range columns {
		if text = r.cell(c); text != "" {
			return text, c
		}
	}
	return "", columns[0]
}

// table is a table that is recognised by columns that its rows have, of which some need only one, and by some that they
// lack.
type table struct {
	name             string
	has, some, lacks string
	uses             string // columns that are missed if they are not there
	json             string // the key of its rows in an answer of the REST API
	add              func(im *importer, r record)
}

const runColumns = "run_id dag_run_id execution_date logical_date"

var tables = []table{
	{"task_instance", "dag_id task_id state start_date", runColumns, "", "end_date hostname operator pool",
		"task_instances", (*importer).addTry},
	{"task_fail", "dag_id task_id start_date end_date", runColumns, "state reschedule_date", "", "", (*importer).addFail},
	{"edges", "upstream_task_id downstream_task_id dag_id", "", "", "", "", (*importer).addEdge},
	{"dag_dependencies", "source_dag_id target_dag_id", "", "", "", "", (*importer).addWait},
	{"serialized_dag", "dag_id data", "", "task_id", "", "", (*importer).addStored},
	{"slot_pool", "pool slots", "", "task_id", "", "pools", (*importer).addPool},
	{"dag", "dag_id", "schedule_interval timetable_summary sla_by", "task_id source_dag_id run_id", "", "dags",
		(*importer).addDag},
}

// read reads the files. A file that begins with { is JSON.
func (im *importer) read(files []trace.File) {
	for _, f := range files {
		text := bufio.NewReader(f.Text)
		in := trace.File{Name: f.Name, Text: text}
		first, _ := text.Peek(1)
		if string(first) == "{" || strings.HasSuffix(strings.TrimSuffix(f.Name, ".gz"), ".json") {
			im.readJSON(in)
		} else {
			im.readCSV(in)
		}
	}
	if len(im.tries) == 0 {
		trace.NothingLeft(&im.b.Findings, files, "no task has run", "a table task_instance with rows")
	} else if !im.current {
		trace.NothingLeft(&im.b.Findings, files, "there are tries that failed, but no table task_instance",
			"task_instance.csv, or task_instances of the REST API")
	}
}

// readCSV reads a table with a header. Fields are separated by commas or semicolons.
func (im *importer) readCSV(f trace.File) {
	found := &im.b.Findings
	r := trace.NewRecords(f, found)
	r.LazyQuotes = true // psql's bytea and JSON
	var header map[string]int
	var into *table
	var fields []string
	row := record{cell: func(column string) string {
		if k, ok := header[column]; ok && !null(fields[k]) {
			return fields[k]
		}
		return ""
	}, at: func(column string) model.Position { return r.At(header[column]) }}
	r.Each(func(list []string) bool {
		if header == nil {
			if len(list) == 1 && strings.Contains(list[0], ";") {
				list, r.Comma, r.FieldsPerRecord = strings.Split(list[0], ";"), ';', strings.Count(list[0], ";")+1
			}
			header = map[string]int{}
			for k, name := range list {
				header[strings.Clone(strings.Trim(name, "\" "))] = k
			}
			if into = tableOf(header); im.misnamed(r, f.Name, header) {
				return false
			} else if into == nil {
				im.untabled = append(im.untabled, filepath.Base(f.Name))
			} else if lacks := missing(header, into.uses); len(lacks) > 0 {
				im.bare = append(im.bare, filepath.Base(f.Name)+" has no column "+strings.Join(lacks, ", "))
			}
			return into != nil
		}
		fields = list
		into.add(im, row)
		return true
	}, func(list []string) bool {
		r.Report(model.CodeRowShape, 0, model.Counted(len(list), "field")+" in this line",
			model.Counted(len(header), "field")+", as in the header", "")
		return true
	})
}

// null says whether a cell stands for no value.
func null(text string) bool { return text == "" || text == `\N` || text == "NULL" || text == "None" }

// missing are those of some columns that a header has not.
func missing(header map[string]int, columns string) []string {
	return slices.DeleteFunc(strings.Fields(columns), func(c string) bool { _, ok := header[c]; return ok })
}

// any says whether a header has one of some columns.
func any(header map[string]int, columns string) bool {
	return len(missing(header, columns)) < len(strings.Fields(columns))
}

// tableOf is the table whose columns a header has; nil: none.
func tableOf(header map[string]int) *table {
	k := slices.IndexFunc(tables, func(t table) bool {
		return len(missing(header, t.has)) == 0 && (t.some == "" || any(header, t.some)) && !any(header, t.lacks)
	})
	if k < 0 {
		return nil
	}
	return &tables[k]
}

// misnamed reports a file that is named like a table and lacks columns of it.
func (im *importer) misnamed(r *textpos.Records, name string, header map[string]int) bool {
	k := slices.IndexFunc(tables, func(t table) bool {
		return strings.TrimSuffix(textpos.Stem(name, ".gz", ".csv"), "_history") == t.name
	})
	if k < 0 {
		return false
	}
	lacks := missing(header, tables[k].has)
	if some := tables[k].some; some != "" && !any(header, some) {
		lacks = append(lacks, strings.ReplaceAll(some, " ", " or "))
	}
	if len(lacks) > 0 {
		r.Report(model.CodeMissing, 0, "the table "+tables[k].name+" lacks the column "+strings.Join(lacks, ", "),
			"the columns "+strings.ReplaceAll(tables[k].has, " ", ", "), "a file that is another table needs another name")
	}
	return len(lacks) > 0
}

// answer is an answer of the REST API, or one page of it.
type answer struct {
	Instances []map[string]trace.Value `json:"task_instances"`
	Tasks     []map[string]trace.Value `json:"tasks"`
	Pools     []map[string]trace.Value `json:"pools"`
	Dags      []map[string]trace.Value `json:"dags"`
}

// readJSON reads answers one after another.
func (im *importer) readJSON(f trace.File) {
	d := trace.NewDocument(f, "answers of Airflow's REST API", "the answer", &im.b.Findings)
	for {
		var a answer
		if !d.Next(&a) {
			return
		}
		for _, t := range tables {
			for _, values := range map[string][]map[string]trace.Value{"task_instances": a.Instances, "pools": a.Pools,
				"dags": a.Dags}[t.json] {
				t.add(im, recordOf(d, values))
			}
		}
		if name := filepath.Base(f.Name); a.Instances == nil && a.Tasks == nil && a.Pools == nil && a.Dags == nil &&
			!slices.Contains(im.untabled, name) {
			im.untabled = append(im.untabled, name)
		}
		if len(a.Tasks) > 0 {
			var tasks []record
			for _, values := range a.Tasks {
				tasks = append(tasks, recordOf(d, values))
			}
			im.listed = append(im.listed, func() { im.adopt(textpos.Stem(f.Name, ".gz", ".json"), tasks) })
		}
	}
}

// recordOf is an object of an answer.
func recordOf(d *trace.Document, values map[string]trace.Value) record {
	return record{cell: func(column string) string {
		raw := values[column].Raw
		if strings.HasPrefix(raw, `"`) {
			raw = textpos.Unquote([]byte(raw))
		}
		if null(raw) {
			return ""
		}
		return raw
	}, at: func(column string) model.Position {
		if v := values[column]; v.Raw != "" {
			return d.Position(v)
		}
		for _, c := range []string{"task_id", "dag_id", "name"} {
			if v := values[c]; v.Raw != "" {
				return d.Position(v)
			}
		}
		return model.Position{File: d.In.Position(0).File}
	}}
}

// parseTime reads a time as databases and APIs write it, in microseconds since 1970; offset says whether it states one.
func parseTime(text string) (micros int64, offset, ok bool) {
	var c trace.Clock
	t, ok := c.Parse(strings.NewReplacer(" +", "+", " -", "-").Replace(text))
	if !ok || t.Year() < 1970 {
		return 0, false, false
	}
	return t.UnixMicro(), c.Stated, true
}

// clock is a time in words.
func clock(micros int64) string { return time.UnixMicro(micros).UTC().Format("2006-01-02T15:04:05Z") }

// time is the time in a column; false if it is null, or after a finding.
func (im *importer) time(r record, column string) (int64, bool) {
	text := r.cell(column)
	if text == "" {
		return 0, false
	}
	t, offset, ok := parseTime(text)
	if !ok {
		im.b.Findings.Add(model.Finding{Code: model.CodeNumber, Pos: r.at(column), Like: column,
			What: column + " " + textpos.Quoted(text) + " is no time", Expected: "a time such as 2026-11-20 22:00:07.98+00"})
	} else if !offset {
		im.count[naive]++
	}
	return t, ok
}

// number is the whole number in a column; otherwise if it is null, or after a finding.
func (im *importer) number(r record, column string, otherwise int64) int64 {
	text := r.cell(column)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseInt(strings.TrimSuffix(text, ".0"), 10, 32)
	if err != nil {
		im.b.Findings.Add(textpos.NumberFinding(r.at(column), column, text, err, "a whole number"))
		return otherwise
	}
	return n
}

// id is a text that may not be empty.
func (im *importer) id(r record, columns ...string) string {
	text, column := r.first(columns...)
	if text == "" || len(text) > trace.MaxID {
		im.b.Findings.Add(model.Finding{Code: model.CodeMissing, Pos: r.at(column), Like: column,
			What: column + " is missing or empty", Expected: "an id"})
		return ""
	}
	return strings.Clone(text)
}
