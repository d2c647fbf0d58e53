package instances

import (
	"embed"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"mrsched/model"
	"mrsched/solver"
)

// Preset makes the instances of one kind: by a generator, or from a shipped document.
type Preset struct {
	Problem string
	Name    string
	Summary string
	// Examples are commands that make an instance of the preset.
	Examples []string
	Params   []solver.Param
	Files    []string // the parameters that name files
	Fixed    bool     // sweeps refuse seeds, which would change nothing
	// Generate makes a workload; nil if there is a Document. Errors: parameters that contradict each other.
	Generate func(p solver.Params, seed uint64) (*model.Workload, error)
	// Tasks estimates how many tasks Generate makes, maps, reduces and partitions or keys together, so that callers can
	// refuse what does not fit into memory; nil: few.
	Tasks func(p solver.Params, seed uint64) int64
	// Document is the workload itself, as canonical JSON; nil if it is generated.
	Document []byte
}

// Presets lists all generators and shipped examples; the first of a problem is its default.
func Presets() []Preset {
	return append([]Preset{marsPreset(), wikipediaPreset(),
		replicatedPreset(), satPreset(), thm41Preset(), thm43Preset(), thm54Preset(),
		placementPreset(), realtimePreset(twitterJob), realtimePreset(youtubeJob), realtimePreset(colocatedJob),
		shufflewatcherPreset(), clusterPreset()}, Examples()...)
}

//go:embed examples/fig1.json examples/dag.json examples/tree.json examples/sorts.json examples/deadlines.json
//go:embed examples/fig7.json examples/etl.json
var documents embed.FS

// Examples lists the shipped instances: presets whose workload is a document.
func Examples() []Preset {
	list := []Preset{
		{Problem: "msjo", Name: "fig1", Summary: "the MarS paper's first figure: 2 jobs on 3 machines"},
		{Problem: "msjo", Name: "dag", Summary: "a stage graph, a map-reduce and a map-only job on 4 machines",
			Examples: []string{"mrsched generate msjo --preset dag | mrsched solve -"}},
		{Problem: "reduceplace", Name: "tree",
			Summary: "six jobs on the eight nodes of the reduce placement paper's first figure"},
		{Problem: "reduceplace", Name: "sorts",
			Summary: "the reduce placement paper's experiment: two sorts a minute apart on 15 nodes"},
		{Problem: "realtime", Name: "deadlines",
			Summary: "four jobs with deadlines and skewed partitions on three unequal workers"},
		{Problem: "multitenant", Name: "fig7",
			Summary:  "two jobs that each have nine tenths of their input in one of two racks",
			Examples: []string{"mrsched generate multitenant --preset fig7 -o two-racks.json"}},
		{Problem: "cluster", Name: "etl",
			Summary: "one night's ETL: three jobs, one that waits for another and is due, a node in maintenance and a running " +
				"task",
			Examples: []string{"mrsched generate cluster --preset etl | mrsched solve -"}},
	}
	for i := range list {
		text, err := documents.ReadFile("examples/" + list[i].Name + ".json")
		if err != nil {
			panic(err) // the binary was built without the document
		}
		list[i].Document, list[i].Fixed = text, true
	}
	return list
}

// FindPreset looks a preset up; an empty name is the problem's default.
func FindPreset(problem, name string) (Preset, error) {
	var names []string
	for _, p := range Presets() {
		if p.Problem != problem {
			continue
		}
		if name == "" || p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	if len(names) == 0 {
		return Preset{}, fmt.Errorf("no generator for problem %q", problem)
	}
	if near := model.Nearest(name, names); near != "" {
		return Preset{}, fmt.Errorf("unknown preset %q of %s; did you mean %q?", name, problem, near)
	}
	return Preset{}, fmt.Errorf("unknown preset %q of %s; there are %s", name, problem, strings.Join(names, ", "))
}

func whole(name, value string, least, most float64, usage string) solver.Param {
	return solver.Param{Name: name, Kind: solver.IntParam, Default: value, Minimum: least, Maximum: most, Usage: usage}
}

func number(name, value string, least, most float64, usage string) solver.Param {
	return solver.Param{Name: name, Kind: solver.FloatParam, Default: value, Minimum: least, Maximum: most, Usage: usage}
}

// seconds is a number that is a time.
func seconds(name, value string, least, most float64, usage string) solver.Param {
	p := number(name, value, least, most, usage)
	p.Seconds = true
	return p
}

// choice is a parameter with some words for values; the first is the default.
func choice(name, usage string, words ...string) solver.Param {
	return solver.Param{Name: name, Kind: solver.StringParam, Default: words[0], Choices: words, Usage: usage}
}

func text(name, value, usage string) solver.Param {
	return solver.Param{Name: name, Kind: solver.StringParam, Default: value, Usage: usage}
}

// flag is a parameter that is false by default.
func flag(name, usage string) solver.Param {
	return solver.Param{Name: name, Kind: solver.BoolParam, Default: "false", Usage: usage}
}

// tasksOf is the Preset.Tasks of generators with the number of tasks as a parameter.
func tasksOf(name string) func(solver.Params, uint64) int64 {
	return func(p solver.Params, _ uint64) int64 { return p.Int(name) }
}

// product is a·b for numbers ≥ 0, or the largest number if that is more.
func product(a, b int64) int64 {
	if b > 0 && a > math.MaxInt64/b {
		return math.MaxInt64
	}
	return a * b
}

// stream is an independent source of random numbers for one purpose.
func stream(seed, purpose uint64) rand.Source { return rand.NewPCG(seed, purpose) }

func random(seed, purpose uint64) *rand.Rand { return rand.New(stream(seed, purpose)) }
