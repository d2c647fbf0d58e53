package cli

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mrsched/io/engine"
	"mrsched/io/workload"
)

// TestOrderOfAlgorithms: solve and compare write the same documents for each algorithm, in whatever order -a names
// them.
func TestOrderOfAlgorithms(t *testing.T) {
	for _, c := range bestCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(orderedEach) {
				c.anyOrder(t, 2_000_000+seed)
			}
		})
	}
}

func (c bestCase) anyOrder(t *testing.T, seed uint64) {
	o := c.open(t, seed, 1)
	if o == nil {
		return
	}
	var names []string
	for _, a := range o.Problem.Algorithms {
		if runs(o, a) {
			names = append(names, a.Name)
		}
	}
	dir := t.TempDir()
	instance := filepath.Join(dir, "instance.json")
	if err := workload.Write(instance, o.W, false, nil); err != nil {
		t.Fatal(err)
	}
	flags := c.flags(t, o, seed)
	random := rand.New(rand.NewPCG(seed, 1))
	for _, verb := range []string{"solve", "compare"} {
		var first map[string]string
		for k := range 4 {
			switch k {
			case 0: // the order of the table
			case 1:
				slices.Reverse(names)
			default:
				random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
			}
			out := filepath.Join(dir, fmt.Sprint(verb, k))
			args := append([]string{"mrsched", verb, instance, "-p", c.problem, "-a", strings.Join(names, ","), "-o", out,
				"-q", "--iterations", "5"}, flags...)
			var told bytes.Buffer
			if code := Main(args, nil, &told, &told); code != engine.ExitDone {
				t.Fatalf("%v: exit %d, %s", args, code, told.String())
			}
			files := documents(t, out, names)
			if first == nil {
				first = files
			}
			for _, name := range slices.Sorted(maps.Keys(files)) {
				if files[name] != first[name] {
					t.Errorf("%s, instance %d: %s -a %v writes another %s", c.name, seed, verb, names, name)
				}
			}
			if len(files) != len(first) {
				t.Errorf("%s, instance %d: %d files, then %d", c.name, seed, len(first), len(files))
			}
		}
	}
}

// flags returns an instance's parameters as command-line flags.
func (c bestCase) flags(t *testing.T, o *engine.Opened, seed uint64) (flags []string) {
	_, with, err := c.instance(seed, 1)
	if err != nil {
		t.Fatal(err)
	}
	used := o.Problem.Used(nil, o.Problem.Algorithms...)
	for _, name := range slices.Sorted(maps.Keys(with)) {
		if with[name] != "" && used[name] && o.Run.View().Idle(name) == "" {
			flags = append(flags, "--"+name, with[name])
		}
	}
	return flags
}

// documents reads the files of all algorithms' directories.
func documents(t *testing.T, dir string, names []string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, name := range names {
		if err := filepath.WalkDir(filepath.Join(dir, name), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			files[strings.TrimPrefix(path, dir)] = string(text)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// TestSessionsSideBySide: sessions of one process share nothing that one of them writes; make race sees it.
func TestSessionsSideBySide(t *testing.T) {
	for k := range 4 {
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			t.Parallel()
			for range 20 {
				var told bytes.Buffer
				if code := Main([]string{"mrsched", "version"}, nil, &told, &told); code != engine.ExitDone {
					t.Fatalf("exit %d, %s", code, told.String())
				}
			}
		})
	}
}
