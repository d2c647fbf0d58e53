package command

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"mrsched/instances"
	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/solver"
)

func (s *session) generateCommand() *cli.Command {
	generate := &cli.Command{
		Name:      "generate",
		Usage:     "make an instance: `generate PROBLEM --preset NAME -o FILE|DIR`",
		ArgsUsage: "PROBLEM",
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return unknown("problem", c.Args().First(), problemNames())
			}
			return usagef("PROBLEM is missing: mrsched generate PROBLEM, one of %s", strings.Join(problemNames(), ", "))
		},
	}
	for _, p := range problems() {
		if sub := s.generateProblem(p.Name); sub != nil {
			generate.Subcommands = append(generate.Subcommands, sub)
		}
	}
	return generate
}

// generateProblem is the sub-command for one problem: the flags of all its presets.
func (s *session) generateProblem(problem string) *cli.Command {
	var presets []instances.Preset
	var params []solver.Param
	usage := "the generator:"
	for _, p := range instances.Presets() {
		if p.Problem == problem {
			presets = append(presets, p)
			params = append(params, p.Params...)
			usage += fmt.Sprintf(" %s (%s);", p.Name, p.Summary)
		}
	}
	if len(presets) == 0 {
		return nil
	}
	flags := []cli.Flag{
		&cli.StringFlag{Name: "preset", Value: presets[0].Name, Usage: usage},
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Value: "-", Usage: "FILE.json[.gz], a directory for CSV, or - for standard output"},
		flagSeed, flagForce,
	}
	return &cli.Command{
		Name:   problem,
		Usage:  "make an instance of " + problem,
		Flags:  append(flags, paramFlags(params)...),
		Action: func(c *cli.Context) error { return s.generate(c, problem, params) },
	}
}

func (s *session) generate(c *cli.Context, problem string, all []solver.Param) error {
	if _, err := arguments(c); err != nil {
		return err
	}
	preset, err := instances.FindPreset(problem, c.String("preset"))
	if err != nil {
		return usagef("%v", err)
	}
	used := map[string]bool{}
	for _, p := range preset.Params {
		used[p.Name] = true
	}
	if err := foreign(c, all, used, "preset "+preset.Name); err != nil {
		return err
	}
	params, err := paramValues(c, preset.Params)
	if err != nil {
		return err
	}
	w, err := makeInstance(c, preset, params)
	if err != nil {
		return err
	}
	return s.writeWorkload(c, w)
}

// makeInstance runs a preset's generator or reads its document.
func makeInstance(c *cli.Context, preset instances.Preset, params solver.Params) (*model.Workload, error) {
	if preset.Document == nil {
		return preset.Generate(params, c.Uint64(flagSeed.Name))
	}
	if c.IsSet(flagSeed.Name) {
		return nil, usagef("--%s has no effect on preset %s", flagSeed.Name, preset.Name)
	}
	return workload.ReadBytes(preset.Document, preset.Name, workload.Options{})
}
