package workload

import (
	"fmt"
	"strings"

	"mrsched/io/textpos"
	"mrsched/model"
)

// costKey is the key of the scalar that is an object.
const costKey = "cost"

var costColumns, remoteColumns = columnsOf[costRow](), columnsOf[remoteRow]()

// branch is an object of few values as a tree, whose keys are columns.
type branch struct {
	values
	texts map[string]string // of columns that are not nested
	nodes map[string]*textpos.Node
}

// branch takes the values of an object, and reports other keys and values of wrong types.
func (d *document) branch(n *textpos.Node, columns []column) *branch {
	b := &branch{texts: map[string]string{}, nodes: map[string]*textpos.Node{}}
	b.values = values{findings: &d.intake.findings, columns: columns, file: d.file, bad: make([]bool, len(columns)),
		at: func(i int) place {
			if value := b.nodes[columns[i].name]; value != nil {
				return placeOf(value.Pos)
			}
			return placeOf(n.Pos)
		}}
	for _, m := range n.Members {
		i := find(columns, m.Name)
		if i < 0 {
			d.unknownKey(m.Name, m.Pos, columnNames(columns))
			continue
		}
		if b.nodes[m.Name] = m.Value; !columns[i].nested {
			text, ok := d.leaf(&columns[i], m.Value)
			b.texts[m.Name], b.bad[i] = text, !ok
		}
	}
	return b
}

// leaf is the text of a value of a column; "" for null. What is wrong with it is reported: ok is false.
func (d *document) leaf(c *column, n *textpos.Node) (text string, ok bool) {
	switch {
	case n.Kind == 'n':
		return "", true
	case !c.takes(n.Kind):
		d.reportType(c.name, c.jsonKind(), n.Kind, n.Offset)
		return "", false
	}
	return n.Text, d.accept(c, n.Kind, []byte(n.Text), len(n.Text)+len(`""`), n.Offset)
}

// readCost reads the object with the costs of tasks. It is nil if the object is absent or too wrong to be checked
// further, which is then reported.
func (d *document) readCost() (*model.AssignmentCost, error) {
	n, err := d.Node()
	switch {
	case err != nil || n.Kind == 'n':
		return nil, err
	case n.Kind != '{':
		d.reportType(costKey, '{', n.Kind, n.Offset)
		return nil, nil
	}
	b := d.branch(n, costColumns)
	local := number(&b.values, b.column("local"), b.need("local", b.texts["local"]), model.ParseTime)
	rack := number(&b.values, b.column("rack"), b.texts["rack"], model.ParseTime)
	remote := d.remote(b)
	if !local.Known || !remote.Known {
		return nil, nil
	}
	return &model.AssignmentCost{Local: local.Value, Rack: rack, Remote: remote.Value}, nil
}

// remote is the cost of remote tasks: a table, an affine function, or one number. It is unknown if that was reported.
func (d *document) remote(b *branch) (cost model.Optional[model.RemoteCost]) {
	single, n := column{name: "remote", kind: kinds["time"]}, b.nodes["remote"]
	switch {
	case n == nil || single.takes(n.Kind):
		text, ok := "", true
		if n != nil {
			text, ok = d.leaf(&single, n)
		}
		b.bad[find(b.columns, "remote")] = !ok
		base := number(&b.values, b.column("remote"), b.need("remote", text), model.ParseTime)
		cost.Value.Base, cost.Known = base.Value, base.Known
	case n.Kind == '[':
		return d.costTable(n)
	case n.Kind == '{':
		f := d.branch(n, remoteColumns)
		base := number(&f.values, f.column("base"), f.need("base", f.texts["base"]), model.ParseTime)
		text := f.texts["per_remote"]
		per := number(&f.values, f.column("per_remote"), text, model.ParseTime)
		f.tooSmall("per_remote", text, per.Known && per.Value == 0, "write 0 if the cost does not grow")
		cost.Value = model.RemoteCost{Base: base.Value, PerRemote: per.Value}
		cost.Known = base.Known && (per.Known || text == "" && !f.bad[find(f.columns, "per_remote")])
	default:
		d.report(model.CodeType, n.Offset, "remote is "+textpos.KindNames[n.Kind], kinds["remote"].expects, "")
	}
	return cost
}

// costTable are the costs by the number of remote tasks.
func (d *document) costTable(n *textpos.Node) (cost model.Optional[model.RemoteCost]) {
	cost.Known = len(n.Items) > 0
	for r, item := range n.Items {
		entry := []column{{name: fmt.Sprintf("remote[%d]", r), kind: kinds["time"]}}
		text, ok := d.leaf(&entry[0], item)
		if item.Kind == 'n' { // elsewhere a null is an absent value
			d.reportType(entry[0].name, '0', item.Kind, item.Offset)
		}
		v := values{findings: &d.intake.findings, columns: entry, file: d.file,
			at: func(int) place { return placeOf(item.Pos) }}
		value := number(&v, &entry[0], text, model.ParseTime)
		cost.Known = cost.Known && ok && value.Known
		cost.Value.Table = append(cost.Value.Table, value.Value)
	}
	if len(n.Items) == 0 {
		d.report(model.CodeMissing, n.Offset, "remote is an empty table", "at least one number", "")
	}
	return cost
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
	note := column{name: "a note", kind: kinds["text"]}
	return s.list(notesKey, func() error {
		text := ""
		_, _, err := s.cell(&note, &text)
		s.notes = append(s.notes, text)
		return err
	})
}

// finish checks the scalars and hands them to the builder.
func (s *scalars) finish() {
	v := values{findings: &s.intake.findings, columns: s.columns, file: s.file, origin: &s.intake.origin,
		warnings: &s.intake.warnings, at: func(i int) place {
			if s.places[i] != (place{}) {
				return s.places[i]
			}
			return s.start
		}}
	if !s.stated {
		v.report(model.CodeFormat, "format", "the document has no format", kinds["format"].expects,
			fmt.Sprintf(`add "format":%q`, Format))
	}
	machines := number(&v, v.column("machines"), s.row.Machines, parseCount)
	if machines.Known && machines.Value == 0 {
		v.report(model.CodeNoMachines, "machines", "machines is 0", "at least 1",
			"leave it out if a topology says how many there are")
	}
	running := number(&v, v.column("max_running_jobs"), s.row.Running, parseCount)
	v.notZero("max_running_jobs", running.Known && running.Value == 0, "leave it out if there is no limit")
	now := number(&v, v.column("now"), s.row.Now, model.ParseTime)
	grace := number(&v, v.column("grace"), s.row.Grace, model.ParseTime)
	b := s.intake.b
	b.Scalars(s.row.Name, s.row.Problem, machines, s.notes)
	b.MaxRunningJobs(running)
	b.Origin(s.intake.origin.value)
	b.Now(now, grace)
	if s.cost != nil {
		b.Cost(*s.cost, model.Locus{Pos: v.at(find(s.columns, costKey)).in(s.file)})
	}
}
