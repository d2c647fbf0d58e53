package workload

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mrsched/io/textpos"
	"mrsched/model"
)

// complete adds the rows that others name: jobs of tasks, racks and the root of nodes.
func (p *mapper) complete() {
	tasks, nodes, jobs, root := p.sheets["tasks"], p.sheets["topology"], p.sheets["jobs"], ""
	stated := len(jobs.rows)
	tasks.fill("kind", model.Map.String())
	nodes.fill("kind", model.HostNode.String())
	for i := range tasks.rows {
		tasks.refer(i, "job", jobs)
	}
	p.noteNew(jobs, stated)
	kind, parent := find(nodes.columns, "kind"), find(nodes.columns, "parent")
	for _, r := range nodes.rows {
		if r.cells[kind] == model.RootNode.String() {
			root = r.cells[0]
		}
	}
	for i := range len(nodes.rows) {
		if nodes.rows[i].cells[kind] == model.RootNode.String() {
			continue
		}
		if root == "" {
			root = "root"
			nodes.derive(root, nodes.rows[i].at[0]).cells[kind] = model.RootNode.String()
		}
		if nodes.rows[i].cells[parent] == "" {
			nodes.rows[i].cells[parent] = root
		} else if rack := nodes.refer(i, "parent", nodes); rack != nil {
			rack.cells[kind], rack.cells[parent] = model.RackNode.String(), root
		}
	}
}

// noteNew tells of jobs that only tasks name, where a table states others.
func (p *mapper) noteNew(jobs *sheet, stated int) {
	if stated == 0 || len(jobs.rows) == stated {
		return
	}
	var ids []string
	for _, r := range jobs.rows[:stated] {
		ids = append(ids, r.cells[0])
	}
	id := jobs.rows[stated].cells[0]
	p.notes = append(p.notes, strings.TrimSpace(fmt.Sprintf("%s made that only tasks name, such as %s %s",
		model.Counted(len(jobs.rows)-stated, "job"), textpos.Quoted(id), didYouMean(id, ids))))
}

// refer adds the row of another table that a column refers to, unless it is there.
func (g *sheet) refer(row int, column string, to *sheet) *sheetRow {
	c := find(g.columns, column)
	id := g.rows[row].cells[c]
	if _, there := to.index[id+"\x00"]; there || id == "" || g.rows[row].at == nil {
		return nil
	}
	return to.derive(id, g.rows[row].at[c])
}

// derive adds a row with an id.
func (g *sheet) derive(id string, at model.Position) *sheetRow {
	n := len(g.columns)
	g.add(sheetRow{append([]string{id}, make([]string, n-1)...), slices.Repeat([]model.Position{at}, n), ""})
	return &g.rows[len(g.rows)-1]
}

// fill sets the empty cells of a column.
func (g *sheet) fill(column, text string) {
	for _, r := range g.rows {
		if cell := &r.cells[find(g.columns, column)]; *cell == "" {
			*cell = text
		}
	}
}

// build reads the tables as those of a workload with these scalars. Findings are at the cells' sources.
func (p *mapper) build(scalars *model.Workload) (*model.Workload, error) {
	var document strings.Builder
	if err := writeDocument(&document, scalars, nil); err != nil {
		return nil, err
	}
	texts := map[string]string{}
	w, err := build(scalarFile, Options{}, func(l *intake) {
		readDocument(l, strings.NewReader(document.String()), scalarFile, nil)
		for _, t := range tables {
			name, g := t.tableName(), p.sheets[t.tableName()]
			records := [][]string{columnNames(g.columns)}
			for _, r := range g.rows {
				records = append(records, r.cells)
			}
			var text strings.Builder
			_ = textpos.NewCSVWriter(&text).WriteAll(records) // which cannot fail
			if texts[name] = text.String(); t.needed() || len(g.rows) > 0 {
				t.readCSV(l, textpos.NewReader(strings.NewReader(texts[name]), name))
			}
		}
	})
	if input, ok := errors.AsType[*model.InputError](err); ok {
		for i := range input.Findings {
			f := &input.Findings[i]
			if g := p.sheets[f.Pos.File]; g != nil {
				var cell string
				if f.Pos, cell = g.source(texts[f.Pos.File], f.Pos); strings.HasPrefix(string(f.Code), "R") &&
					strings.ContainsAny(cell, ",;") {
					f.Hint = "put | between the ids of a list; commas and semicolons do if all ids are known"
				}
			}
			if f.Code == model.CodeEmpty {
				f.Hint = "import all tables in one call, or the tasks first, which make their jobs"
			}
		}
	}
	return w, err
}

// source is where the cell came from that is at a place in the text of a table, and its text; else it is the table.
func (g *sheet) source(text string, at model.Position) (place model.Position, cell string) {
	r := csv.NewReader(strings.NewReader(text))
	_, _ = r.Read() // the header
	for i := range g.rows {
		record, _ := r.Read() // what was written
		for k := range record {
			line, column := r.FieldPos(k)
			if int32(line) != at.Line || int32(column) != at.Column || g.rows[i].at == nil {
				continue
			}
			changed := slices.IndexFunc(g.rows[i].at, func(p model.Position) bool { return p != model.Position{} })
			return cmp.Or(g.rows[i].at[k], g.rows[i].at[changed]), g.rows[i].cells[k]
		}
	}
	return model.Position{File: at.File}, ""
}
