package workload

import (
	"errors"
	"os"
	"strings"

	"mrsched/io/textpos"
	"mrsched/model"
)

// Again is what has really happened by a time: the table state, in CSV, and the nodes that are down. Times are texts,
// as clock times need the workload's origin.
type Again struct {
	State, Now, Grace string
	Down              []string // NODE or NODE:UNTIL
}

// read reads it behind the workload.
func (a *Again) read(l *lane) {
	bad := func(flag, text string, err error) {
		if err != nil {
			l.findings.Add(model.Finding{Code: model.CodeParameter, What: "--" + flag + " " + textpos.Quoted(text) + " " +
				err.Error()})
		}
	}
	now, err := ParseMoment(a.Now, l.origin.value, model.Optional[model.Time]{})
	bad("now", a.Now, err)
	var grace model.Optional[model.Time]
	if a.Grace != "" {
		if grace.Value, err = ParseTime(a.Grace); err != nil {
			bad("grace", a.Grace, errors.New("is no time; expected seconds or a duration such as 2m"))
		}
		grace.Known = true
	}
	var down []model.Down
	for _, text := range a.Down {
		d := model.Down{}
		var until string
		if d.Node, until, d.Until.Known = strings.Cut(text, ":"); d.Until.Known {
			if d.Until.Value, err = ParseMoment(until, l.origin.value, model.Some(now)); err == nil && d.Until.Value <= now {
				err = errors.New("is up again before --now; leave out a node that is up, and the time of one that stays down")
			}
			bad("down", text, err)
		}
		down = append(down, d)
	}
	l.out <- func(b *model.Builder) { b.Again(now, grace, down) }
	f, err := os.Open(a.State)
	if err != nil {
		l.findings.Add(model.Finding{Code: model.CodeUnreadable, Pos: model.Position{File: a.State},
			What: "cannot be read: " + textpos.Cause(err), Expected: "a CSV file with the columns of the table state"})
		return
	}
	defer f.Close()
	stateTable.readCSV(l, textpos.NewReader(f, a.State))
}
