package shop_test

import (
	"strings"
	"testing"

	"mrsched/model"
)

// TestDoubts: rows of fixed that contradict releases, order, eligible or deadlines are doubted, and no others. On n1,
// all tasks of example take 4 s, on n2 8 s.
func TestDoubts(t *testing.T) {
	at := model.Locus{}
	fixed := func(task, node string, start model.Time) func(b *model.Builder) {
		return func(b *model.Builder) { b.FixedTask(task, node, start*model.Second, at) }
	}
	away := func(node string) func(b *model.Builder) {
		return func(b *model.Builder) {
			b.Unavailable(model.Unavailable{Until: model.Some(10 * model.Second)}, node, at)
		}
	}
	only := func(b *model.Builder) { b.Eligible("", "a1", "n2", at) }
	after := func(b *model.Builder) { b.Dependency("b", "a", 3*model.Second, at) }
	reduced := func(b *model.Builder) {
		b.Job(model.Job{ID: "c"}, at)
		b.Task(model.Task{ID: "m", Processing: model.Some(4 * model.Second), ShuffleDelay: 2 * model.Second}, "c", "", at)
		b.Task(model.Task{ID: "r", Kind: model.Reduce, Processing: model.Some(model.Second)}, "c", "", at)
	}
	for _, c := range []struct {
		name, want string
		changes    []func(b *model.Builder)
	}{
		{"its own place", "", []func(b *model.Builder){fixed("a1", "n1", 0)}},
		{"it runs already", "", []func(b *model.Builder){fixed("a1", "n1", -2), fixed("a2", "n1", 3)}},
		{"too early", `task "a1" before it, with the delay between them, leaves it no time before 5 s`,
			[]func(b *model.Builder){fixed("a2", "n1", 4)}},
		{"late enough, perhaps", `task "a1" before it is not fixed: a plan may end that later`,
			[]func(b *model.Builder){fixed("a2", "n1", 5)}},
		{"late enough", "", []func(b *model.Builder){fixed("a1", "n1", 0), fixed("a2", "n1", 5)}},
		{"both fixed, too early", "leaves it no time before 5 s",
			[]func(b *model.Builder){fixed("a1", "n1", 0), fixed("a2", "n1", 4)}},
		{"slow node", "leaves it no time before 9 s", []func(b *model.Builder){fixed("a1", "n2", 0), fixed("a2", "n1", 8)}},
		{"before is away", "leaves it no time before 15 s",
			[]func(b *model.Builder){away("n1"), away("n2"), fixed("a2", "n1", 14)}},
		{"release", "is released at 2 s", []func(b *model.Builder){fixed("b1", "n1", 1)}},
		{"ran before its release", "is released at 2 s", []func(b *model.Builder){fixed("b1", "n1", -1)}},
		{"due", "", []func(b *model.Builder){fixed("b1", "n1", 18)}},
		{"overdue", "its job is due at 22 s, and cannot end before 23 s", []func(b *model.Builder){fixed("b1", "n1", 19)}},
		{"eligible", "the table eligible leaves that node out", []func(b *model.Builder){only, fixed("a1", "n1", 0)}},
		{"allowed", "", []func(b *model.Builder){only, fixed("a1", "n2", 0)}},
		{"dependency", `task "a2" before it, with the delay between them, leaves it no time before 12 s`,
			[]func(b *model.Builder){after, fixed("a1", "n1", 0), fixed("a2", "n1", 5), fixed("b1", "n1", 11)}},
		{"after the dependency", "",
			[]func(b *model.Builder){after, fixed("a1", "n1", 0), fixed("a2", "n1", 5), fixed("b1", "n1", 12)}},
		{"reduce", `task "m" before it, with the delay between them, leaves it no time before 6 s`,
			[]func(b *model.Builder){reduced, fixed("r", "n1", 5)}},
	} {
		found := opened(t, func(b *model.Builder) {
			for _, change := range c.changes {
				change(b)
			}
		}).Doubts()
		switch {
		case c.want == "" && len(found) > 0:
			t.Errorf("%s: %v", c.name, found)
		case c.want != "" && (len(found) != 1 || found[0].Code != model.CodeFixedDoubt ||
			!strings.HasSuffix(found[0].What, c.want)):
			t.Errorf("%s: %v, want one that ends in %q", c.name, found, c.want)
		}
	}
}
