package grammar

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"mrsched/io/engine"
	"mrsched/io/textpos"
	"mrsched/model"
)

// maxConfig is how many bytes the file may have.
const maxConfig = 256 << 10

// configReader reads the file of --config: an object of flags and, by commands, of objects.
type configReader struct {
	keys  map[string]bool
	found map[string]Setting
	bad   model.Findings
}

// ReadSettings reads a file's settings, by their keys. Errors are findings: F1xx as of every JSON text, V201 for a
// value that a flag cannot have, V207 for an unknown name, V208 for one given twice.
func (p *Program) ReadSettings(name string) (map[string]Setting, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, model.NewInputError(model.Finding{Code: model.CodeUnreadable, Pos: model.Position{File: name},
			What: fmt.Sprintf("cannot open the file: %v", engine.Underlying(err)),
			Expected: "a file of settings, as --config or " +
				ConfigVariable + " names it"})
	}
	defer f.Close()
	r := &configReader{keys: p.SettingKeys(), found: map[string]Setting{}}
	switch root := textpos.ReadTree(f, name, maxConfig, &r.bad); {
	case root == nil:
	case root.Kind != jsontext.KindBeginObject:
		r.wrong(root.Pos, "the settings are no JSON object", `{"FLAG":VALUE,"COMMAND":{"FLAG":VALUE}}`)
	default:
		r.object(root, nil, p.Commands)
	}
	return r.found, r.bad.Err()
}

func (r *configReader) wrong(at model.Position, what, expected string) {
	r.bad.Add(model.Finding{Code: model.CodeType, Pos: at, What: what, Expected: expected})
}

// object takes the flags of a command and of its sub-commands; no path is the flags of all commands.
func (r *configReader) object(n *textpos.Node, path []string, commands []*Command) {
	for _, m := range n.Members {
		sub, known := find(commands, m.Name), r.keys[settingKey(path, m.Name)]
		isObject := m.Value.Kind == jsontext.KindBeginObject
		switch {
		case sub != nil && !isObject && !known:
			r.wrong(m.Pos, m.Name+" is a command, and its value no object", `{"FLAG":VALUE}`)
		case sub != nil && isObject:
			r.object(m.Value, append(slices.Clone(path), m.Name), sub.Commands)
		case !known:
			r.unknown(path, m.Name, commands, m.Pos)
		case isObject, m.Value.Kind == jsontext.KindBeginArray, m.Value.Kind == jsontext.KindNull:
			r.wrong(m.Pos, m.Name+" has a value that no flag can have", "a text, a number, true or false")
		default:
			r.found[settingKey(path, m.Name)] = Setting{Value: m.Value.Text, From: fmt.Sprintf("%s (%s)", m.Pos,
				strings.Join(append(slices.Clone(path), m.Name), "."))}
		}
	}
}

// unknown is the finding for a name that is neither a flag nor a command.
func (r *configReader) unknown(path []string, name string, commands []*Command, at model.Position) {
	names := map[string]bool{}
	for key := range r.keys {
		words := strings.Split(key, " ")
		if n := len(words) - 1; n == len(path) && slices.Equal(words[:n], path) {
			names[words[n]] = true
		}
	}
	for _, c := range commands {
		names[c.Name] = true
	}
	what, expected := "no command has a flag "+name, "the name of a flag, or of a command"
	if len(path) > 0 {
		what, expected = fmt.Sprintf("%s has no flag %s", strings.Join(path, " "), name), "the name of one of its flags"
	}
	r.bad.Add(model.Finding{Code: model.CodeUnknown, Pos: at, What: what, Expected: expected,
		Hint: model.DidYouMean(name, slices.Sorted(maps.Keys(names)))})
}
