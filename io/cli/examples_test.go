package cli

import (
	"bytes"
	"testing"

	"mrsched/instances"
	"mrsched/io/workload"
	"mrsched/model"
)

func example(t *testing.T, problem, name string) *model.Workload {
	t.Helper()
	p, err := instances.FindPreset(problem, name)
	if err != nil {
		t.Fatal(err)
	}
	w, err := workload.ReadBytes(p.Document, name, workload.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestExamplesAreCanonical requires that mrsched writes the shipped files byte for byte, so that `generate --preset`
// reproduces them, and that every preset is complete.
func TestExamplesAreCanonical(t *testing.T) {
	for _, p := range instances.Presets() {
		if p.Summary == "" || (p.Generate == nil) == (p.Document == nil) {
			t.Errorf("preset %s is incomplete", p.Name)
		}
	}
	for _, p := range instances.Examples() {
		var again bytes.Buffer
		if err := workload.WriteJSON(&again, example(t, p.Problem, p.Name)); err != nil {
			t.Fatal(err)
		}
		if again.String() != string(p.Document) {
			t.Errorf("%s is not canonical; it should be\n%s", p.Name, again.String())
		}
	}
}
