package solver

import "fmt"

// ParamKind is the type of a parameter.
type ParamKind int

// The kinds of parameters.
const (
	StringParam ParamKind = iota
	IntParam
	FloatParam
	BoolParam
)

// Param is a setting of one problem or generator: a flag of the commands and a key of a result's `parameters`.
type Param struct {
	Name string
	Kind ParamKind
	// Value is the setting's field in a struct of parameters, whose type says the kind: a *string, *int64, *float64 or
	// *bool.
	Value   any
	Default string
	Usage   string
	Choices []string // of a StringParam; empty: any text
	List    bool     // a StringParam takes several values, separated by commas
	// Removed are choices of earlier versions, each with the one to take instead.
	Removed map[string]string
	Minimum float64 // of an IntParam or FloatParam
	Maximum float64
	// Seconds says that the value is a time: a number of seconds, or a text with units such as 1h30m.
	Seconds bool
	// View says that the parameter changes the instance itself, so `check` needs it too.
	View bool
}

// Instead is a hint for a choice that has been removed; empty: it never existed.
func (p Param) Instead(choice string) string {
	if now, ok := p.Removed[choice]; ok {
		return fmt.Sprintf("it has been removed: use %q", now)
	}
	return ""
}

// Params are the values of parameters by name, in the type of their kind, already checked against their Param.
type Params map[string]any

// Int is the value of an IntParam.
func (p Params) Int(name string) int64 { v, _ := p[name].(int64); return v }

// Float is the value of a FloatParam.
func (p Params) Float(name string) float64 { v, _ := p[name].(float64); return v }

// Bool is the value of a BoolParam.
func (p Params) Bool(name string) bool { v, _ := p[name].(bool); return v }

// Text is the value of a StringParam.
func (p Params) Text(name string) string { v, _ := p[name].(string); return v }

// Fields is a pointer to a struct of parameters P, with a table that binds each parameter to its field.
type Fields[P any] interface {
	*P
	Table() []Param
}

// Described lists the parameters of a struct.
func Described[P any, F Fields[P]]() []Param {
	var p P
	list := F(&p).Table()
	for i := range list {
		switch list[i].Value.(type) {
		case *int64:
			list[i].Kind = IntParam
		case *float64:
			list[i].Kind = FloatParam
		case *bool:
			list[i].Kind = BoolParam
		}
		list[i].Value = nil
	}
	return list
}

// Bind is the struct with the given values. Fields of parameters without a value are zero.
func Bind[P any, F Fields[P]](values Params) P {
	var p P
	for _, q := range F(&p).Table() {
		v, ok := values[q.Name]
		if !ok {
			continue
		}
		switch at := q.Value.(type) {
		case *string:
			*at = v.(string)
		case *int64:
			*at = v.(int64)
		case *float64:
			*at = v.(float64)
		case *bool:
			*at = v.(bool)
		default:
			panic(fmt.Sprintf("parameter %s is bound to a %T", q.Name, at))
		}
	}
	return p
}
