package command

import (
	"github.com/urfave/cli/v2"

	"mrsched/io/result"
	"mrsched/io/workload"
)

func (s *session) schemaCommand() *cli.Command {
	return &cli.Command{
		Name:        "schema",
		Usage:       "print the JSON Schema of workloads, results or differences",
		ArgsUsage:   "[workload|result|diff]",
		Description: withExamples("", "mrsched schema workload > workload.schema.json"),
		Action: func(c *cli.Context) error {
			name := "workload"
			if c.Args().Present() {
				name = c.Args().First()
				if _, err := arguments(c, "workload|result|diff"); err != nil {
					return err
				}
			}
			schemas := map[string]func() []byte{"workload": workload.Schema, "result": result.Schema, "diff": result.DiffSchema}
			schema, ok := schemas[name]
			if !ok {
				return unknown("schema", name, []string{"workload", "result", "diff"})
			}
			_, err := s.stdout.Write(schema())
			return err
		},
	}
}
