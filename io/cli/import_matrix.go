package cli

import (
	"github.com/urfave/cli/v2"

	"mrsched/io/trace/keys"
	"mrsched/io/trace/rcmax"
	"mrsched/model"
)

const rcmaxHelp = `FILE is an instance of R||Cmax in one of two layouts, told by the first line. Either each machine has
a line with a number of seconds for each job, separated by commas, and there is no header. Or, as the benchmarks do it,
the first line is "n m" (jobs, machines), perhaps with a third number, and each job has a line of m pairs: a machine,
counted from 0, and seconds. The workload is for problem realtime: one job, whose partitions are the jobs of the file.`

func (s *session) rcmaxImporter() importer {
	return importer{name: "rcmax", usage: "a matrix of processing times on unrelated machines", about: rcmaxHelp,
		files:    "FILE",
		examples: []string{"mrsched import rcmax matrix.txt -o matrix.json"},
		read: func(_ *cli.Context, files []traceFile) (*model.Workload, error) {
			return rcmax.Import(files[0].text, files[0].name)
		}}
}

const keysHelp = `FILE is CSV with the columns map, key and count, in any order; map may be empty. Rows of the same map and key add up. All
files together are one job of problem realtime, whose keys are yet to be hashed into partitions.`

func (s *session) keysImporter() importer {
	opt := keys.DefaultOptions()
	return importer{name: "keys", usage: "counts of the keys in the output of maps", about: keysHelp, files: "FILE…",
		many:     true,
		examples: []string{"mrsched import keys words.csv --reduces 20 -o words.json"},
		flags: []cli.Flag{
			&cli.Int64Flag{Name: "bytes-per-value", Value: opt.BytesPerValue, Usage: "bytes that a value of a key takes"},
			&cli.Int64Flag{Name: "reduces", Value: opt.Reduces, Usage: "reduces of the job"},
			&cli.Int64Flag{Name: "partitions", DefaultText: "as solve says", Usage: "partitions that the keys are hashed into"},
			&cli.Float64Flag{Name: "reduce-bytes-per-s", Value: opt.ReduceRate, DefaultText: rate(opt.ReduceRate),
				Usage: "bytes that a reduce works off in a second"},
			&cli.Int64Flag{Name: "machines", DefaultText: "one a reduce", Usage: "number of identical machines"},
		},
		read: importKeys}
}

func importKeys(c *cli.Context, files []traceFile) (*model.Workload, error) {
	opt := keys.DefaultOptions()
	opt.BytesPerValue, opt.Reduces, opt.ReduceRate = c.Int64("bytes-per-value"), c.Int64("reduces"),
		c.Float64("reduce-bytes-per-s")
	opt.Partitions, opt.Machines = givenCount(c, "partitions"), givenCount(c, "machines")
	var list []keys.File
	for _, f := range files {
		list = append(list, keys.File{Name: f.name, Text: f.text})
	}
	return keys.Import(list, opt)
}
