package estimates

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"mrsched/io/show"
	"mrsched/model"
	"mrsched/solver/estimate"
)

// estimateLine is an estimate as --json prints it. What is unknown is absent.
type estimateLine struct {
	Job        string          `json:"job"`
	Kind       string          `json:"kind"`
	Tasks      []string        `json:"tasks"`
	Worker     string          `json:"worker"`
	Bytes      *model.Bytes    `json:"bytes,omitempty"`
	CPU        *float64        `json:"cpu,omitempty"`
	Memory     *model.Bytes    `json:"memory_bytes,omitempty"`
	Time       model.Time      `json:"seconds"`
	From       estimate.Source `json:"from"`
	Runs       int             `json:"runs"`
	K          int             `json:"k,omitempty"`
	R          *float64        `json:"radius,omitempty"`
	Overhead   *float64        `json:"overhead,omitempty"`
	PerByte    *float64        `json:"seconds_per_byte,omitempty"`
	Neighbours []neighbourLine `json:"neighbours,omitempty"`
}

// neighbourLine is a past run that an estimate averages.
type neighbourLine struct {
	Row      int          `json:"row"` // from 1
	Worker   string       `json:"worker"`
	Bytes    model.Bytes  `json:"bytes"`
	CPU      *float64     `json:"cpu,omitempty"`
	Memory   *model.Bytes `json:"memory_bytes,omitempty"`
	Time     model.Time   `json:"seconds"`
	Distance float64      `json:"distance"`
	Weight   float64      `json:"weight"`
}

// known is a pointer to a value that is known.
func known[T any](x model.Optional[T]) *T {
	if !x.Known {
		return nil
	}
	return &x.Value
}

// each makes the estimates that were requested, one after another.
func (e *Estimates) each(ctx context.Context, do func(*estimateLine) error) error {
	for _, g := range e.groups {
		line := estimateLine{Kind: e.In.KindOf(g[0]).String()}
		for _, t := range g {
			var id string
			id, line.Job, _ = e.In.TaskName(model.TaskIndex(t))
			line.Tasks = append(line.Tasks, id)
		}
		if row := e.In.Task(g[0]); row == nil || row.InputBytes.Known {
			line.Bytes = &e.In.Bytes[g[0]]
		}
		for _, m := range e.workers[e.In.KindOf(g[0])] {
			if err := ctx.Err(); err != nil {
				return err
			}
			l := line
			e.fill(&l, e.Explain(g[0], m, e.neighbours))
			l.Worker = e.In.WorkerName(m)
			if err := do(&l); err != nil {
				return err
			}
		}
	}
	return nil
}

// fill adds what an estimate says.
func (e *Estimates) fill(l *estimateLine, x estimate.Estimate) {
	l.CPU, l.Memory, l.Time, l.From, l.Runs, l.K = known(x.CPU), known(x.Memory), x.Time, x.Source, x.Runs, x.K
	if x.K > 0 {
		l.R = &x.R
	}
	if x.Line {
		overhead, perByte := x.Overhead/float64(model.Second), x.PerByte/float64(model.Second)
		l.Overhead, l.PerByte = &overhead, &perByte
	}
	for _, n := range x.Neighbours {
		r := &e.w.History[n.Row]
		l.Neighbours = append(l.Neighbours, neighbourLine{n.Row + 1, r.Worker, r.Bytes, known(r.CPU), known(r.MemoryBytes),
			r.Time, n.Distance, n.Weight})
	}
}

// printJSON prints one estimate a line.
func (e *Estimates) printJSON(ctx context.Context, w io.Writer) error {
	out := bufio.NewWriter(w)
	encode := json.NewEncoder(out)
	encode.SetEscapeHTML(false)
	if err := e.each(ctx, func(l *estimateLine) error { return encode.Encode(l) }); err != nil {
		return err
	}
	return out.Flush()
}

// Print prints a table, for people with the nearest past runs under each row, or the estimates as JSON.
func (e *Estimates) Print(ctx context.Context, out show.Output) error {
	if out.Format == show.FormatJSON {
		return e.printJSON(ctx, out)
	}
	people := out.ForPeople()
	float := func(exact string) string {
		if v, err := strconv.ParseFloat(exact, 64); err == nil {
			return digits(v)
		}
		return show.Dash(exact)
	}
	t := &show.Table{Columns: []show.Column{{Name: "job"}, {Name: "kind", Rank: 5}, {Name: "tasks"}, {Name: "worker"},
		{Name: "bytes", Unit: model.UnitBytes, Rank: 4}, {Name: "cpu", Number: true, Show: float, Rank: 6},
		{Name: "memory_bytes", Title: "MEMORY", Unit: model.UnitBytes, Rank: 7},
		{Name: "seconds", Title: "TIME", Unit: model.UnitSeconds}, {Name: "from", Rank: 1},
		{Name: "runs", Whole: true, Rank: 2}, {Name: "k", Whole: true, Rank: 3},
		{Name: "radius", Title: "R", Number: true, Show: float, Rank: 8}}}
	err := e.each(ctx, func(l *estimateLine) error {
		tasks, k := strings.Join(l.Tasks, ";"), ""
		if people {
			tasks = several(l.Tasks)
		}
		if l.K > 0 {
			k = strconv.Itoa(l.K)
		}
		t.Add(l.Job, l.Kind, tasks, l.Worker, exact(l.Bytes), exact(l.CPU), exact(l.Memory), l.Time.String(),
			fmt.Sprint(l.From), strconv.Itoa(l.Runs), k, exact(l.R))
		if people {
			t.Note(l.under()...)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return out.Print(t)
}

// under are the lines below an estimate: the line that it is read off, and the nearest past runs.
func (l *estimateLine) under() (list []string) {
	if l.Overhead != nil {
		list = append(list, fmt.Sprintf("line: %s s + %s s a byte", digits(*l.Overhead), digits(*l.PerByte)))
	}
	for _, n := range l.Neighbours {
		list = append(list, fmt.Sprintf("history %d: weight %s, distance %s: %s on %s, %s, cpu %s, memory %s", n.Row,
			digits(n.Weight), digits(n.Distance), show.Time(n.Time), n.Worker, show.Bytes(n.Bytes), cores(n.CPU),
			show.Value(model.Number(exact(n.Memory)), model.UnitBytes, model.RoundDown)))
	}
	return list
}

// exact is a value's text; empty if it is unknown.
func exact[T any](v *T) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(*v)
}

// several names the first of some tasks, and how many more there are.
func several(tasks []string) string {
	if len(tasks) == 1 {
		return tasks[0]
	}
	return fmt.Sprintf("%s +%d", tasks[0], len(tasks)-1)
}

func cores(v *float64) string {
	if v == nil {
		return "–"
	}
	return digits(*v)
}

// digits is a number to four of them.
func digits(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }
