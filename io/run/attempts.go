package run

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"mrsched/io/show"
	"mrsched/io/textpos"
)

// DefaultAttempts is how often a run is begun whose process dies. The first death may be the fault of another run, the
// second of a process that was already large; the third is most likely the run's own.
const DefaultAttempts = 3

// codeDied marks runs in which the process died too often.
const codeDied = "died"

// apart separates the runs during which a process died. They are tried last and one at a time, those with the fewest
// deaths first, so that none is blamed for a death that another caused.
func (x *Sweep) apart(left []int, attempts *Attempts) (others, suspects []int) {
	times := func(i int) int { return attempts.Suspicion(x.runs[i].ID).Times }
	for _, i := range left {
		if times(i) > 0 {
			suspects = append(suspects, i)
		} else {
			others = append(others, i)
		}
	}
	slices.SortStableFunc(suspects, func(a, b int) int { return cmp.Compare(times(a), times(b)) })
	return others, suspects
}

// giveUp turns suspects that were begun often enough, and alone at least once, into errors, and returns the others.
func (x *Sweep) giveUp(suspects []int, rows *Log, attempts *Attempts) (again []int, err error) {
	for _, i := range suspects {
		run := x.runs[i]
		s := attempts.Suspicion(run.ID)
		if s.Times < x.Attempts || !s.Alone {
			again = append(again, i)
			continue
		}
		row := x.plan.newRow(run)
		if _, err := x.resolve(&x.plan.Variants[run.Variant], row); err != nil {
			return nil, err
		}
		row.Status, row.Code = StatusError, codeDied
		row.Note = fmt.Sprintf("the process ended %s while this run was solved", timesText(s.Times))
		if err := rows.Append(row); err != nil {
			return nil, err
		}
		if err := attempts.End(run.ID); err != nil {
			return nil, err
		}
		x.already++
		x.Failed++
	}
	if n := len(suspects) - len(again); n > 0 {
		x.Note("given up, because the process ended too often: %s", show.Counted(n, "run"))
	}
	if n := len(again); n > 0 {
		x.Note("under way when an earlier process ended: %s; tried again last, one at a time", show.Counted(n, "run"))
	}
	return again, nil
}

func timesText(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// maxFailed is how many errors the end of a sweep lists.
const maxFailed = 10

// ListFailed lists the runs of the shard that are errors.
func (x *Sweep) ListFailed(w io.Writer) error {
	ids, of := make([]string, len(x.mine)), map[string]Run{}
	for k, i := range x.mine {
		ids[k] = x.runs[i].ID
		of[ids[k]] = x.runs[i]
	}
	first, rest, err := Failed(x.Dir, ids, maxFailed)
	if err != nil {
		return err
	}
	for _, row := range first {
		run := of[row.ID]
		fmt.Fprintf(w, "error: %s: %s, %s: %s\n", row.ID, textpos.Visible(x.plan.Instances[run.Instance].Name),
			RunText(x.plan, run), textpos.Visible(firstFinding(row.Note)))
	}
	if n := x.Failed - len(first); n > 0 {
		see := filepath.Join(x.Dir, Rows+"-*.jsonl")
		if len(rest) == 1 {
			see = rest[0]
		}
		fmt.Fprintf(w, "… and %d more: see %s\n", n, textpos.Visible(see))
	}
	return nil
}

// RunText is a run's algorithm, the parameters that the spec states, and the seed.
func RunText(p *Plan, run Run) string {
	v := &p.Variants[run.Variant]
	return strings.Join(strings.Fields(fmt.Sprintf("%s %s seed=%d", v.Algorithm, v.StatedText(), run.Seed)), " ")
}

// nextFinding matches the border between two findings in a row's note, which is one line.
var nextFinding = regexp.MustCompile(`; (?:[A-Z][0-9]{3} |… and [0-9]+ more$)`)

// firstFinding is the first line or finding of a row's note.
func firstFinding(note string) string {
	note, _, _ = strings.Cut(note, "\n")
	if at := nextFinding.FindStringIndex(note); at != nil {
		note = note[:at[0]]
	}
	return note
}
