package cli

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/urfave/cli/v2"

	"mrsched/io/grammar"
	"mrsched/model"
)

// TestVariables: flags have different variables, none of them is that of --config, and no command redefines a flag that
// is allowed anywhere.
func TestVariables(t *testing.T) {
	byVariable := map[string]string{grammar.ConfigVariable: "config"}
	for key := range described((&session{}).app()).SettingKeys() {
		v := grammar.Variable(key)
		if other, taken := byVariable[v]; taken {
			t.Errorf("%s is %s and %s", v, key, other)
		}
		byVariable[v] = key
		if slices.Contains(anywhereFlags, "--"+key) {
			t.Errorf("--%s may stand anywhere", key)
		}
	}
	if v := grammar.Variable("generate msjo map-time"); v != "MRSCHED_GENERATE_MSJO_MAP_TIME" || byVariable[v] == "" {
		t.Error(v)
	}
}

// TestDefaultValue: a default that the help describes in words is no value, and neither is the zero behind it.
func TestDefaultValue(t *testing.T) {
	for _, x := range []struct {
		flag cli.Flag
		from any
		want any
	}{
		{&cli.Float64Flag{Name: "f", DefaultText: "as executed"}, 0.0, nil},
		{&cli.Int64Flag{Name: "n", DefaultText: "all"}, int64(0), nil},
		{&cli.Int64Flag{Name: "n"}, int64(0), int64(0)},
		{&cli.Float64Flag{Name: "f", Value: 5e6, DefaultText: "5 MB"}, 5e6, 5e6},
		{&cli.StringFlag{Name: "s", DefaultText: "0.5"}, "", "0.5"},
		{&cli.StringFlag{Name: "s", DefaultText: "2 GiB of text"}, "", nil},
		{&cli.BoolFlag{Name: "b"}, false, false},
	} {
		if got := defaultValue(x.flag, x.from); got != x.want {
			t.Errorf("%v: %v, want %v", x.flag, got, x.want)
		}
	}
}

// FuzzReadSettings: either a file of settings is read and all its keys are flags, or every finding has a code, a
// position and an expectation.
func FuzzReadSettings(f *testing.F) {
	for _, seed := range []string{``, `{}`, `[`,
		`{"threads":2,"solve":{"seed":-1,"algorithm":"mars"},"generate":{"msjo":{"map-time":"1.5"}}}`,
		`{"solve":{"sed":1,"seed":[1],"seed":{}}}`,
		`{"solve":1} {}`, `{"solve":{"seed":nul`, `{"\u0073olve":{"seed":1e999,"output":"\ud800"}}`, "{\"a\":\"\x00\"}",
		`{"generate":{"generate":{"generate":{}}}}`} {
		f.Add([]byte(seed))
	}
	program := described((&session{}).app())
	keys := program.SettingKeys()
	name := filepath.Join(f.TempDir(), "settings.json")
	f.Fuzz(func(t *testing.T, text []byte) {
		writeText(t, name, string(text))
		found, err := program.ReadSettings(name)
		for key, s := range found {
			if !keys[key] || s.From == "" {
				t.Errorf("%q is no flag, or from nowhere: %q", key, s.From)
			}
		}
		var bad *model.InputError
		if err == nil {
			return
		}
		if !errors.As(err, &bad) || len(bad.Findings) == 0 {
			t.Fatalf("%T without findings: %v", err, err)
		}
		for _, x := range bad.Findings {
			if x.Code == "" || x.Pos.File != name || x.What == "" || x.Expected == "" && x.Hint == "" {
				t.Errorf("%+v", x)
			}
		}
	})
}
