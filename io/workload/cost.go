package workload

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mrsched/io/textpos"
	"mrsched/model"
)

// costKey is the key of the scalar that is an object.
const costKey = "cost"

var costColumns, remoteColumns = columnsOf[costRow](), columnsOf[remoteRow]()

// objectOf prepares to read objects whose keys are columns; the caller sets the cells.
func objectOf(d *document, columns []column) *object {
	return &object{document: d, columns: columns, offsets: make([]int64, len(columns)), bad: make([]bool, len(columns))}
}

// values converts the cells of the object that was read last.
func (o *object) values() values {
	return values{findings: &o.lane.findings, columns: o.columns, file: o.file, at: o.at, bad: o.bad}
}

// readCost reads the object with the costs of tasks. It is nil if the object is absent or too wrong to be checked
// further, which is then reported.
func (d *document) readCost() (*model.AssignmentCost, error) {
	if k := d.Dec.PeekKind(); k != '{' && k != jsontext.KindInvalid {
		if k != 'n' {
			d.reportType(costKey, '{', k)
		}
		return nil, d.Dec.SkipValue()
	}
	var row costRow
	var remote model.Optional[model.RemoteCost]
	o := objectOf(d, costColumns)
	o.cells = cellsOf(&row)
	o.nested = func(int) (ok bool, err error) {
		remote, ok, err = d.readRemote(&row.Remote)
		return ok, err
	}
	if err := o.read(); err != nil {
		return nil, err
	}
	v := o.values()
	local := v.time("local", v.need("local", row.Local))
	rack := v.time("rack", row.Rack)
	if !remote.Known {
		base := v.time("remote", v.need("remote", row.Remote))
		remote = model.Optional[model.RemoteCost]{Value: model.RemoteCost{Base: base.Value}, Known: base.Known}
	}
	if !local.Known || !remote.Known {
		return nil, nil
	}
	return &model.AssignmentCost{Local: local.Value, Rack: rack, Remote: remote.Value}, nil
}

// readRemote reads the cost of remote tasks: a table, an affine function, or one number into its cell. ok is false if
// an error was reported.
func (d *document) readRemote(cell *string) (cost model.Optional[model.RemoteCost], ok bool, err error) {
	switch k := d.Dec.PeekKind(); k {
	case '{':
		cost, err = d.readAffine()
		return cost, cost.Known, err
	case '[':
		cost, err = d.readCostTable()
		return cost, cost.Known, err
	case '0', '"', 'n', jsontext.KindInvalid:
		number := column{name: "remote", kind: kinds["time"]}
		_, ok, err = d.cell(&number, cell)
		return cost, ok, err
	default:
		d.report(model.CodeType, d.PeekOffset(), "remote is "+textpos.KindNames[k], kinds["remote"].expects, "")
		return cost, false, d.Dec.SkipValue()
	}
}

// readAffine reads {"base":…,"per_remote":…}.
func (d *document) readAffine() (cost model.Optional[model.RemoteCost], err error) {
	var row remoteRow
	o := objectOf(d, remoteColumns)
	o.cells = cellsOf(&row)
	if err := o.read(); err != nil {
		return cost, err
	}
	v := o.values()
	base := v.time("base", v.need("base", row.Base))
	per := v.time("per_remote", row.PerRemote)
	v.tooSmall("per_remote", row.PerRemote, per.Known && per.Value == 0, "write 0 if the cost does not grow")
	cost.Value = model.RemoteCost{Base: base.Value, PerRemote: per.Value}
	cost.Known = base.Known && (per.Known || row.PerRemote == "" && !v.bad[find(v.columns, "per_remote")])
	return cost, nil
}

// readCostTable reads the costs by the number of remote tasks.
func (d *document) readCostTable() (cost model.Optional[model.RemoteCost], err error) {
	start := d.PeekOffset()
	if _, err := d.Dec.ReadToken(); err != nil {
		return cost, err
	}
	cost.Known = true
	var at int64
	entry := []column{{kind: kinds["time"]}}
	v := values{findings: &d.lane.findings, columns: entry, file: d.file,
		at: func(int) place { return placeOf(d.In.Position(at)) }}
	for r := 0; ; r++ {
		k := d.Dec.PeekKind()
		if k == ']' {
			break
		}
		entry[0].name = fmt.Sprintf("remote[%d]", r)
		if k == 'n' { // elsewhere a null is an absent value
			d.reportType(entry[0].name, '0', k)
			cost.Known = false
			if err := d.Dec.SkipValue(); err != nil {
				return cost, err
			}
			continue
		}
		text, ok := "", false
		if at, ok, err = d.cell(&entry[0], &text); err != nil {
			return cost, err
		}
		value := v.time(entry[0].name, text)
		cost.Known = cost.Known && ok && value.Known
		cost.Value.Table = append(cost.Value.Table, value.Value)
	}
	if _, err := d.Dec.ReadToken(); err != nil {
		return cost, err
	}
	if cost.Known && len(cost.Value.Table) == 0 {
		d.report(model.CodeMissing, start, "remote is an empty table", "at least one number", "")
		cost.Known = false
	}
	return cost, nil
}

// costText is the canonical JSON of a cost, "" if there is none.
func costText(c *model.AssignmentCost) string {
	if c == nil {
		return ""
	}
	var b strings.Builder
	b.WriteString(`{"local":` + c.Local.String())
	if c.Rack.Known {
		b.WriteString(`,"rack":` + c.Rack.Value.String())
	}
	b.WriteString(`,"remote":`)
	switch r := &c.Remote; {
	case len(r.Table) > 0:
		texts := make([]string, len(r.Table))
		for i, t := range r.Table {
			texts[i] = t.String()
		}
		b.WriteString("[" + strings.Join(texts, ",") + "]")
	case r.PerRemote != 0:
		b.WriteString(`{"base":` + r.Base.String() + `,"per_remote":` + r.PerRemote.String() + `}`)
	default:
		b.WriteString(r.Base.String())
	}
	b.WriteByte('}')
	return b.String()
}

// notesKey is the key of the list of notes, the only value that is neither a table nor a column.
const notesKey = "notes"

var scalarColumns = columnsOf[scalarRow]()

// scalars reads the values of a document that are outside its tables.
type scalars struct {
	*document
	row     scalarRow
	columns []column
	cells   []*string
	places  []place         // of the columns; zero if absent
	seen    map[string]bool // keys of the document
	notes   []string
	cost    *model.AssignmentCost
	start   place
	stated  bool // the document states its format, be it the right one or not
}

// scalars starts after the document's opening brace.
func (d *document) scalars() *scalars {
	s := &scalars{document: d, columns: scalarColumns, places: make([]place, len(scalarColumns)), seen: map[string]bool{},
		start: placeOf(d.In.Position(d.Dec.InputOffset() - 1))}
	s.cells = cellsOf(&s.row)
	return s
}

// read reads one scalar. An unknown format ends the reading, because nothing else can be understood.
func (s *scalars) read(i int) error {
	c := &s.columns[i]
	k := s.Dec.PeekKind()
	if c.nested {
		s.places[i] = placeOf(s.In.Position(s.PeekOffset()))
		var err error
		s.cost, err = s.readCost()
		return err
	}
	at, _, err := s.cell(c, s.cells[i])
	if err != nil {
		return err
	}
	s.places[i] = placeOf(s.In.Position(at))
	switch c.name {
	case "format":
	case "origin":
		s.readOrigin(s.row.Origin, s.places[i])
		return nil
	default:
		return nil
	}
	s.stated = k != 'n'
	if k == '"' && s.row.Format != Format {
		return &textpos.Stop{Finding: model.Finding{Code: model.CodeFormat, Pos: s.In.Position(at),
			What: "the format is " + textpos.Quoted(s.row.Format), Expected: c.expects, Hint: otherFormat(s.row.Format)}}
	}
	return nil
}

// otherFormat is a hint if the document is of another format of mrsched.
func otherFormat(format string) string {
	switch kind, _, _ := strings.Cut(format, "/"); kind {
	case "mrsched-result":
		return resultHint
	case "mrsched-sweep":
		return "this is a spec: mrsched sweep runs it"
	}
	return ""
}

const resultHint = "this is a result; name the workload that it is of"

func (s *scalars) readNotes() error {
	if done, err := s.enter('[', notesKey); done || err != nil {
		return err
	}
	note := column{name: "a note", kind: kinds["text"]}
	for {
		if k := s.Dec.PeekKind(); k == ']' || k == jsontext.KindInvalid {
			_, err := s.Dec.ReadToken()
			return err
		}
		text := ""
		if _, _, err := s.cell(&note, &text); err != nil {
			return err
		}
		s.notes = append(s.notes, text)
	}
}

// finish checks the scalars and hands them to the builder.
func (s *scalars) finish() {
	v := values{findings: &s.lane.findings, columns: s.columns, file: s.file, at: func(i int) place {
		if s.places[i] != (place{}) {
			return s.places[i]
		}
		return s.start
	}}
	if !s.stated {
		v.report(model.CodeFormat, "format", "the document has no format", kinds["format"].expects,
			fmt.Sprintf(`add "format":%q`, Format))
	}
	machines := v.count("machines", s.row.Machines)
	if machines.Known && machines.Value == 0 {
		v.report(model.CodeNoMachines, "machines", "machines is 0", "at least 1",
			"leave it out if a topology says how many there are")
	}
	running := v.count("max_running_jobs", s.row.Running)
	v.notZero("max_running_jobs", running.Known && running.Value == 0, "leave it out if there is no limit")
	name, problem, notes := s.row.Name, s.row.Problem, s.notes
	origin := s.lane.origin.value
	cost, at := s.cost, model.Locus{Pos: v.at(find(s.columns, costKey)).in(s.file)}
	s.lane.out <- func(b *model.Builder) {
		b.Scalars(name, problem, machines, notes)
		b.MaxRunningJobs(running)
		b.Origin(origin)
		if cost != nil {
			b.Cost(*cost, at)
		}
	}
}
