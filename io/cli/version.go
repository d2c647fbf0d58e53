package cli

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/urfave/cli/v2"

	"mrsched/io/check"
	"mrsched/io/diff"
	"mrsched/io/engine"
	"mrsched/io/result"
	"mrsched/io/workload"
	"mrsched/solver/lp/lpsolve"
)

// revision is the commit that the program was built from, with modifiedMark behind it if files differed from it. The
// Makefile and goreleaser set it, through the linker; empty: unknown.
var revision string

// revisionTime is when that commit was made, such as 2026-11-23T21:37:35Z. The Makefile and goreleaser set it.
var revisionTime string

const modifiedMark = "-modified"

func (s *session) versionCommand() *cli.Command {
	return &cli.Command{
		Name:      "version",
		Usage:     "print the version and how the program was built",
		UsageText: examples("mrsched version"),
		Action: func(*cli.Context) error {
			from, modified := strings.CutSuffix(revision, modifiedMark)
			made := revisionTime
			if info, ok := debug.ReadBuildInfo(); ok {
				for _, x := range info.Settings {
					switch x.Key {
					case "vcs.revision":
						from = x.Value
					case "vcs.time":
						made = x.Value
					case "vcs.modified":
						modified = x.Value == "true"
					}
				}
			}
			if from = cmp.Or(from, "not recorded in this build"); made != "" {
				from += " of " + made
			}
			if modified {
				from += ", modified"
			}
			_, err := fmt.Fprintf(s.stdout, "mrsched   %s\nrevision  %s\ngo        %s %s/%s\nlp_solve  %s\n", Version, from,
				runtime.Version(), runtime.GOOS, runtime.GOARCH, lpsolve.Version())
			return err
		},
	}
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
