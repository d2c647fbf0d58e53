package instances

import (
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
	Source  string
	Params  []solver.Param
	// Generate makes a workload; nil if there is a Document. Errors: parameters that contradict each other.
	Generate func(p solver.Params, seed uint64) (*model.Workload, error)
	// Tasks is about how many tasks Generate makes, maps, reduces and partitions or keys together; nil: few. Whoever must
	// not run out of memory asks before.
	Tasks func(p solver.Params, seed uint64) int64
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

// product is a·b for numbers ≥ 0, or the largest number if that is more.
func product(a, b int64) int64 {
	if b > 0 && a > math.MaxInt64/b {
		return math.MaxInt64
	}
	return a * b
}

// stream is an independent source of random numbers for one purpose.
func stream(seed, purpose uint64) rand.Source { return rand.NewPCG(seed, purpose) }
