package workload

import (
	"encoding/csv"
	"errors"
	"slices"
	"strings"

	"mrsched/io/textpos"
	"mrsched/model"
)

// complete adds the rows that others name: jobs of tasks, racks and the root of nodes.
func (p *mapper) complete() {
	tasks, nodes, root := p.sheets["tasks"], p.sheets["topology"], ""
	tasks.fill("kind", model.Map.String())
	nodes.fill("kind", model.HostNode.String())
	for i := range tasks.rows {
		tasks.refer(i, "job", p.sheets["jobs"])
	}
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

// refer adds the row of another table that a column refers to, unless it is there.
func (g *sheet) refer(row int, column string, to *sheet) *sheetRow {
	c := find(g.columns, column)
	id := g.rows[row].cells[c]
	if _, there := to.index[id]; there || id == "" || g.rows[row].at == nil {
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
	w, err := build(scalarFile, Options{}, func(l *lane) {
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
			at := &input.Findings[i].Pos
			if g := p.sheets[at.File]; g != nil {
				*at = g.source(texts[at.File], *at)
			}
		}
	}
	return w, err
}

// source is where the cell came from that is at a place in the text of a table; without a place, the table.
func (g *sheet) source(text string, at model.Position) model.Position {
	r := csv.NewReader(strings.NewReader(text))
	_, _ = r.Read() // the header
	for i := range g.rows {
		record, _ := r.Read() // what was written
		for k := range record {
			line, column := r.FieldPos(k)
			if int32(line) == at.Line && int32(column) == at.Column && g.rows[i].at != nil {
				return g.rows[i].at[k]
			}
		}
	}
	return model.Position{File: at.File}
}
