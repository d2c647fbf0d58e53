package cli

import (
	"github.com/urfave/cli/v2"

	"mrsched/io/trace"
	"mrsched/io/trace/bench"
	"mrsched/model"
)

const rcmaxHelp = `FILE is an instance of R||Cmax in one of two layouts, told by the first line. Either each machine has
a line with a number of seconds for each job, separated by commas, and there is no header. Or, as the benchmarks do it,
the first line is "n m" (jobs, machines), perhaps with a third number, and each job has a line of m pairs: a machine,
counted from 0, and seconds. The machines of a line ascend; if they do not, the file is a job shop and is refused. The workload is for problem realtime: one job, whose partitions are the jobs of the file.`

const rwctHelp = `FILE is an instance of R||ΣwC: a line with the weights of the jobs, then a line a machine with the seconds of each job on
it. Numbers are separated by commas. Each job of the file is a job of one map, and the table times states the seconds.
The workload is for problem cluster.`

const pcmaxHelp = `FILE is an instance of P||Cmax: the number of machines, the number of tasks, and the tasks' seconds, between blanks or
line ends. The workload is for problem msjo: one job, whose maps are the tasks, on so many identical machines.`

const psplibHelp = `FILE is a project with renewable resources, whose jobs have one mode: a .sm file of PSPLIB, or a file of numbers in the
layout of Patterson (.rcp). Or it is several projects in the layout of MPLIB (.rcmp). A project is a job, whose maps are
the project's jobs, with precedence in the table delays. There is one node with the table capacities, and the table
demands. The workload is for problem cluster; the project's own objective is its makespan.`

const stgHelp = `FILE is a graph of the Standard Task Graph Set: the number n of tasks, then a line for each of n tasks and two dummies with
id, length, number of predecessors and their ids. Lines that begin with # are comments. The workload is for problem msjo:
one job, whose maps are the tasks, with precedence in the table delays.`

// benchmarkImporters are the formats of benchmark instances, one file each.
func benchmarkImporters() []importer {
	list := []importer{
		{name: "pcmax", usage: "lengths of tasks on identical machines", about: pcmaxHelp, read: reads(bench.PCMax),
			examples: []string{"mrsched import pcmax lengths.txt -o lengths.json"}},
		{name: "psplib", usage: "projects with renewable resources (RCPSP)", about: psplibHelp, read: reads(bench.PSPLIB),
			examples: []string{"mrsched import psplib j301_1.sm -o project.json",
				"mrsched import psplib RG300_1.rcp -o rg300.json"}},
		{name: "rcmax", usage: "a matrix of processing times on unrelated machines", about: rcmaxHelp,
			read: reads(bench.RCMax), examples: []string{"mrsched import rcmax matrix.txt -o matrix.json"}},
		{name: "rwct", usage: "jobs with weights on unrelated machines", about: rwctHelp, read: reads(bench.RWCT),
			examples: []string{"mrsched import rwct weighted.csv -o weighted.json"}},
		{name: "stg", usage: "a standard task graph: one DAG job", about: stgHelp, read: reads(bench.STG),
			examples: []string{"mrsched import stg graph.stg --machines 4 -o graph.json"},
			flags: []cli.Flag{&cli.Int64Flag{Name: "machines", DefaultText: "as many as the widest level has tasks",
				Usage: "number of identical machines"}}},
	}
	for i := range list {
		list[i].files = "FILE"
	}
	return list
}

// reads imports a file of a format, with the machines of the command line if the format has that flag.
func reads(f bench.Format) func(c *cli.Context, files []trace.File) (*model.Workload, error) {
	return func(c *cli.Context, files []trace.File) (*model.Workload, error) {
		return f.Import(files[0], bench.Options{Machines: givenCount(c, "machines")})
	}
}
