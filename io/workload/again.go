package workload

import (
	"errors"
	"os"

	"mrsched/io/textpos"
	"mrsched/model"
)

// Again is what has really happened by a time: the table state, in CSV, and the nodes that are down. Times are texts,
// as clock times need the workload's origin.
type Again struct {
	State, Now, Grace string
	Down              []string // NODE or NODE:UNTIL
}

// badFlag is the finding of a flag's value.
func badFlag(flag, text string, err error) *model.Finding {
	return &model.Finding{Code: model.CodeParameter, What: "--" + flag + " " + textpos.Quoted(text) + " " + err.Error()}
}

// downOf splits NODE:UNTIL at the first colon that leaves a time.
func downOf(text string, now model.Time, origin model.Origin) model.Down {
	d := model.Down{Text: text, Node: text}
	for at := range text {
		if text[at] != ':' {
			continue
		}
		until, err := ParseMoment(text[at+1:], origin, model.Some(now))
		isTime := err == nil
		if !isTime && d.Bad != nil {
			continue
		}
		switch {
		case isTime && until <= now:
			err = errors.New("is up again before --now; leave out a node that is up, and the time of one that stays down")
		case isTime && until > now+lateNextDay && model.LooksLikeClock(text[at+1:]) && !model.HasDate(text[at+1:]):
			err = errors.New("is up again on the next day; if that is meant, write the date, or the time since time 0")
		}
		if d.Node, d.Until, d.Bad = text[:at], model.Some(until), nil; err != nil {
			d.Bad = badFlag("down", text, err)
		}
		if isTime {
			break
		}
	}
	return d
}

// read reads it behind the workload.
func (a *Again) read(l *intake) {
	bad := func(flag, text string, err error) {
		if err != nil {
			l.findings.Add(*badFlag(flag, text, err))
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
		down = append(down, downOf(text, now, l.origin.value))
	}
	l.b.Again(now, grace, down)
	f, err := os.Open(a.State)
	if err != nil {
		l.findings.Add(model.Finding{Code: model.CodeUnreadable, Pos: model.Position{File: a.State},
			What: "cannot be read: " + textpos.Cause(err), Expected: "a CSV file with the columns of the table state"})
		return
	}
	defer f.Close()
	stateTable.readCSV(l, textpos.NewReader(f, a.State))
}
