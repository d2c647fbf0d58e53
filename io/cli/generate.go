package cli

import (
	"strings"

	"github.com/urfave/cli/v2"

	"mrsched/instances"
	"mrsched/io/engine"
	"mrsched/io/grammar"
	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/solver"
)

func (s *session) generateCommand() *cli.Command {
	generate := &cli.Command{
		Name:        "generate",
		Usage:       "generate an instance: the papers' generators, reductions and examples",
		ArgsUsage:   problemArgument,
		Description: "Each problem has presets and flags of its own: mrsched generate PROBLEM --help.",
		UsageText:   examples("mrsched generate msjo --preset fig1 -o example.json"),
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return model.NewInputError(engine.NoSuch("problem", c.Args().First(), engine.ProblemNames()))
			}
			return engine.Usagef("PROBLEM is missing: mrsched generate PROBLEM, one of %s",
				strings.Join(engine.ProblemNames(), ", "))
		},
	}
	for _, p := range engine.Problems() {
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
	var examples, names []string
	readsFiles := false
	for _, p := range instances.Presets() {
		if p.Problem == problem {
			presets, names = append(presets, p), append(names, p.Name)
			params = append(params, p.Params...)
			examples = append(examples, p.Examples...)
			readsFiles = readsFiles || len(p.Files) > 0
		}
	}
	if len(presets) == 0 {
		return nil
	}
	flags := []cli.Flag{
		&choiceFlag{StringFlag: cli.StringFlag{Name: "preset", Value: presets[0].Name,
			Usage: "the generator or example to use"}, choices: names},
		workloadOutput("", "-"),
		flagSeed, flagForce, flagQuiet,
	}
	if readsFiles {
		flags = append(flags, maxInputFlag())
	}
	return &cli.Command{
		Name:        problem,
		Usage:       "generate an instance of " + problem,
		Description: presetHelp(presets),
		UsageText:   strings.Join(examples, "\n"),
		Flags:       append(flags, flagsOf(params, func(string) string { return "" })...),
		Action:      func(c *cli.Context) error { return s.generate(c, problem, params) },
	}
}

// presetHelp lists presets with the flags that each has.
func presetHelp(presets []instances.Preset) string {
	var rows [][2]string
	for _, p := range presets {
		text := p.Summary
		for i, q := range p.Params {
			if text += " --" + q.Name; i == 0 {
				text = p.Summary + ": --" + q.Name
			}
		}
		rows = append(rows, [2]string{p.Name, text})
	}
	return "Presets, and the flags that have an effect on each:\n\n" + grammar.Aligned(rows)
}

func (s *session) generate(c *cli.Context, problem string, all []solver.Param) error {
	preset, err := instances.FindPreset(problem, c.String("preset"))
	if err != nil {
		return engine.Usagef("%v", err)
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
	if onLine(c, flagSeed.Name) {
		return nil, engine.Usagef("--%s has no effect on preset %s", flagSeed.Name, preset.Name)
	}
	return workload.ReadBytes(preset.Document, preset.Name, workload.Options{})
}
