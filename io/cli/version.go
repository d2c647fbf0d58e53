package cli

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"mrsched/io/check"
	"mrsched/io/diff"
	"mrsched/io/engine"
	"mrsched/io/result"
	"mrsched/io/show"
	"mrsched/io/workload"
	"mrsched/solver/lp/lpsolve"
)

// revision is the commit that the program was built from, with modifiedMark behind it if files differed from it. The
// Makefile and goreleaser set it, through the linker; empty: unknown.
var revision string

// revisionTime is when that commit was made, such as 2026-11-23T21:37:35Z. The Makefile and goreleaser set it.
var revisionTime string

const modifiedMark = "-modified"

// build is what the program knows of how it was built. What is unknown is absent.
type build struct {
	Version  string `json:"version"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	LPSolve  string `json:"lp_solve"`
	Revision string `json:"revision,omitempty"`
	Time     string `json:"revision_time,omitempty"`
	Modified bool   `json:"modified,omitempty"` // the sources differ from the revision
}

func thisBuild() *build {
	b := &build{Version: Version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		LPSolve: lpsolve.Version()}
	b.Revision, b.Modified = strings.CutSuffix(revision, modifiedMark)
	b.Time = revisionTime
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, x := range info.Settings {
		switch x.Key {
		case "vcs.revision":
			b.Revision = x.Value
		case "vcs.time":
			b.Time = x.Value
		case "vcs.modified":
			b.Modified = x.Value == "true"
		}
	}
	return b
}

func (s *session) versionCommand() *cli.Command {
	return &cli.Command{
		Name:  "version",
		Usage: "print the version and how the program was built",
		UsageText: examples("mrsched version",
			"mrsched version --json"),
		Flags: []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print one JSON line"}},
		Action: func(c *cli.Context) error {
			b := thisBuild()
			if c.Bool("json") {
				return show.WriteLines(s.stdout, []*build{b})
			}
			return s.printBuild(b)
		},
	}
}

func (s *session) printBuild(b *build) error {
	tw := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "mrsched\t%s\n", b.Version)
	text := cmp.Or(b.Revision, "not recorded in this build")
	if b.Time != "" {
		text += " of " + b.Time
	}
	if b.Modified {
		text += ", modified"
	}
	fmt.Fprintf(tw, "revision\t%s\n", text)
	fmt.Fprintf(tw, "go\t%s %s\nlp_solve\t%s\n", b.Go, b.Platform, b.LPSolve)
	return tw.Flush()
}

// schemaNames are the documents that have a schema, the first if none is named.
var schemaNames = []string{"workload", "result", "diff", "check"}

func (s *session) schemaCommand() *cli.Command {
	return &cli.Command{
		Name:      "schema",
		Usage:     "print the JSON Schema of workloads, results, differences or checks",
		ArgsUsage: schemaArgument,
		UsageText: examples("mrsched schema workload > workload.schema.json"),
		Action: func(c *cli.Context) error {
			name := schemaNames[0]
			if c.Args().Present() {
				name = c.Args().First()
				if _, err := arguments(c, "workload|result|diff|check"); err != nil {
					return err
				}
			}
			schema, err := schemaOf(name)
			if err != nil {
				return err
			}
			_, err = s.stdout.Write(schema)
			return err
		},
	}
}

// schemaOf is the schema of a document.
func schemaOf(name string) ([]byte, error) {
	switch name {
	case "workload":
		return workload.Schema(), nil
	case "result":
		return result.Schema(), nil
	case "diff":
		return diff.Schema(), nil
	case "check":
		return check.Schema(), nil
	case "sweep":
		return nil, engine.Usagef("specs of sweeps have no schema: sweep SPEC.json --dry-run checks one")
	}
	return nil, engine.Unknown("schema", name, schemaNames)
}
