package cli

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"mrsched/io/engine"
	"mrsched/io/export"
	"mrsched/io/result"
)

const exportHelp = `RESULT is one result of problem cluster, INSTANCE what it was made for; export checks the result first and refuses an
invalid one with exit code 4.

airflow: a directory with mrsched_plan.json, which has for each task its priority_weight (higher if it starts earlier) and pool;
and mrsched_policy.py, a cluster policy that gives tasks these values and the weight_rule absolute. Ids of tasks are DAG.TASK or
DAG.TASK[MAP_INDEX]. With --queue node, a task that not every node may run has its node as queue: each node then needs a
worker that listens to a queue of the node's name. Runs that exist keep their values: see mrsched_policy.py.
slurm: a shell script that submits DIR/ID.sh for each task, in the plan's order (--nice), after what it waits for
(--dependency=afterok); DIR is the script's argument. Nodes and resources are not in it.
csv: for each task its start, its node, the task that starts before it there, and what it waits for, with | between ids
and \\ before | and \\ in them.`

func (s *session) exportCommand() *cli.Command {
	return &cli.Command{
		Name:        "export",
		Usage:       "write a plan as what Airflow or Slurm reads: an order that they can follow",
		ArgsUsage:   "RESULT",
		Description: exportHelp,
		UsageText: examples("mrsched export results/night --instance night.json --to airflow -o plan",
			"mrsched export results/night --instance night.json --to slurm -o submit.sh",
			"mrsched export results/night --instance night.json --to csv"),
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "instance", Usage: "the workload of the result"},
			choice(cli.StringFlag{Name: "to", Usage: "what to write"}, export.Targets()...),
			choice(cli.StringFlag{Name: "queue", DefaultText: "tasks keep theirs",
				Usage: "what becomes the queue of a task in Airflow"}, "node"),
			outputFlag("directory for airflow, else a file, or - for standard output", "-",
				"a directory, FILE.sh or FILE.csv, or - for standard output", ".sh", ".csv"),
			flagForce, flagUnknown, maxInputFlag(), maxCountFlag(), flagQuiet,
		},
		Action: s.export,
	}
}

func (s *session) export(c *cli.Context) error {
	args, err := arguments(c, "RESULT")
	if err != nil {
		return err
	}
	instance, to, out := c.String("instance"), c.String("to"), c.String("output")
	switch {
	case instance == "":
		return engine.Usagef("--instance is missing: name the workload of the result")
	case to == "":
		return engine.Usagef("--to is missing: name what to write (%s)", strings.Join(export.Targets(), ", "))
	case c.IsSet("queue") && to != "airflow":
		return engine.Usagef("--queue is for --to airflow")
	case to == "airflow" && out == "-":
		return engine.Usagef("-o is missing: --to airflow writes a directory")
	}
	if out != "-" {
		if err := engine.Vacant(out, c.Bool(flagForce.Name)); err != nil {
			return err
		}
		if err := export.Replaceable(out); err != nil {
			return engine.Usagef("-o %v", err)
		}
	}
	o, b, err := s.checkedResult(c, instance, args[0], fmt.Sprintf("export %s --instance %s", instance, args[0]))
	if err != nil {
		return err
	}
	schedule, _ := result.Schedule(o.Run.View(), b.Rows)
	p, err := export.New(o.Run.View(), schedule)
	if err != nil {
		return err
	}
	p.Queues = c.String("queue") == "node"
	if err := engine.Misplaced(out, p.Write(to, out, c.Bool(flagForce.Name), s.stdout)); err != nil {
		return err
	}
	for _, note := range p.Untold(to) {
		if !c.Bool(flagQuiet.Name) {
			fmt.Fprintf(s.stderr, "note: %s\n", note)
		}
	}
	return nil
}
