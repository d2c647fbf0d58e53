package workload

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

const schemaText = "A workload for mrsched: jobs, their tasks, where the blocks lie that they read, " +
	"and the machines. " +
	"Times are decimal seconds, kept to a millionth; weights are decimals, kept to a millionth; sizes are whole bytes. " +
	"A null is an absent value."

// tableTexts describe the tables in the schema.
var tableTexts = map[string]string{
	"jobs":     "one row a job",
	"topology": "the machines as one tree: a root, switches, racks and nodes",
	"slots":    "the reduce slots of problem reduceplace and what each costs",
	"tasks":    "one row a map or reduce task; not needed for jobs that state their reduces",
	"delays": "precedence: pairs of tasks of one job, the later of which waits for the earlier; a job without rows " +
		"runs all maps before all reduces",
	"placements": "one row a replica: which node holds which block",
	"partitions": "what the maps of a job put into each partition of its intermediate data (problem realtime)",
	"keys":       "what the maps of a job put out for each key (problem realtime)",
	"times": "what tasks or partitions take on workers, where that does not follow from sizes and speeds (problem " +
		"realtime)",
	"history": "one row a task that ran before, from which times are estimated (problem realtime)",
}

// Column describes one column of a table, or one scalar of a workload document.
type Column struct {
	Name string
	// id, ref, text, time, weight, cost, bytes, count, positive count, ratio, positive, object, or the name of a word list
	Kind     string
	Words    []string // the only values allowed; nil if there is no list
	Unit     string
	Default  string // what an absent value means; "" if it is unknown
	Required bool
	Doc      string
}

// TableInfo describes one table of a workload document.
type TableInfo struct {
	Name     string
	Doc      string
	Required bool
	Columns  []Column
}

// Tables describes all tables in the order in which they are written, for documentation.
func Tables() []TableInfo {
	list := make([]TableInfo, len(tables))
	for i, t := range tables {
		list[i] = TableInfo{t.tableName(), tableTexts[t.tableName()], t.needed(), describe(t.tableColumns())}
	}
	return list
}

// Scalars describes the values that stand outside the tables; `notes`, a list of texts, comes besides.
func Scalars() []Column { return describe(scalarColumns) }

func describe(columns []column) []Column {
	list := make([]Column, len(columns))
	for i := range columns {
		c := &columns[i]
		list[i] = Column{c.name, c.kind.name, c.words, c.unit, c.byDefault, c.required, c.doc}
	}
	return list
}

// Schema is the JSON Schema (draft 2020-12) of the workload document.
func Schema() []byte {
	var buf bytes.Buffer
	s := schemaWriter{jsontext.NewEncoder(&buf, jsontext.WithIndent("  "))}
	s.object(func() {
		s.member("$schema", jsontext.String("https://json-schema.org/draft/2020-12/schema"))
		s.member("$id", jsontext.String("urn:"+Format))
		s.member("title", jsontext.String(Format))
		s.member("description", jsontext.String(schemaText))
		s.member("type", jsontext.String("object"))
		s.token(jsontext.String("properties"))
		s.object(func() {
			s.columns(scalarColumns)
			s.token(jsontext.String(notesKey))
			s.array("assumptions made by an importer or generator", false, func() {
				s.member("type",
					jsontext.String("string"))
			})
			for _, t := range tables {
				s.token(jsontext.String(t.tableName()))
				s.array(tableTexts[t.tableName()], t.needed(), func() { s.row(t.tableColumns()) })
			}
		})
		required := requiredNames(scalarColumns)
		for _, t := range tables {
			if t.needed() {
				required = append(required, t.tableName())
			}
		}
		s.closed(required)
	})
	return buf.Bytes()
}

// schemaWriter writes to memory: its encoder cannot fail.
type schemaWriter struct{ enc *jsontext.Encoder }

func (s schemaWriter) token(t jsontext.Token) { _ = s.enc.WriteToken(t) }

func (s schemaWriter) object(members func()) {
	s.token(jsontext.BeginObject)
	members()
	s.token(jsontext.EndObject)
}

func (s schemaWriter) member(name string, value jsontext.Token) {
	s.token(jsontext.String(name))
	s.token(value)
}

func (s schemaWriter) strings(name string, list []string) {
	s.token(jsontext.String(name))
	s.token(jsontext.BeginArray)
	for _, x := range list {
		s.token(jsontext.String(x))
	}
	s.token(jsontext.EndArray)
}

// number writes a member whose value is a number's text.
func (s schemaWriter) number(name, text string) {
	s.token(jsontext.String(name))
	_ = s.enc.WriteValue(jsontext.Value(text))
}

func (s schemaWriter) array(doc string, needed bool, items func()) {
	s.object(func() {
		s.member("description", jsontext.String(doc))
		if needed {
			s.member("type", jsontext.String("array"))
			s.number("minItems", "1")
		} else {
			s.strings("type", []string{"array", "null"})
		}
		s.token(jsontext.String("items"))
		s.object(items)
	})
}

// closed ends an object schema that allows no other members.
func (s schemaWriter) closed(required []string) {
	s.strings("required", required)
	s.member("additionalProperties", jsontext.Bool(false))
}

func (s schemaWriter) row(columns []column) {
	s.member("type", jsontext.String("object"))
	s.members(columns)
}

func (s schemaWriter) members(columns []column) {
	s.token(jsontext.String("properties"))
	s.object(func() { s.columns(columns) })
	s.closed(requiredNames(columns))
}

func (s schemaWriter) columns(columns []column) {
	for i := range columns {
		s.token(jsontext.String(columns[i].name))
		s.object(func() { s.column(&columns[i]) })
	}
}

func (s schemaWriter) column(c *column) {
	s.member("title", jsontext.String(c.title()))
	s.member("description", jsontext.String(c.doc))
	if c.nested {
		s.nested(c)
		return
	}
	if !c.number {
		s.text(c)
		return
	}
	kind := "number"
	if c.whole {
		kind = "integer"
	}
	s.types(c, kind)
	s.bounds(c)
	if c.byDefault != "" {
		s.number("default", c.byDefault)
	}
}

// bounds writes the smallest and the largest number allowed.
func (s schemaWriter) bounds(c *column) {
	switch {
	case c.above:
		s.number("exclusiveMinimum", "0")
	case c.least != "":
		s.number("minimum", c.least)
	default:
		s.number("minimum", "0")
	}
	if c.most != "" {
		s.number("maximum", c.most)
	}
}

// nested writes the schema of the cost, or of its member remote, which has three forms.
func (s schemaWriter) nested(c *column) {
	if c.name == costKey {
		s.types(c, "object")
		s.members(costColumns)
		return
	}
	number := func() {
		s.member("type", jsontext.String("number"))
		s.bounds(c)
	}
	s.token(jsontext.String("anyOf"))
	s.token(jsontext.BeginArray)
	s.object(number)
	s.object(func() { s.row(remoteColumns) })
	s.object(func() {
		s.member("type", jsontext.String("array"))
		s.number("minItems", "1")
		s.token(jsontext.String("items"))
		s.object(number)
	})
	s.token(jsontext.EndArray)
}

// text writes the schema of a column of strings.
func (s schemaWriter) text(c *column) {
	if c.words != nil {
		s.strings("enum", c.words)
		return
	}
	s.types(c, "string")
	if c.required {
		s.number("minLength", "1")
	}
	s.number("maxLength", fmt.Sprint(maxField))
}

func (s schemaWriter) types(c *column, kind string) {
	if c.required {
		s.member("type", jsontext.String(kind))
		return
	}
	s.strings("type", []string{kind, "null"})
}

// title is the column's name with its unit.
func (c *column) title() string {
	if c.unit == "" {
		return c.name
	}
	return c.name + " (" + c.unit + ")"
}
