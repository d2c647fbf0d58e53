package grammar

import (
	"errors"
	"fmt"
	"io"
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
	in    *textpos.Reader
	dec   *jsontext.Decoder
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
	in := textpos.NewReader(f, name)
	r := &configReader{in: in, dec: jsontext.NewDecoder(in, jsontext.AllowDuplicateNames(true)), keys: p.SettingKeys(),
		found: map[string]Setting{}}
	in.Max(maxConfig)
	if err := r.document(p.Commands); err != nil {
		r.bad.Add(in.Finding(err))
	}
	return r.found, r.bad.Err()
}

// place is where the last token begins, if it is written without escapes.
func (r *configReader) place(token jsontext.Token) model.Position {
	n := len(token.String())
	if token.Kind() == '"' {
		n += 2
	}
	return r.in.Position(r.dec.InputOffset() - int64(n))
}

func (r *configReader) document(commands []*Command) error {
	if r.dec.PeekKind() != '{' {
		token, err := r.dec.ReadToken()
		if errors.Is(err, io.EOF) {
			return io.ErrUnexpectedEOF
		} else if err != nil {
			return err
		}
		r.bad.Add(model.Finding{Code: model.CodeType, Pos: r.place(token), What: "the settings are no JSON object",
			Expected: `{"FLAG":VALUE,"COMMAND":{"FLAG":VALUE}}`})
		return nil
	}
	if err := r.object(nil, commands); err != nil {
		return err
	}
	token, err := r.dec.ReadToken()
	if err == nil {
		r.bad.Add(model.Finding{Code: model.CodeSyntax, Pos: r.place(token), What: "there is more text behind the settings",
			Expected: "one JSON object"})
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// object reads the flags of a command and of its sub-commands; none is the flags of all commands.
func (r *configReader) object(path []string, commands []*Command) error {
	if _, err := r.dec.ReadToken(); err != nil {
		return err
	}
	seen := map[string]bool{}
	for r.dec.PeekKind() != '}' {
		token, err := r.dec.ReadToken()
		if err != nil {
			return err
		}
		name := token.String()
		at := r.place(token)
		if seen[name] {
			r.bad.Add(model.Finding{Code: model.CodeTwice, Pos: at, What: fmt.Sprintf("key %q is given twice", name),
				Expected: "unique keys", Hint: "keep one of the two"})
		}
		seen[name] = true
		switch sub := find(commands, name); {
		case sub != nil && r.dec.PeekKind() != '{' && !r.keys[settingKey(path, name)]:
			r.bad.Add(model.Finding{Code: model.CodeType, Pos: at, What: name + " is a command, and its value no object",
				Expected: `{"FLAG":VALUE}`})
			err = r.dec.SkipValue()
		case r.dec.PeekKind() == '{' && sub != nil:
			err = r.object(append(slices.Clone(path), name), sub.Commands)
		case r.keys[settingKey(path, name)]:
			err = r.value(path, name, at)
		default:
			r.unknown(path, name, commands, at)
			err = r.dec.SkipValue()
		}
		if err != nil {
			return err
		}
	}
	_, err := r.dec.ReadToken()
	return err
}

// value reads what a flag is set to.
func (r *configReader) value(path []string, name string, at model.Position) error {
	kind := r.dec.PeekKind()
	if kind == '{' || kind == '[' || kind == 'n' {
		if err := r.dec.SkipValue(); err != nil {
			return err
		}
		r.bad.Add(model.Finding{Code: model.CodeType, Pos: at, What: name + " has a value that no flag can have",
			Expected: "a text, a number, true or false"})
		return nil
	}
	token, err := r.dec.ReadToken()
	if err != nil {
		return err
	}
	r.found[settingKey(path, name)] = Setting{Value: token.String(), From: fmt.Sprintf("%s (%s)", at,
		strings.Join(append(slices.Clone(path), name), "."))}
	return nil
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
	f := model.Finding{Code: model.CodeUnknown, Pos: at, What: what, Expected: expected}
	if near := model.Nearest(name, slices.Sorted(maps.Keys(names))); near != "" {
		f.Hint = fmt.Sprintf("did you mean %q?", near)
	}
	r.bad.Add(f)
}
