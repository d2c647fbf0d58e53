package workload

import (
	"cmp"
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const schemaText = "A workload for mrsched: jobs, their tasks, where the blocks lie that they read, " +
	"and the machines. " +
	"Times are decimal seconds, kept to a millionth; weights are decimals, kept to a millionth; sizes are whole bytes. " +
	"A string is a number with a unit, such as 1h30m or 64MiB, or, where the workload has an origin, a clock time. " +
	"A null is an absent value."

// Column describes one column of a table, or one scalar of a workload document.
type Column struct {
	Name string
	// id, ref, text, clock time, time, moment, start, due, weight, cost, amount, bytes, rate, count, positive count,
	// ratio, positive, object, or the name of a word list
	Kind     string
	Words    []string // the only values allowed; nil if there is no list
	Unit     string
	Default  string // what an absent value means; "" if it is unknown
	Required bool
	Clock    bool // clock times are allowed
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
		list[i] = TableInfo{t.tableName(), t.tableDoc(), t.needed(), describe(t.tableColumns())}
	}
	return list
}

// Scalars describes the values that are outside the tables; `notes`, a list of texts, comes besides.
func Scalars() []Column { return describe(scalarColumns) }

func describe(columns []column) []Column {
	list := make([]Column, len(columns))
	for i := range columns {
		c := &columns[i]
		list[i] = Column{c.name, c.kind.name, c.words, c.unit, c.byDefault, c.required, c.clock != noClock, c.doc}
	}
	return list
}

// schema is a part of a JSON Schema; its fields are in the order in which they are written.
type schema struct {
	Schema      string     `json:"$schema,omitzero"`
	ID          string     `json:"$id,omitzero"`
	Title       string     `json:"title,omitzero"`
	Description string     `json:"description,omitzero"`
	Type        any        `json:"type,omitzero"` // a type, or a list of them
	Enum        []string   `json:"enum,omitzero"`
	MinLength   int        `json:"minLength,omitzero"`
	MaxLength   int        `json:"maxLength,omitzero"`
	Pattern     string     `json:"pattern,omitzero"`
	AboveLeast  numeral    `json:"exclusiveMinimum,omitzero"`
	Least       numeral    `json:"minimum,omitzero"`
	Most        numeral    `json:"maximum,omitzero"`
	Default     numeral    `json:"default,omitzero"`
	MinItems    int        `json:"minItems,omitzero"`
	Items       *schema    `json:"items,omitzero"`
	Properties  properties `json:"properties,omitzero"`
	Required    []string   `json:"required,omitzero"`
	Closed      *bool      `json:"additionalProperties,omitzero"`
	AnyOf       []schema   `json:"anyOf,omitzero"`
}

// numeral is the text of a number.
type numeral string

// MarshalJSONTo writes the number.
func (n numeral) MarshalJSONTo(enc *jsontext.Encoder) error { return enc.WriteValue(jsontext.Value(n)) }

// property is a member of an object.
type property struct {
	name string
	schema
}

// properties are the members of an object, in order.
type properties []property

// MarshalJSONTo writes an object.
func (p properties) MarshalJSONTo(enc *jsontext.Encoder) error {
	err := enc.WriteToken(jsontext.BeginObject)
	for _, x := range p {
		err = errors.Join(err, enc.WriteToken(jsontext.String(x.name)), json.MarshalEncode(enc, x.schema))
	}
	return errors.Join(err, enc.WriteToken(jsontext.EndObject))
}

// schemaKey names a document's schema, for editors; it says nothing about the workload.
const schemaKey = "$schema"

// Schema is the JSON Schema (draft 2020-12) of the workload document.
func Schema() []byte {
	s := rowSchema(scalarColumns)
	s.Schema, s.ID = "https://json-schema.org/draft/2020-12/schema", "urn:mrsched:workload:1"
	s.Title, s.Description = Format, schemaText
	s.Properties = append(s.Properties, property{notesKey,
		listSchema("assumptions made by an importer or generator", false, schema{Type: "string"})})
	s.Properties = append(s.Properties, property{schemaKey, schema{Type: typeOf("string", false),
		Description: "the schema of the document, for editors; not part of the workload"}})
	for _, t := range tables {
		s.Properties = append(s.Properties, property{t.tableName(),
			listSchema(t.tableDoc(), t.needed(), rowSchema(t.tableColumns()))})
		if t.needed() {
			s.Required = append(s.Required, t.tableName())
		}
	}
	text, err := json.Marshal(s, jsontext.WithIndent("  "))
	if err != nil {
		panic(err) // the value is a constant
	}
	return append(text, '\n')
}

// listSchema is the schema of an array.
func listSchema(doc string, required bool, items schema) schema {
	s := schema{Description: doc, Type: typeOf("array", required), Items: &items}
	if required {
		s.MinItems = 1
	}
	return s
}

// rowSchema is the schema of an object that has these columns and no others.
func rowSchema(columns []column) schema {
	s := schema{Type: "object", Required: append([]string{}, requiredNames(columns)...), Closed: new(bool)}
	for i := range columns {
		s.Properties = append(s.Properties, property{columns[i].name, columns[i].schema()})
	}
	return s
}

// typeOf is the type of a value that may be null unless it is required.
func typeOf(kind string, required bool) any {
	if required {
		return kind
	}
	return []string{kind, "null"}
}

func (c *column) schema() (s schema) {
	switch {
	case c.nested && c.name == costKey:
		s = rowSchema(costColumns)
		s.Type = typeOf("object", c.required)
	case c.nested: // the remote cost
		entry := *c
		entry.texts, entry.required = unitTexts, true
		number := entry.bounds("number")
		s.AnyOf = []schema{number, rowSchema(remoteColumns), {Type: "array", MinItems: 1, Items: &number}}
	case c.whole:
		s = c.bounds("integer")
	case c.number:
		s = c.bounds("number")
	case c.words != nil:
		s.Enum = c.words
	default:
		s.Type, s.MaxLength = typeOf("string", c.required), maxField
		if c.required {
			s.MinLength = 1
		}
	}
	if s.Title, s.Description = c.name, c.doc; c.unit != "" {
		s.Title += " (" + c.unit + ")"
	}
	return s
}

// bounds is the schema of a number, or of a string with a unit.
func (c *column) bounds(kind string) schema {
	s := schema{Type: typeOf(kind, c.required), Most: numeral(c.most), Default: numeral(c.byDefault), Pattern: c.texts}
	if c.texts != "" {
		types := []string{kind, "string", "null"}
		if c.required {
			types = types[:2]
		}
		s.Type = types
	}
	switch {
	case c.above:
		s.AboveLeast = "0"
	case c.signed:
		s.Least = numeral("-" + c.most)
	default:
		s.Least = numeral(cmp.Or(c.least, "0"))
	}
	return s
}
