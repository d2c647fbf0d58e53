package cli

import (
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"mrsched/io/engine"
	"mrsched/io/trace"
	"mrsched/io/trace/spark"
	"mrsched/model"
)

const sparkHelp = `FILE is the event log of one application, plain, gzip or zstd; several files, or a directory, are the parts of a rolling
log. A job is a Spark job and a task the last successful attempt of a Spark task; the others are counted. Nodes are the
executors with their cores and the times when they were there. The workload keeps when and where each task ran, and no
recorded start breaks a wait or a capacity. With --jobs recorded, a job waits for those that were over when the driver
submitted it, and as long after them as the driver took. Problem msjo knows neither these waits nor nodes; it says so.`

func (s *session) sparkImporter() importer {
	return importer{name: "spark", usage: "the event log of a Spark application", about: sparkHelp, files: "FILE…",
		many: true, parts: sparkParts,
		examples: []string{"mrsched import spark eventlog_v2_app-20261123/ -o app.json",
			"mrsched import spark app.zstd --jobs free --executors 20 --cores 4 -o larger.json"},
		flags: []cli.Flag{
			offering(cli.StringFlag{Name: "jobs", Value: spark.Recorded,
				Usage: "what a job waits for: the jobs that were over at its submission, or only those whose data it reads"},
				spark.Jobs()...),
			&cli.Int64Flag{Name: "executors", DefaultText: "those of the log",
				Usage: "plan for this many executors instead of the log's; needs --cores"},
			&cli.Int64Flag{Name: "cores", Usage: "cores of each of these executors"},
			&cli.BoolFlag{Name: "skip-bad-lines", Usage: "leave out malformed lines and count them"},
		},
		read: importSpark}
}

func importSpark(c *cli.Context, files []trace.File) (*model.Workload, error) {
	return spark.Import(files, spark.Options{Jobs: c.String("jobs"), SkipBadLines: c.Bool("skip-bad-lines"),
		Executors: givenCount(c, "executors"), Cores: givenCount(c, "cores")})
}

// sparkParts puts the parts of a log in order, those of directories included.
func sparkParts(paths []string) ([]string, error) {
	list, err := expanded(paths, spark.Parts, model.Finding{What: "the directory has no part of an event log",
		Expected: "files such as events_1_… or eventlog", Hint: "name a log in it: mrsched import spark FILE"})
	return spark.InOrder(list), err
}

// expanded puts those files of directories that a format chooses in their place; lack is the finding if there are none.
func expanded(paths []string, choose func(names []string) []string, lack model.Finding) (list []string, err error) {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || !info.IsDir() { // an error comes again when the file is opened
			list = append(list, path)
			continue
		}
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, unreadable(path, "cannot read the directory: "+engine.Underlying(err).Error(), "")
		}
		var names []string
		for _, e := range entries {
			if !e.IsDir() {
				names = append(names, e.Name())
			}
		}
		parts := choose(names)
		if len(parts) == 0 {
			lack.Code, lack.Pos.File = model.CodeNothingLeft, path
			return nil, model.NewInputError(lack)
		}
		for _, name := range parts {
			list = append(list, filepath.Join(path, name))
		}
	}
	return list, nil
}
