package cli

import (
	"github.com/urfave/cli/v2"

	"mrsched/io/trace"
	"mrsched/io/trace/pcmax"
	"mrsched/io/trace/psplib"
	"mrsched/io/trace/rcmax"
	"mrsched/io/trace/rwct"
	"mrsched/io/trace/stg"
	"mrsched/model"
)

// The formats of benchmark instances.

const rcmaxHelp = `FILE is an instance of R||Cmax in one of two layouts, told by the first line. Either each machine has
a line with a number of seconds for each job, separated by commas, and there is no header. Or, as the benchmarks do it,
the first line is "n m" (jobs, machines), perhaps with a third number, and each job has a line of m pairs: a machine,
counted from 0, and seconds. The machines of a line ascend; if they do not, the file is a job shop and is refused. The workload is for problem realtime: one job, whose partitions are the jobs of the file.`

func (s *session) rcmaxImporter() importer {
	return importer{name: "rcmax", usage: "a matrix of processing times on unrelated machines", about: rcmaxHelp,
		files:    "FILE",
		examples: []string{"mrsched import rcmax matrix.txt -o matrix.json"},
		read: func(_ *cli.Context, files []trace.File) (*model.Workload, error) {
			return rcmax.Import(files[0].Text, files[0].Name)
		}}
}

const rwctHelp = `FILE is an instance of R||ΣwC: a line with the weights of the jobs, then a line a machine with the seconds of each job on
it. Numbers are separated by commas. Each job of the file is a job of one map, and the table times states the seconds.
The workload is for problem cluster.`

func (s *session) rwctImporter() importer {
	return importer{name: "rwct", usage: "jobs with weights on unrelated machines", about: rwctHelp, files: "FILE",
		examples: []string{"mrsched import rwct weighted.csv -o weighted.json"},
		read: func(_ *cli.Context, files []trace.File) (*model.Workload, error) {
			return rwct.Import(files[0])
		}}
}

const pcmaxHelp = `FILE is an instance of P||Cmax: the number of machines, the number of tasks, and the tasks' seconds, between blanks or
line ends. The workload is for problem msjo: one job, whose maps are the tasks, on so many identical machines.`

func (s *session) pcmaxImporter() importer {
	return importer{name: "pcmax", usage: "lengths of tasks on identical machines", about: pcmaxHelp, files: "FILE",
		examples: []string{"mrsched import pcmax lengths.txt -o lengths.json"},
		read: func(_ *cli.Context, files []trace.File) (*model.Workload, error) {
			return pcmax.Import(files[0])
		}}
}

const psplibHelp = `FILE is a project with renewable resources, whose jobs have one mode: a .sm file of PSPLIB, or a file of numbers in the
layout of Patterson (.rcp). Or it is several projects in the layout of MPLIB (.rcmp). A project is a job, whose maps are
the project's jobs, with precedence in the table delays. There is one node with the table capacities, and the table
demands. The workload is for problem cluster; the project's own objective is its makespan.`

func (s *session) psplibImporter() importer {
	return importer{name: "psplib", usage: "projects with renewable resources (RCPSP)", about: psplibHelp, files: "FILE",
		examples: []string{"mrsched import psplib j301_1.sm -o project.json",
			"mrsched import psplib RG300_1.rcp -o rg300.json"},
		read: func(_ *cli.Context, files []trace.File) (*model.Workload, error) {
			return psplib.Import(files[0])
		}}
}

const stgHelp = `FILE is a graph of the Standard Task Graph Set: the number n of tasks, then a line for each of n tasks and two dummies with
id, length, number of predecessors and their ids. Lines that begin with # are comments. The workload is for problem msjo:
one job, whose maps are the tasks, with precedence in the table delays.`

func (s *session) stgImporter() importer {
	return importer{name: "stg", usage: "a standard task graph: one DAG job", about: stgHelp, files: "FILE",
		examples: []string{"mrsched import stg graph.stg --machines 4 -o graph.json"},
		flags: []cli.Flag{&cli.Int64Flag{Name: "machines", DefaultText: "as many as the widest level has tasks",
			Usage: "number of identical machines"}},
		read: func(c *cli.Context, files []trace.File) (*model.Workload, error) {
			return stg.Import(files[0], stg.Options{Machines: givenCount(c, "machines")})
		}}
}
