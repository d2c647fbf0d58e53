package workload

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mrsched/io/textpos"
	"mrsched/model"
)

// notesKey is the key of the list of notes, the only value that is neither a table nor a column.
const notesKey = "notes"

var scalarColumns = columnsOf[scalarRow]()

// scalars reads the values of a document that stand outside its tables.
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
		start: placeOf(d.in.Position(d.dec.InputOffset() - 1))}
	s.cells = cellsOf(&s.row)
	return s
}

// read reads one scalar. An unknown format ends the reading, because nothing else can be understood.
func (s *scalars) read(i int) error {
	c := &s.columns[i]
	k := s.dec.PeekKind()
	if c.nested {
		s.places[i] = placeOf(s.in.Position(s.nextOffset()))
		var err error
		s.cost, err = s.readCost()
		return err
	}
	at, _, err := s.cell(c, s.cells[i])
	if err != nil {
		return err
	}
	s.places[i] = placeOf(s.in.Position(at))
	if c.name != "format" {
		return nil
	}
	s.stated = k != 'n'
	if k == '"' && s.row.Format != Format {
		s.report(model.CodeFormat, at, "the format is "+textpos.Quoted(s.row.Format), c.expects, otherFormat(s.row.Format))
		return errStop
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
		if k := s.dec.PeekKind(); k == ']' || k == jsontext.KindInvalid {
			_, err := s.dec.ReadToken()
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
	cost, at := s.cost, model.Locus{Pos: v.at(find(s.columns, costKey)).in(s.file)}
	s.lane.out <- func(b *model.Builder) {
		b.Scalars(name, problem, machines, notes)
		b.MaxRunningJobs(running)
		if cost != nil {
			b.Cost(*cost, at)
		}
	}
}
