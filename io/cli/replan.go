package cli

import (
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"mrsched/io/artifact"
	"mrsched/io/engine"
	"mrsched/io/grammar"
	"mrsched/io/result"
	"mrsched/io/workload"
	"mrsched/model"
)

// The flags of planning again.
var (
	flagFrom = &cli.StringFlag{Name: "from",
		Usage: "plan this earlier result again: start from the rows that can stay, and never end worse; of several " +
			"instances the directory of their earlier results: those without one that can be planned again are solved " +
			"without"}
	flagFreeze = &timeFlag{cli.StringFlag{Name: "freeze-until", DefaultText: "0",
		Usage: "with --from: keep machine and start of all that the result starts before this time, in seconds, as 10m, " +
			"or, with an origin, as 02:00; nothing else starts before it"}}
	flagChange = &cli.StringFlag{Name: "change-penalty", DefaultText: "0",
		Usage: "with --from: what each task of the result that changes costs, in the unit of the objective"}
	flagTolerance = &timeFlag{cli.StringFlag{Name: "change-tolerance", DefaultText: "0",
		Usage: "with --from: a start that moves by at most this time, in seconds or as 1m, is not a change"}}
	flagState = &cli.StringFlag{Name: "state",
		Usage: "plan from what has really happened by --now: a CSV file with the columns task, node, start, end (empty: it " +
			"runs), and perhaps remaining; beside the result goes the instance with this state, OUT.instance.json, which " +
			"check reads"}
	flagNow = &cli.StringFlag{Name: "now",
		Usage: "with --state: the time, in seconds, as 4h, or, with an origin, as 02:00; what has not begun starts then " +
			"or later"}
	flagDown = &listFlag{cli.StringFlag{Name: "down",
		Usage: "with --state: a node (or these, " + grammar.ListUsage + ") that is down from --now on, as etl09, perhaps " +
			"until a time, as etl09:03:30; what runs there starts afresh"}}
	flagGrace = &cli.StringFlag{Name: "grace", DefaultText: "60",
		Usage: "with --state: how long a task that should have ended is expected to run on, in seconds or as 1m"}
	replanFlags = []cli.Flag{flagFrom, flagFreeze, flagChange, flagTolerance, flagState, flagNow, flagDown, flagGrace}
)

// again is what has really happened; nil: nothing is stated.
func again(c *cli.Context) *workload.Again {
	if c.String(flagState.Name) == "" {
		return nil
	}
	a := &workload.Again{State: c.String(flagState.Name), Now: c.String(flagNow.Name), Grace: c.String(flagGrace.Name)}
	if c.IsSet(flagDown.Name) {
		a.Down = strings.Split(c.String(flagDown.Name), ",")
	}
	return a
}

// readEarlier reads the result that is planned again, and what is to be kept of it. A folder is that of one of several
// instances; nil if it has no result.
func readEarlier(c *cli.Context, folder string) (b *result.Bundle, keep model.Replan, err error) {
	if keep.Tolerance, err = timeOf(c, flagTolerance.Name); err != nil {
		return nil, keep, err
	}
	if text := c.String(flagChange.Name); text != "" {
		if keep.Penalty, err = model.ParseWeight(text); err != nil {
			return nil, keep, engine.Usagef("--%s %q: expected a number, at least 0", flagChange.Name, text)
		}
	}
	path := filepath.Join(c.String(flagFrom.Name), folder)
	if folder != "" && !engine.Exists(path) {
		return nil, keep, nil
	}
	paths, err := artifact.ResultPaths(path)
	if err != nil {
		return nil, keep, err
	}
	if len(paths) != 1 {
		return nil, keep, engine.Usagef("--%s %s holds %d results; name one, such as %s", flagFrom.Name, path, len(paths),
			paths[0])
	}
	b, found, err := artifact.ResultAt(path, paths[0])
	switch {
	case err != nil:
		return nil, keep, err
	case len(found) > 0:
		return nil, keep, engine.Usagef("--%s %s does not pass check: %s", flagFrom.Name, path, result.Told(found)[0])
	case b.Rows == nil:
		return nil, keep, engine.Usagef("--%s %s has no schedule", flagFrom.Name, path)
	}
	keep.Path = paths[0]
	if text := c.String(flagFreeze.Name); text != "" {
		origin, _ := model.ParseOrigin(b.Result.Instance.Origin) // unknown if the result states none
		if keep.Until, err = workload.ParseMoment(text, origin, model.Some(model.Time(0))); err != nil {
			return nil, keep, engine.Usagef("--%s %q %v", flagFreeze.Name, text, err)
		}
	}
	return b, keep, nil
}
