package cli

import (
	"encoding/csv"
	"io"

	"github.com/urfave/cli/v2"

	"mrsched/io/disk"
	"mrsched/io/trace"
	"mrsched/io/trace/airflow"
	"mrsched/io/workload"
	"mrsched/model"
)

const airflowHelp = `FOLDER has exports of Airflow's tables as CSV (task_instance, task_instance_history, task_fail, slot_pool, dag,
serialized_dag), and of what a site adds: sla_by by dag_id; without serialized_dag, edges (dag_id, upstream_task_id,
downstream_task_id) and dag_dependencies. Files of JSON are answers of the REST API: task_instances, dags, pools, and the tasks of
each DAG in a file named after it. A DAG is a job; its second run in a night is another one, DAG#2. All tries become the table
runs; the last complete night is recorded. Pools are capacities of the root. Without --nodes, nodes are the hosts on which
tasks ran, and a task may use those that its queue had. With --state-at, the output is not the workload but a table of
what the running night has done by then, for planning again.`

func (s *session) airflowImporter() importer {
	return importer{name: "airflow", usage: "nights of Airflow: tables of its database, or answers of its REST API",
		about: airflowHelp, files: "FOLDER", many: true, parts: airflowParts,
		examples: []string{
			"mrsched import airflow exports --night 2026-11-27T22:00Z --nodes 12 --cpu 8 --mem 32GB -o planned.json",
			"mrsched import airflow exports --state-at 22:02 -o state.csv"},
		flags: []cli.Flag{
			&cli.StringFlag{Name: "run", DefaultText: "the last complete one", Usage: "run_id of the night that is recorded"},
			&cli.StringFlag{Name: "night", DefaultText: "when the recorded night began",
				Usage: "clock time with date, and offset or [zone], at which the night to plan begins: time 0"},
			durationFlag("p50"),
			&cli.Int64Flag{Name: "nodes", DefaultText: "the hosts of the recorded night", Usage: "number of nodes"},
			&cli.Float64Flag{Name: "cpu", DefaultText: "as many as tasks ran at once", Usage: "cores of each node"},
			&cli.StringFlag{Name: "mem", DefaultText: "not stated", Usage: "memory of each node, such as 32GB"},
			&cli.StringFlag{Name: "state-at",
				Usage: "write the state of the running night at a clock time, such as 02:00, instead"},
		},
		read: func(c *cli.Context, files []trace.File) (*model.Workload, error) {
			opt, err := airflowOptions(c)
			if err != nil {
				return nil, err
			}
			return airflow.Import(files, opt)
		},
		table: func(c *cli.Context, files []trace.File) ([][]string, []string, error) {
			opt, err := airflowOptions(c)
			if err != nil {
				return nil, nil, err
			}
			return airflow.State(files, opt, c.String("state-at"))
		}}
}

func airflowOptions(c *cli.Context) (airflow.Options, error) {
	opt := airflow.Options{Run: c.String("run"), Night: c.String("night"), Duration: c.String("duration"),
		Nodes: givenCount(c, "nodes"), CPU: model.Optional[float64]{Value: c.Float64("cpu"), Known: c.IsSet("cpu")}}
	if text := c.String("mem"); text != "" {
		bytes, err := workload.ParseSize(text)
		if err != nil {
			return opt, model.NewInputError(model.Finding{Code: model.CodeParameter, What: "--mem " + text,
				Expected: "an amount above 0, such as 32GB"})
		}
		opt.Memory = model.Some(bytes)
	}
	return opt, nil
}

// airflowParts are the files that may hold tables, those of directories included.
func airflowParts(paths []string) ([]string, error) {
	return expanded(paths, airflow.Parts, model.Finding{What: "the directory has no CSV or JSON",
		Expected: "files such as task_instance.csv"})
}

// writeTable writes a table of an importer where a workload would go.
func (s *session) writeTable(c *cli.Context, rows [][]string) error {
	write := func(w io.Writer) error { return csv.NewWriter(w).WriteAll(rows) }
	if out := c.String("output"); out != "-" {
		return disk.WriteFile(out, c.Bool(flagForce.Name), write)
	}
	return write(s.stdout)
}
