package instances

import (
	"fmt"
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
	Source  string
	Params  []solver.Param
	// Generate makes a workload; nil if there is a Document. Errors: parameters that contradict each other.
	Generate func(p solver.Params, seed uint64) (*model.Workload, error)
	// Document is the workload itself, as canonical JSON; nil if it is generated.
	Document []byte
}

// Presets lists all generators and shipped examples; the first of a problem is its default.
func Presets() []Preset {
	return append([]Preset{marsPreset(), wikipediaPreset(),
		replicatedPreset(), satPreset(), thm41Preset(), thm43Preset(), thm54Preset(),
		placementPreset(), twitterPreset(), youtubePreset(),
		shufflewatcherPreset()}, Examples()...)
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

// stream is an independent source of random numbers for one purpose.
func stream(seed, purpose uint64) rand.Source { return rand.NewPCG(seed, purpose) }
