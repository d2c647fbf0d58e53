package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"mrsched/io/lab/shard"
	"mrsched/io/lab/sweep"
	"mrsched/model"
)

// specBegins matches the begin of a spec in any text.
var specBegins = regexp.MustCompile(`\{\s*"format":\s*"mrsched-sweep/1"`)

// specs lists the specs in the repository: files, and parts of scripts, manifests and documents.
func specs(t *testing.T) map[string][]json.RawMessage {
	t.Helper()
	found := map[string][]json.RawMessage{}
	for _, dir := range []string{"deploy", "docs", "instances/examples", "testdata"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !slices.Contains([]string{".json", ".md", ".txtar", ".sh", ".yaml"}, filepath.Ext(path)) {
				return err
			}
			text := readText(t, path)
			for _, at := range specBegins.FindAllStringIndex(text, -1) {
				var spec json.RawMessage
				if json.NewDecoder(strings.NewReader(text[at[0]:])).Decode(&spec) == nil { // scripts also have broken ones
					found[path] = append(found[path], spec)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// TestSweepSchema: the schema and the reader accept the same specs of the repository, except for missing files and
// numbers of runs.
func TestSweepSchema(t *testing.T) {
	text, err := sweep.Schema(shard.Catalog())
	if err != nil {
		t.Fatal(err)
	}
	schema, err := compile(text)
	if err != nil {
		t.Fatal(err)
	}
	taken, refused := 0, 0
	for path, list := range specs(t) {
		for _, spec := range list {
			names := shard.Catalog()
			names.Outside = true
			_, err := sweep.Read(bytes.NewReader(spec), path, defaultMaxRuns).Plan(names, t.TempDir())
			wrong := false
			if input, ok := errors.AsType[*model.InputError](err); ok {
				wrong = slices.ContainsFunc(input.Findings, func(f model.Finding) bool {
					return f.Code != model.CodeUnreadable && !strings.HasPrefix(f.What, "there are more than")
				})
			}
			doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(spec))
			if err != nil {
				t.Fatal(err)
			}
			if said := schema.Validate(doc); (said != nil) != wrong {
				t.Errorf("%s: the schema says %v, the reader %v\n%s", path, said, wrong, spec)
			}
			if wrong {
				refused++
			} else {
				taken++
			}
		}
	}
	if taken < 20 || refused < 1 {
		t.Errorf("only %d valid specs and %d invalid ones", taken, refused)
	}
}
