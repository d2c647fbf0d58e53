package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"mrsched/io/engine"
	"mrsched/io/grammar"
	"mrsched/io/sizing"
	"mrsched/io/solve"
	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/solver"
)

const sizeHelp = `Solves the instance, of problem cluster, with several numbers of nodes. Without --deadline every size of the range is
solved. With --deadline only those are solved that decide how many are needed for the last task to end by then: the fewest
with a schedule that does, the most for which a bound proves that none does, and what is open between them.

Nodes that leave are those of --remove, then the last ones of the topology, with their replicas. Nodes that join are copies of the
topology's nodes in turn: they stand in its rack, have its cpu, memory, slots, speed and bandwidth, no replicas, and are always
available. They have no named resources, such as licences, but those of --copy-resources. A size without a node that a row
needs, as a row of fixed does, is impossible, and so are all smaller ones. A schedule for some nodes is one for more, and a bound holds
for fewer, so costs and bounds never rise with the size.

With -o DIR the sizes go to DIR/sizes.csv, and for each size N that was solved there are DIR/N.instance.json
and DIR/N.result.json, which mrsched check accepts together.`

// Flags of size.
var (
	flagNodes  = &cli.StringFlag{Name: "nodes", Usage: "the numbers of nodes to look at, such as 4..64 or 4,8,12..16"}
	flagRemove = &listFlag{cli.StringFlag{Name: "remove", Usage: "nodes that leave first, the first named one first (" +
		grammar.ListUsage + "); without --nodes, the sizes are those with and without all of them"}}
	flagCopied = &listFlag{cli.StringFlag{Name: "copy-resources",
		Usage: "named resources that nodes that join have, too, as the nodes that they copy (" + grammar.ListUsage +
			"; default: none)"}}
	flagDeadline = &timeFlag{cli.StringFlag{Name: "deadline",
		Usage: "time by which all tasks must have ended, in seconds or as 2h30m, or a clock time if the workload has an " +
			"origin: how many nodes are needed? (--objective is then makespan)"}}
)

func (s *session) sizeCommand() *cli.Command {
	algorithm := &cli.StringFlag{Name: "algorithm", Aliases: []string{"a"},
		Usage: "one algorithm (default: the problem's default)"}
	flags := []cli.Flag{flagProblem, flagNodes, flagRemove, flagCopied, flagDeadline, algorithm,
		outputFlag("directory for sizes, instances and results", "", "a directory"),
		timeLimitFlag("stop after this time, in seconds or as 5m, shared by all sizes (results may then differ from run " +
			"to run)"),
		flagIterations, flagSeed, flagThreads, flagFormat, flagJSON, flagForce, flagUnknown, maxInputFlag(), maxCountFlag(),
		flagQuiet}
	return &cli.Command{
		Name:        "size",
		Usage:       "find how many nodes a workload needs",
		ArgsUsage:   "INSTANCE",
		Description: sizeHelp,
		UsageText: examples("mrsched size etl.json --nodes 2..16 --deadline 30m",
			"mrsched size etl.json --nodes 4..12 -o results/sizes"),
		Flags:  append(flags, paramFlags(sizableParams())...),
		Action: s.howMany,
	}
}

func (s *session) howMany(c *cli.Context) error {
	out := s.output(c)
	dir := c.String("output")
	if dir == "-" {
		return engine.Usagef("-o -: name a directory; --format csv or json prints the table to standard output")
	}
	if dir != "" {
		if err := engine.Vacant(dir, c.Bool(flagForce.Name)); err != nil {
			return err
		}
		if err := sizing.Replaceable(dir); err != nil {
			return engine.Usagef("-o %v", err)
		}
	}
	o, err := s.sizeOptions(c, c.Args().First())
	if err != nil {
		return err
	}
	defer limitCores(c)()
	answer, err := sizing.Find(c.Context, o)
	if err != nil {
		return solve.OfInstance(c.Args().First(), err)
	}
	if err := answer.Print(out, o); err != nil {
		return err
	}
	if line := answer.Lacking(o); line != "" && !out.ForPeople() {
		fmt.Fprintln(s.notes(c), "note: "+line)
	}
	if dir != "" {
		if err := engine.Misplaced(dir, answer.Write(dir, c.Bool(flagForce.Name), o)); err != nil {
			return err
		}
	}
	if errors.Is(context.Cause(c.Context), context.Canceled) {
		return &engine.ExitError{Code: engine.ExitInterrupted}
	}
	return nil
}

// sizeOptions reads the instance and the flags.
func (s *session) sizeOptions(c *cli.Context, path string) (o sizing.Options, err error) {
	o = sizing.Options{Threads: c.Int(flagThreads.Name),
		TimeLimit: timeLimit(c), Iterations: iterations(c), Seed: c.Uint64(flagSeed.Name)}
	o.Follow = func(machines int, limit time.Duration, watch *solver.Watch) func() {
		line := newStatus(c.Context, s.stderr, nil, fmt.Sprintf("%d", machines), c.Bool(flagQuiet.Name), limit, watch)
		return line.End
	}
	if o.Problem, o.Workload, err = s.instance(c, path); err != nil {
		return o, err
	}
	if o.Problem.Carried == nil {
		return o, engine.Usagef("size asks about problem %s, not %s; solve with several numbers of machines instead",
			strings.Join(problemsThat(sizable), " or "), o.Problem.Name)
	}
	algorithms, _, err := o.Problem.SelectAlgorithms(c.String("algorithm"), len(o.Workload.Tasks))
	if err != nil {
		return o, err
	}
	if o.Algorithm = algorithms[0]; len(algorithms) > 1 {
		return o, engine.Usagef("-a %s: name one algorithm", c.String("algorithm"))
	}
	if o.Params, err = paramValues(c, o.Problem.Params); err != nil {
		return o, err
	}
	sizes, err := sizeRemoved(c, &o)
	if err != nil {
		return o, err
	}
	if err := errors.Join(sizeRange(c, &o, sizes), sizeGrowth(c, &o), sizeDeadline(c, &o)); err != nil {
		return o, err
	}
	if err := largest(c, &o); err != nil {
		return o, solve.OfInstance(path, err)
	}
	used := o.Problem.Used(o.Params, algorithms...)
	return o, foreign(c, sizableParams(), used, "this problem and algorithm")
}

// largest demands that other commands read the instance of the largest size.
func largest(c *cli.Context, o *sizing.Options) error {
	w, err := o.Workload.Resize(o.Sizes[len(o.Sizes)-1], o.Copied)
	if err != nil {
		return nil //nolint:nilerr // it has no schedule, and the table says so
	}
	return workload.LimitCounts(w, c.Int64(maxCountName))
}

// sizeRemoved puts the nodes that leave first at the end of the topology. It returns the sizes with and without them.
func sizeRemoved(c *cli.Context, o *sizing.Options) (sizes string, err error) {
	text := c.String(flagRemove.Name)
	if text == "" {
		return "", nil
	}
	if !o.Workload.HasTopology {
		return "", engine.Usagef("--%s has no effect: the workload has no topology", flagRemove.Name)
	}
	hosts := o.Workload.Hosts()
	var names []string
	for _, n := range hosts {
		names = append(names, o.Workload.Topology[n].ID)
	}
	var gone []model.NodeIndex
	for _, name := range strings.Split(text, ",") {
		k := slices.Index(names, strings.TrimSpace(name))
		if k < 0 {
			return "", engine.Unknown("--"+flagRemove.Name, name, names)
		}
		if slices.Contains(gone, hosts[k]) || len(gone)+1 == len(hosts) {
			return "", engine.Usagef("--%s %s: name nodes once each, and leave one", flagRemove.Name, text)
		}
		gone = append(gone, hosts[k])
	}
	slices.Reverse(gone)
	o.Workload = o.Workload.Last(gone)
	return fmt.Sprintf("%d,%d", len(hosts)-len(gone), len(hosts)), nil
}

// sizeRange reads the sizes, ranges and single ones; sizes are those if the flag is not given.
func sizeRange(c *cli.Context, o *sizing.Options, sizes string) error {
	flag := flagNodes.Name
	if sizes = cmp.Or(c.String(flag), sizes); sizes == "" {
		return engine.Usagef("--%s is missing: name the numbers of nodes to look at, such as --%s 4..64", flag, flag)
	}
	wrong := engine.Usagef("--%s %q: expected at most %d sizes from 1 on, such as 4..64 or 4,8,12..16", flag, sizes,
		maxSizes)
	for part := range strings.SplitSeq(sizes, ",") {
		if low, high, ok := strings.Cut(part, "-"); ok && low != "" {
			return engine.Usagef("--%s %q: a range has two points: write %s..%s", flag, sizes, low, high)
		}
		from, to, ok := strings.Cut(part, "..")
		low, err := strconv.Atoi(strings.TrimSpace(from))
		high := low
		if ok && err == nil {
			high, err = strconv.Atoi(strings.TrimSpace(to))
		}
		if most := min(c.Int64(maxCountName), maxNodes); err == nil && int64(high) > most {
			return engine.Usagef("--%s %q: expected sizes of at most %d", flag, sizes, most)
		}
		if err != nil || low < 1 || high < low || high-low+len(o.Sizes) >= maxSizes {
			return wrong
		}
		for k := low; k <= high; k++ {
			o.Sizes = append(o.Sizes, k)
		}
	}
	slices.Sort(o.Sizes)
	o.Sizes = slices.Compact(o.Sizes)
	return nil
}

// sizeGrowth reads which resources nodes that join have.
func sizeGrowth(c *cli.Context, o *sizing.Options) error {
	copied := c.String(flagCopied.Name)
	switch {
	case copied == "":
		return nil
	case !o.Workload.HasTopology:
		return engine.Usagef("--%s has no effect: the workload has no topology", flagCopied.Name)
	}
	o.Copied = strings.Split(copied, ",")
	var names []string // of nodes: what a rack or the root states is shared by nodes that join
	for _, x := range o.Workload.Capacities {
		if o.Workload.Topology[x.Node].Kind == model.HostNode && !slices.Contains(names, x.Resource) {
			names = append(names, x.Resource)
		}
	}
	for k, name := range o.Copied {
		name = strings.TrimSpace(name)
		o.Copied[k] = name
		if len(names) == 0 {
			return engine.Usagef("--%s has no effect: no node states a resource in the table capacities", flagCopied.Name)
		}
		if !slices.Contains(names, name) {
			return engine.Unknown("--"+flagCopied.Name, name, names)
		}
	}
	return nil
}

// maxSizes is how many sizes one call may range over, maxNodes the largest one.
const maxSizes, maxNodes = 10_000, 1_000_000

// flagObjective is the parameter that says what a schedule costs, and ends its value for which a deadline counts.
const (
	flagObjective = "objective"
	ends          = "makespan"
)

// sizeDeadline reads the deadline and makes the last end the objective.
func sizeDeadline(c *cli.Context, o *sizing.Options) error {
	text := c.String(flagDeadline.Name)
	if text == "" {
		return nil
	}
	t, err := workload.ParseMoment(text, o.Workload.Origin, model.Some(model.Time(0)))
	if err == nil && t <= 0 {
		err = errors.New("is not later than time 0")
	}
	if err != nil {
		return engine.Usagef("--deadline %q %v", text, err)
	}
	if c.IsSet(flagObjective) && o.Params.Text(flagObjective) != ends {
		return engine.Usagef("--deadline asks for the end of the last task: it excludes --objective %s",
			o.Params.Text(flagObjective))
	}
	o.Deadline, o.Params[flagObjective] = model.Some(t), ends
	return nil
}
