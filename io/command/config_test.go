package command

import (
	"slices"
	"testing"
)

// TestVariables: no two flags have one variable, none of them is that of --config, and no command has a flag that may
// stand anywhere.
func TestVariables(t *testing.T) {
	byVariable := map[string]string{configVariable: "config"}
	for key := range settingKeys((&session{}).app()) {
		v := variable(key)
		if other, taken := byVariable[v]; taken {
			t.Errorf("%s is %s and %s", v, key, other)
		}
		byVariable[v] = key
		if slices.Contains(anywhereFlags, "--"+key) {
			t.Errorf("--%s may stand anywhere", key)
		}
	}
	if v := variable("generate msjo map-time"); v != "MRSCHED_GENERATE_MSJO_MAP_TIME" || byVariable[v] == "" {
		t.Error(v)
	}
}

// TestOrigins: of the settings, those that an error names or quotes.
func TestOrigins(t *testing.T) {
	s := &session{set: map[string]setting{"threads": {"0", "A"}, "thread": {"5", "B"}, "algorithm": {"mars,mrs", "C"}, "job": {"", "D"}, "seed": {"-1", "E"}}}
	for text, want := range map[string][]string{
		"--threads 0: expected at least 1":      {"--threads 0 is from A"},
		`unknown algorithm of msjo "mrs"`:       {"--algorithm mars,mrs is from C"},
		`invalid value "-1" for flag --seed: x`: {"--seed -1 is from E"},
		"w.json: already exists":                nil,
		"give --job":                            {"--job  is from D"},
	} {
		if got := s.origins(usagef("%s", text)); !slices.Equal(got, want) {
			t.Errorf("%s: %q", text, got)
		}
	}
}
