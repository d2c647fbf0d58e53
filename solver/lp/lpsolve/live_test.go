package lpsolve

import (
	"path/filepath"
	"testing"

	"mrsched/solver/lp"
)

// TestLive counts problems as they come and go, by every way to make one.
func TestLive(t *testing.T) {
	before := Live()
	l, err := New(1, 2)
	must(t, err)
	m := lp.NewModel("")
	m.AddCol("x", 1, 0, lp.Inf)
	sv, err := NewSolver(m)
	must(t, err)
	if n := Live() - before; n != 2 {
		t.Errorf("%d problems, want 2", n)
	}
	must(t, l.Close())
	must(t, l.Close())
	must(t, sv.Close())
	if _, err := ReadFile(filepath.Join(t.TempDir(), "none.lp"), FormatLP); err == nil {
		t.Error("a file that is not there was read")
	}
	restore := Inject(Injection{Refuse: func(int64) bool { return true }})
	defer restore()
	if _, err := New(1, 1); err == nil {
		t.Error("no error without memory")
	}
	if n := Live() - before; n != 0 {
		t.Errorf("%d problems are left", n)
	}
}
