package run

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"

	"mrsched/solver"
)

// jsonSchema is the part of JSON Schema (2020-12) that specs need. Numbers are decimals as written.
type jsonSchema struct {
	Schema      string                 `json:"$schema,omitempty"`
	ID          string                 `json:"$id,omitempty"`
	Title       string                 `json:"title,omitempty"`
	Description string                 `json:"description,omitempty"`
	Ref         string                 `json:"$ref,omitempty"`
	Type        string                 `json:"type,omitempty"`
	Const       string                 `json:"const,omitempty"`
	Enum        []string               `json:"enum,omitempty"`
	MinLength   int                    `json:"minLength,omitempty"`
	Pattern     string                 `json:"pattern,omitempty"`
	Minimum     json.Number            `json:"minimum,omitempty"`
	Above       json.Number            `json:"exclusiveMinimum,omitempty"`
	Maximum     json.Number            `json:"maximum,omitempty"`
	Default     any                    `json:"default,omitempty"`
	Properties  map[string]*jsonSchema `json:"properties,omitempty"`
	Required    []string               `json:"required,omitempty"`
	Others      *bool                  `json:"additionalProperties,omitempty"`
	Not         *jsonSchema            `json:"not,omitempty"`
	MinItems    int                    `json:"minItems,omitempty"`
	Items       *jsonSchema            `json:"items,omitempty"`
	AnyOf       []*jsonSchema          `json:"anyOf,omitempty"`
	Definitions map[string]*jsonSchema `json:"$defs,omitempty"`
}

// Schema is the JSON Schema (2020-12) of specs for a catalog. It covers keys, types, names and ranges of single values;
// only Plan knows whether files exist, whether parameters have an effect, and how many runs there are.
func Schema(c Catalog) ([]byte, error) {
	s := &schemaMaker{c}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(s.document())
	return b.Bytes(), err
}

type schemaMaker struct{ catalog Catalog }

// rangeDefinition is where the schema of a range is.
const rangeDefinition = "range"

// schemaKey names a document's schema, for editors.
const schemaKey = "$schema"

func (s *schemaMaker) document() *jsonSchema {
	doc := object(map[string]*jsonSchema{
		"format":     {Const: Format},
		"name":       {Type: "string", Description: "what people call the sweep"},
		"problem":    s.problem("to solve all instances as, instead of their own"),
		"instances":  {Type: "array", Description: "files and generators", MinItems: 1, Items: s.entry()},
		"algorithms": s.algorithms(),
		"parameters": s.parameters(),
		"seeds":      numbers("of the algorithms", integers("0", strconv.FormatUint(1<<64-1, 10)), 1),
		"iterations": numbers("limits of searches", integers("1", strconv.Itoa(maxIterations)), solver.DefaultIterations),
		"time_limit": {Description: "of a run, in seconds or as \"5m\"; then rows are not reproducible, and searches have " +
			"no limit of iterations unless it is given", AnyOf: []*jsonSchema{{Type: "number", Above: "0",
			Maximum: json.Number(maxTimeLimit.String())}, timeText()}},
		"keep":    {Type: "boolean", Description: "whether to write each result to results/ID in the sweep's directory"},
		schemaKey: {Type: "string", Description: "the schema of the document, for editors"},
	}, "format", "instances", "algorithms")
	doc.Schema, doc.ID, doc.Title = "https://json-schema.org/draft/2020-12/schema", "urn:mrsched:sweep:1", Format
	doc.Description = "What mrsched sweep runs: every instance with every algorithm, every combination of parameters " +
		"and every seed."
	end := &jsonSchema{Type: "number", Minimum: limit(-largest), Maximum: limit(largest)}
	step := object(map[string]*jsonSchema{
		"from": end, "to": end,
		"step":   {Type: "number", Above: "0", Maximum: limit(largest), Default: 1},
		"factor": {Type: "number", Above: "1", Maximum: limit(largest)},
	}, "from", "to")
	step.Description = "from, from + step, … or from, from · factor, …, none above to"
	step.Not = &jsonSchema{Required: []string{"step", "factor"}}
	doc.Definitions = map[string]*jsonSchema{rangeDefinition: step}
	return doc
}

// object is the schema of an object that has no other keys.
func object(properties map[string]*jsonSchema, required ...string) *jsonSchema {
	return &jsonSchema{Type: "object", Properties: properties, Required: required, Others: new(bool)}
}

func integers(least, most string) *jsonSchema {
	return &jsonSchema{Type: "integer", Minimum: json.Number(least), Maximum: json.Number(most)}
}

// timeText is the schema of a time with its units; only the reader knows these.
func timeText() *jsonSchema {
	return &jsonSchema{Type: "string", Pattern: `^[0-9.]+( ?[a-zA-Zµμ]+( ?[0-9.]+ ?[a-zA-Zµμ]+)*)?$`}
}

// numbers is the schema of an axis of numbers, which may contain ranges.
func numbers(doc string, value *jsonSchema, byDefault any) *jsonSchema {
	step := &jsonSchema{Ref: "#/$defs/" + rangeDefinition}
	one := []*jsonSchema{value, step}
	return &jsonSchema{Description: doc, AnyOf: []*jsonSchema{value, step,
		{Type: "array", MinItems: 1, Items: &jsonSchema{AnyOf: one}}}, Default: byDefault}
}

func (s *schemaMaker) problem(doc string) *jsonSchema {
	return &jsonSchema{Description: doc, Enum: namesOf(s.catalog.Problems, problemName)}
}

func (s *schemaMaker) algorithms() *jsonSchema {
	var names []string
	for _, p := range s.catalog.Problems {
		for _, a := range p.Algorithms {
			if !slices.Contains(names, a.Name) {
				names = append(names, a.Name)
			}
		}
	}
	one := &jsonSchema{Enum: append(names, All)}
	return &jsonSchema{Description: `names, or "all", which leaves out what compare leaves out`,
		AnyOf: []*jsonSchema{one, {Type: "array", MinItems: 1, Items: one}}}
}

// parameters is the schema of the settings of problems and algorithms. If several problems share a name, the value may
// be valid for any of them.
func (s *schemaMaker) parameters() *jsonSchema {
	forms := map[string][]*jsonSchema{}
	for _, p := range s.catalog.Problems {
		used := usedBy(p, nil, p.Algorithms...)
		for _, q := range p.Params {
			if !used[q.Name] {
				continue
			}
			form := axisSchema(q)
			if !slices.ContainsFunc(forms[q.Name], func(f *jsonSchema) bool { return reflect.DeepEqual(f, form) }) {
				forms[q.Name] = append(forms[q.Name], form)
			}
		}
	}
	all := object(map[string]*jsonSchema{})
	all.Description = "settings of problems and algorithms, as the flags of solve without the dashes"
	for name, list := range forms {
		if all.Properties[name] = list[0]; len(list) > 1 {
			all.Properties[name] = &jsonSchema{AnyOf: list}
		}
	}
	return all
}

// axisSchema is the schema of the values of a parameter.
func axisSchema(p solver.Param) *jsonSchema {
	value := &jsonSchema{}
	switch p.Kind {
	case solver.IntParam, solver.FloatParam:
		value.Type = map[bool]string{true: "integer", false: "number"}[p.Kind == solver.IntParam]
		value.Minimum, value.Maximum = limit(p.Minimum), limit(p.Maximum)
		if p.Seconds {
			value = &jsonSchema{AnyOf: []*jsonSchema{value, timeText()}}
		}
		return numbers(p.Usage, value, defaultOf(p))
	case solver.BoolParam:
		value.Type = "boolean"
	case solver.StringParam:
		if value.Enum = p.Choices; value.Enum == nil {
			value.Type = "string"
		}
	}
	return &jsonSchema{Description: p.Usage, AnyOf: []*jsonSchema{value, {Type: "array", MinItems: 1, Items: value}},
		Default: defaultOf(p)}
}

func limit(v float64) json.Number { return json.Number(strconv.FormatFloat(v, 'f', -1, 64)) }

// entry is the schema of a row of instances: files, or one of the presets.
func (s *schemaMaker) entry() *jsonSchema {
	group := &jsonSchema{Type: "string", Description: "whose means the summary shows; else a file, and what a " +
		"generator makes of one choice of parameters with all seeds, are groups of their own"}
	solved := s.problem("what to solve it as, instead of its own")
	forms := []*jsonSchema{object(map[string]*jsonSchema{
		"path": {Type: "string", Description: "a JSON file or a directory of CSV files in the spec's folder or below " +
			"it, with *, ? and […] as in a shell", MinLength: 1, Not: &jsonSchema{Const: "-"}},
		"problem": solved, "group": group,
	}, "path")}
	first := map[string]bool{} // problems whose first preset is there, which needs no name
	for _, p := range s.catalog.Presets {
		made := object(map[string]*jsonSchema{})
		made.Description = "of preset " + p.Name
		for _, q := range p.Params {
			made.Properties[q.Name] = axisSchema(q)
		}
		keys := map[string]*jsonSchema{"generate": {Const: p.Problem}, "preset": {Const: p.Name}, "parameters": made,
			"problem": solved, "group": group}
		if !p.Fixed {
			keys["seeds"] = numbers("of the generator", integers("0", strconv.FormatUint(1<<64-1, 10)), 1)
		}
		required := []string{"generate"}
		if first[p.Problem] {
			required = append(required, "preset")
		}
		first[p.Problem] = true
		forms = append(forms, object(keys, required...))
	}
	return &jsonSchema{AnyOf: forms}
}
