package cli

import (
	"strings"

	"github.com/urfave/cli/v2"

	"mrsched/io/trace/alibaba"
	"mrsched/io/trace/wfformat"
	"mrsched/model"
)

const wfformatHelp = `FILE is a workflow in the JSON of WfCommons that was run: version 1.5 or later, or the older shape of 1.0 to 1.4. Each
file is a job whose precedence is that of the workflow, in the table delays: problem msjo takes it exactly. Multitenant
and realtime read kinds and times, tasks without parents being maps; hta and reduceplace find no data to place.
A task runs on one machine, however many cores it used. Several workflows are released as they were executed.`

func (s *session) wfformatImporter() importer {
	return importer{name: "wfformat", usage: "workflows of WfCommons: DAG jobs", about: wfformatHelp, files: "FILE…",
		many: true,
		examples: []string{"mrsched import wfformat montage.json --bandwidth 1000 -o montage-workload.json",
			"mrsched import wfformat workflows/*.json --interarrival 60 --machines 32 -o day.json"},
		flags: []cli.Flag{
			&cli.Float64Flag{Name: "interarrival", DefaultText: "as executed", Usage: "seconds between the releases of two " +
				"workflows, in the files' order; 0: all at once"},
			&cli.Float64Flag{Name: "bandwidth", DefaultText: "unlimited", Usage: "megabits a second at which files move " +
				"between tasks; makes delays of them"},
			&cli.Int64Flag{Name: "machines", DefaultText: "the stated machines' cores", Usage: "number of identical machines"},
		},
		read: importWorkflows}
}

func importWorkflows(c *cli.Context, files []traceFile) (*model.Workload, error) {
	opt := wfformat.Options{Machines: givenCount(c, "machines")}
	var found model.Findings
	if c.IsSet("interarrival") {
		v := c.Float64("interarrival")
		if v >= 0 && v <= model.MaxHorizon.Seconds() {
			opt.Interarrival = model.Some(model.TimeOf(v))
		} else {
			found.Add(outside("interarrival", v, "seconds"))
		}
	}
	if c.IsSet("bandwidth") {
		opt.Bandwidth = model.Some(bandwidth(c, "bandwidth", &found))
	}
	if err := found.Err(); err != nil {
		return nil, err
	}
	var list []wfformat.File
	for _, f := range files {
		list = append(list, wfformat.File{Name: f.name, Text: f.text})
	}
	return wfformat.Import(list, opt)
}

const alibabaHelp = `FILE is batch_task.csv of cluster-trace-v2018; several files are parts of one trace. A task M5_3_4 waits for all instances
of its job's tasks 3 and 4. Every instance is a task, and all of a task take the same time, as the file knows no more.
Problem msjo takes the workload exactly; a job that is a stage graph may have further tasks of no length, .done, which
stand for the end of all instances. Multitenant and realtime read kinds and times; hta and reduceplace find no data.`

func (s *session) alibabaImporter() importer {
	opt := alibaba.DefaultOptions()
	return importer{name: "alibaba", usage: "batch_task.csv of Alibaba's cluster-trace-v2018: DAG jobs",
		about: alibabaHelp, files: "FILE…", many: true,
		examples: []string{"mrsched import alibaba batch_task.csv.gz --jobs 200 -o alibaba.json",
			"tar -xzOf batch_task.tar.gz | mrsched import alibaba - --jobs 1000 --instances one -o dags.json"},
		flags: []cli.Flag{
			&cli.Int64Flag{Name: "jobs", DefaultText: "all", Usage: "import only so many jobs, the first to start"},
			&cli.BoolFlag{Name: "include-failed", Usage: "import tasks that are not Terminated too"},
			&cli.StringFlag{Name: "instances", Value: opt.Instances, Usage: "what becomes of a task's instances: all of them " +
				"tasks, or together one task (" + strings.Join(alibaba.Instances(), "|") + ")"},
			&cli.Int64Flag{Name: "instances-max", DefaultText: "any number", Usage: "instances of a task at most; what there " +
				"are then take longer, so that the work stays"},
			&cli.StringFlag{Name: "durations", Value: opt.Durations, Usage: "from when a task's time counts: its start or " +
				"the end of what it waits for, whichever is later; or its start (" + strings.Join(alibaba.Durations(), "|") + ")"},
			&cli.Int64Flag{Name: "machines", DefaultText: "as many as were busy at once", Usage: "number of identical machines"},
		},
		read: importBatch}
}

func importBatch(c *cli.Context, files []traceFile) (*model.Workload, error) {
	opt := alibaba.Options{Jobs: givenCount(c, "jobs"), IncludeFailed: c.Bool("include-failed"),
		Instances: c.String("instances"), MaxInstances: givenCount(c, "instances-max"),
		Durations: c.String("durations"), Machines: givenCount(c, "machines")}
	var list []alibaba.File
	for _, f := range files {
		list = append(list, alibaba.File{Name: f.name, Text: f.text})
	}
	return alibaba.Import(list, opt)
}
