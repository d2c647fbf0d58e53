package cli

import (
	"github.com/urfave/cli/v2"

	"mrsched/io/engine"
	"mrsched/io/lab/shard"
	"mrsched/io/lab/sweep"
	"mrsched/io/result"
	"mrsched/io/workload"
)

// schemaNames are the documents that have a schema, the first if none is named.
var schemaNames = []string{"workload", "result", "diff", "sweep"}

func (s *session) schemaCommand() *cli.Command {
	return &cli.Command{
		Name:      "schema",
		Usage:     "print the JSON Schema of workloads, results, differences or the specs of sweeps",
		ArgsUsage: "[workload|result|diff|sweep]",
		Description: withExamples("", "mrsched schema workload > workload.schema.json",
			"mrsched schema sweep > sweep.schema.json"),
		Action: func(c *cli.Context) error {
			name := schemaNames[0]
			if c.Args().Present() {
				name = c.Args().First()
				if _, err := arguments(c, "workload|result|diff|sweep"); err != nil {
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
		return result.DiffSchema(), nil
	case "sweep":
		return sweep.Schema(shard.Catalog())
	}
	return nil, engine.Unknown("schema", name, schemaNames)
}
