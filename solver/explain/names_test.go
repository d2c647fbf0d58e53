package explain

import "testing"

// TestNames: all of a few names, the first of many.
func TestNames(t *testing.T) {
	own := func(s string) string { return s }
	for _, c := range []struct{ got, want string }{
		{Names(nil, own), ""}, {Names([]string{"a"}, own), "a"}, {Names([]string{"a", "b"}, own), "a and b"},
		{Names([]string{"a", "b", "c"}, own), "a, b and c"},
		{Names([]string{"a", "b", "c", "d", "e"}, own), "a, b, c and 2 more"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
