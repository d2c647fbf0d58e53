package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"mrsched/io/engine"
	"mrsched/io/trace"
	"mrsched/io/trace/batch"
	"mrsched/io/trace/dbt"
	"mrsched/io/workload"
	"mrsched/model"
)

const slurmHelp = `FILE is what sacct --parsable2 prints of jobs that ran, with its header; several files are parts of one log. Without a
header the columns are those of --columns. Each line with Elapsed above 0 is a job of one task, whatever its state, and is
released when it was submitted. A partition is a node, whose cpu is the most CPUs that its jobs had at once. Memory limits
nothing without --mem. The workload keeps when each job ran, and compare says what that cost. It is for problem cluster.`

func (s *session) slurmImporter() importer {
	return importer{name: "slurm", usage: "jobs of Slurm, as sacct --parsable2 prints them", about: slurmHelp,
		files: "FILE…", many: true,
		examples: []string{"mrsched import slurm sacct.txt --origin-zone Europe/Berlin -o month.json",
			"mrsched import slurm sacct.txt --cpu batch=128,long=512 --mem 2TiB -o partitions.json"},
		flags: []cli.Flag{
			&cli.StringFlag{Name: "columns", DefaultText: "the 26 that docs/formats.md lists",
				Usage: "columns of a file without a header, as in sacct --format"},
			originZoneFlag(),
			&cli.StringFlag{Name: "cpu", DefaultText: "the most in use at once",
				Usage: "CPUs of each partition, or of some: gpu=128,long=512"},
			&cli.StringFlag{Name: "mem", DefaultText: "unlimited", Usage: "memory of each partition, or of some: gpu=2TiB"},
		},
		read: func(c *cli.Context, files []trace.File) (*model.Workload, error) {
			opt, err := batchOptions(c)
			if err != nil {
				return nil, err
			}
			return batch.ImportSlurm(files, opt)
		}}
}

// batchOptions reads the flags of logs of batch systems.
func batchOptions(c *cli.Context) (batch.Options, error) {
	var found model.Findings
	opt := batch.Options{Columns: c.String("columns"), Zone: c.String("origin-zone"),
		CPU: perNode(c, "cpu", workload.ParseCores, &found), Memory: perNode(c, "mem", workload.ParseSize, &found)}
	return opt, found.Err()
}

const swfHelp = `FILE is a log in the Standard Workload Format of the Parallel Workloads Archive: lines of 18 numbers, comments with ;.
Each line with a run time above 0 is a job of one task, whatever its status, and is released when it was submitted. The machine
is one node, whose cpu is MaxProcs of the comments, else the most processors in use at once. A job waits for its preceding job.
Some logs know no waiting times: their submissions are starts, and a note says so. The workload is for problem cluster.`

func (s *session) swfImporter() importer {
	return importer{name: "swf", usage: "logs in the Standard Workload Format", about: swfHelp, files: "FILE",
		examples: []string{"mrsched import swf log.swf.gz -o log.json"},
		flags: []cli.Flag{originZoneFlag(),
			&cli.StringFlag{Name: "cpu", DefaultText: "MaxProcs of the comments", Usage: "processors of the machine"}},
		read: func(c *cli.Context, files []trace.File) (*model.Workload, error) {
			opt, err := batchOptions(c)
			if err != nil {
				return nil, err
			}
			return batch.ImportSWF(files[0], opt)
		}}
}

const dbtHelp = `FILE are run_results.json and manifest.json of one run, in any order; a folder such as target/ stands for the two in it,
and one of them alone also for the other beside it. What ran is a task of execution_time, skipped nodes are none, and a task waits
for its nearest ancestors in parent_map that ran. With dbt build it also waits for the tests whose parents are all above it. Hooks on
run start come before everything, those on run end after it. Each thread that ran something is a node. For problem cluster.`

func (s *session) dbtImporter() importer {
	return importer{name: "dbt", usage: "a run of dbt: run_results.json and manifest.json", about: dbtHelp, files: "FILE…",
		many: true, parts: dbtParts,
		examples: []string{"mrsched import dbt target/ -o build.json",
			"mrsched import dbt run_results.json manifest.json --origin-zone Europe/Berlin -o tonight.json"},
		flags: []cli.Flag{originZoneFlag()},
		read: func(c *cli.Context, files []trace.File) (*model.Workload, error) {
			return dbt.Import(files, dbt.Options{Zone: c.String("origin-zone")})
		}}
}

// dbtParts are the artifacts for which paths stand.
func dbtParts(paths []string) (list []string, err error) {
	for _, path := range paths {
		folder := path
		info, err := os.Stat(path)
		if err != nil || !info.IsDir() { // an error comes again when the file is opened
			list, folder = append(list, path), filepath.Dir(path)
		}
		for _, name := range dbt.Files() {
			beside := filepath.Join(folder, name)
			if len(paths) == 1 && path != "-" && beside != path && (folder == path || engine.Exists(beside)) {
				list = append(list, beside)
			}
		}
	}
	return list, nil
}

const csvHelp = `FILE is a table of another program, with a header; TABLE is the table of a workload that it becomes, which its name or the
mapped columns tell otherwise. --map has pairs COLUMN=SOURCE, with several files TABLE.COLUMN=SOURCE: SOURCE is a column of
FILE, A.B the texts of two with a point between, A:UNIT numbers of a unit such as GB, =TEXT the text for every row. A list a|b where a row
refers to others makes several rows. Rows whose key is there get the mapped columns, others are added. Jobs, racks and the root that no
table has are made. Units at the end of names count, as in ram_gb or Time (min). Durations may be h:mm:ss, not h:mm. --into FOLDER adds to
the workload there, or makes it, tasks first; --replace drops the rows of before. mrsched lint FILE proposes a map.`

func (s *session) csvImporter() importer {
	return importer{name: "csv", usage: "tables of other programs, by a map of columns", about: csvHelp,
		files: "[TABLE=]FILE…", many: true, parts: func(paths []string) ([]string, error) {
			list := slices.Clone(paths)
			for i := range list {
				_, list[i] = tableAndFile(list[i])
			}
			return list, nil
		},
		examples: []string{
			"mrsched import csv tasks=tries.csv --map id=dag_id.task_id,job=dag_id,processing_time=duration --into night/",
			"mrsched import csv topology=hosts.csv --map id=hostname,cpu=cores,memory_bytes=ram_gb --into night/"},
		flags: []cli.Flag{
			&listFlag{cli.StringFlag{Name: "map", Usage: "columns of the workload, and what they are taken from"}},
			&cli.StringFlag{Name: "into", Usage: "folder with a workload to which the rows are added, or of a new one"},
			&cli.BoolFlag{Name: "replace", Usage: "drop the rows of before from the tables that files become"},
			&cli.StringFlag{Name: "delimiter", DefaultText: "what the header has most of", Usage: "character between columns"},
			offering(cli.StringFlag{Name: "decimal", Value: "point", Usage: "what is before decimals"}, "point", "comma"),
			&cli.StringFlag{Name: "origin", DefaultText: "the workload's", Usage: "clock time of time 0, such as " +
				"2026-11-23T22:00"}},
		read: s.importTables}
}

// tableAndFile cuts TABLE=FILE.
func tableAndFile(arg string) (table, file string) {
	table, file, both := strings.Cut(arg, "=")
	if both && slices.ContainsFunc(workload.Tables(), func(t workload.TableInfo) bool { return t.Name == table }) {
		return table, file
	}
	return "", arg
}

func (s *session) importTables(c *cli.Context, files []trace.File) (*model.Workload, error) {
	m := workload.Mapping{Map: c.String("map"), Comma: c.String("decimal") == "comma",
		Replace: c.Bool("replace")}
	if m.Replace && c.String("into") == "" {
		return nil, engine.Usagef("--replace needs --into FOLDER, where the rows of before are")
	}
	if m.Map == "" {
		_, path := tableAndFile(c.Args().First())
		if command, ok := workload.Propose(path); ok {
			return nil, engine.Usagef("--map is missing; for instance: %s", command)
		}
		return nil, engine.Usagef("--map is missing: COLUMN=SOURCE,…; mrsched schema workload lists the columns")
	}
	if text := []rune(strings.ReplaceAll(c.String("delimiter"), `\t`, "\t")); len(text) == 1 {
		m.Delimiter = text[0]
	} else if len(text) > 1 {
		return nil, engine.Usagef("--delimiter %s: one character, or \\t for a tab", c.String("delimiter"))
	}
	var base *model.Workload
	var err error
	if folder := c.String("into"); folder != "" && engine.Exists(folder) {
		if base, err = s.readWith(c, folder, readOptions(c)); err != nil {
			return nil, err
		}
		s.told = len(base.Notes)
	}
	if text := c.String("origin"); text != "" {
		if m.Origin, err = model.ParseOrigin(text); err != nil {
			return nil, engine.Usagef("--origin %s %v", text, err)
		}
		if base != nil && base.Origin.Known() && base.Origin.String() != m.Origin.String() {
			return nil, engine.Usagef("--origin %s: time 0 of %s is %s, and all its times count from there; leave --origin out",
				text, c.String("into"), base.Origin)
		}
		if base != nil {
			base.Origin = m.Origin
		}
	}
	var list []workload.MappedFile
	for i, f := range files {
		table, _ := tableAndFile(c.Args().Get(i))
		list = append(list, workload.MappedFile{Table: table, Name: f.Name, Text: f.Text})
	}
	return m.Read(base, list)
}

// originZoneFlag says in which zone clock times are.
func originZoneFlag() cli.Flag {
	return &cli.StringFlag{Name: "origin-zone", DefaultText: "not stated",
		Usage: "time zone of clock times that state none, such as Europe/Berlin"}
}

// perNode reads a flag that has a value for all nodes, or NODE=VALUE for some.
func perNode[T any](c *cli.Context, flag string, parse func(string) (T, error),
	found *model.Findings) (p trace.PerNode[T]) {
	p.Named = map[string]T{}
	if !c.IsSet(flag) {
		return p
	}
	for part := range strings.SplitSeq(c.String(flag), ",") {
		node, text, named := strings.Cut(part, "=")
		if !named {
			text = part
		}
		v, err := parse(text)
		switch {
		case err != nil:
			found.Add(model.Finding{Code: model.CodeParameter, What: fmt.Sprintf("--%s %s", flag, c.String(flag)),
				Expected: "an amount above 0, or NODE=AMOUNT,…"})
		case named:
			p.Named[node] = v
		default:
			p.All = model.Some(v)
		}
	}
	return p
}
