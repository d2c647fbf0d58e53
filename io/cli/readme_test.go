package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"mrsched/io/engine"
	"mrsched/io/result"
	"mrsched/model"
)

// block is a fenced block of README.md.
type block struct {
	kind        string // the word behind the fence
	first, last int    // its lines, without the fences
}

// blocks finds the fenced blocks of a text.
func blocks(lines []string) (list []block) {
	open := false
	for i, line := range lines {
		word, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && !open:
			list = append(list, block{kind: word, first: i + 1})
			open = true
		case fence:
			list[len(list)-1].last = i
			open = false
		}
	}
	return list
}

// shown is a command of a console block and the output that the block shows.
type shown struct {
	command string
	output  string
}

func commands(lines []string) (list []shown) {
	for _, line := range lines {
		if c, ok := strings.CutPrefix(line, "$ "); ok {
			list = append(list, shown{command: c})
		} else if n := len(list); n > 0 {
			list[n-1].output += line + "\n"
		}
	}
	return list
}

// workshop is a folder in which README.md's commands run as if it were the repository: `bin/mrsched` is this test
// binary, results are thrown away.
func workshop(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "main")
	for _, d := range []string{"bin", "results"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	program, err := exec.LookPath("mrsched") // TestMain put it there
	if err != nil {
		t.Fatal(err)
	}
	links := map[string]string{"bin/mrsched": program}
	for _, name := range []string{"instances", "testdata"} {
		links[name] = filepath.Join(root, name)
	}
	if engine.Exists(traces) {
		links["../shared/traces"] = traces
		if err := os.Mkdir(filepath.Join(dir, "../shared"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range links {
		abs, err := filepath.Abs(target)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(abs, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestReadme runs every command of README.md's console blocks, in order, in one folder, and compares all that it
// prints with what the block shows; -update rewrites that. Of `make` commands it only looks the target up. Blocks
// that read the traces beside the project are skipped where there are none.
func TestReadme(t *testing.T) {
	path := filepath.Join(root, "README.md")
	lines := strings.Split(readText(t, path), "\n")
	dir := workshop(t)
	var out []string
	next := 0
	for _, b := range blocks(lines) {
		out = append(out, lines[next:b.first]...)
		next = b.last
		body := lines[b.first:b.last]
		now := body
		switch f := strings.Fields(b.kind); {
		case b.kind == "console":
			if engine.Exists(traces) || !strings.Contains(strings.Join(body, "\n"), "../shared/traces") {
				now = rerun(t, dir, commands(body))
			}
		case len(f) == 4 && f[1] == "gantt": // ```text gantt RESULT SECONDS-A-CHARACTER
			now = strings.Split(gantt(t, filepath.Join(dir, f[2]), f[3]), "\n")
		}
		if got, want := strings.Join(now, "\n"), strings.Join(body, "\n"); got != want && !*update {
			t.Errorf("README.md, line %d, is out of date: run make golden; it should be\n%s\nit is\n%s", b.first+1, got, want)
		}
		out = append(out, now...)
	}
	out = append(out, lines[next:]...)
	pictures(t, filepath.Join(dir, "results/pictures"))
	if *update {
		if err := os.WriteFile(path, []byte(strings.Join(out, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// pictures compares the pictures that the documents show with those that README's commands drew in a folder; -update
// takes these over.
func pictures(t *testing.T, drawn string) {
	t.Helper()
	shown, err := filepath.Glob(filepath.Join(root, "docs/pictures/*.svg"))
	if err != nil || len(shown) == 0 {
		t.Fatal("docs/pictures is empty", err)
	}
	for _, path := range shown {
		now := readText(t, filepath.Join(drawn, filepath.Base(path)))
		if now == readText(t, path) {
			continue
		}
		if !*update {
			t.Errorf("%s is not what README's commands draw: run make golden", path)
		} else if err := os.WriteFile(path, []byte(now), 0o644); err != nil {
			t.Error(err)
		}
	}
}

// rerun is a console block with what its commands print now.
func rerun(t *testing.T, dir string, list []shown) (lines []string) {
	t.Helper()
	makefile := readText(t, filepath.Join(root, "Makefile"))
	code := 0
	for _, c := range list {
		lines = append(lines, "$ "+c.command)
		if target, ok := strings.CutPrefix(c.command, "make "); ok {
			if !strings.Contains(makefile, "\n"+target+":") {
				t.Errorf("the Makefile has no target %s", target)
			}
			continue
		}
		var printed string
		if printed, code = execute(t, dir, c.command, code); printed != "" {
			lines = append(lines, strings.Split(strings.TrimSuffix(printed, "\n"), "\n")...)
		}
	}
	return lines
}

// TestMakeRun demands that README.md shows what `make run` runs.
func TestMakeRun(t *testing.T) {
	_, recipe, _ := strings.Cut(readText(t, filepath.Join(root, "Makefile")), "\nrun:")
	recipe, _, _ = strings.Cut(recipe, "\n\n")
	readme := readText(t, filepath.Join(root, "README.md"))
	n := 0
	for line := range strings.Lines(recipe) {
		if c, ok := strings.CutPrefix(strings.TrimSpace(line), "@bin/"); ok {
			n++
			if !strings.Contains(readme, "\n$ bin/"+c+"\n") {
				t.Errorf("README.md does not show bin/%s", c)
			}
		}
	}
	if n == 0 {
		t.Error("make run runs nothing")
	}
}

// execute runs one line in a shell, where $? is the code of the line before.
func execute(t *testing.T, dir, line string, before int) (printed string, code int) {
	t.Helper()
	cmd := exec.Command("sh", "-c", fmt.Sprintf("(exit %d); %s", before, line))
	cmd.Dir = dir
	var both bytes.Buffer
	cmd.Stdout, cmd.Stderr = &both, &both
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(line, err)
	}
	return both.String(), code
}

// gantt draws a result's schedule, a line a machine.
func gantt(t *testing.T, path, secondsPerCharacter string) string {
	t.Helper()
	scale, err := strconv.ParseFloat(secondsPerCharacter, 64)
	if err != nil {
		t.Fatal(err)
	}
	b, found, err := result.Read(path)
	if err != nil || len(found) > 0 {
		t.Fatal(err, found)
	}
	at := func(x model.Time) int { return int(x.Seconds()/scale + 0.5) }
	var rows []result.Row
	for some := range b.Rows {
		rows = append(rows, some...)
	}
	var end model.Time
	for _, r := range rows {
		end = max(end, r.End)
	}
	lines := make([][]byte, b.Result.Instance.Machines)
	for i := range lines {
		lines[i] = bytes.Repeat([]byte(" "), at(end))
	}
	axis := bytes.Repeat([]byte(" "), at(end)+16)
	for _, r := range rows {
		m, err := strconv.Atoi(strings.TrimPrefix(r.Machine, "m"))
		if err != nil {
			t.Fatal(err)
		}
		box := lines[m-1][at(r.Start):at(r.End)]
		copy(box, "["+r.Task)
		box[len(box)-1] = ']'
		copy(axis[3+at(r.Start):], r.Start.String())
		copy(axis[3+at(r.End):], r.End.String())
	}
	chart := strings.TrimRight(string(axis), " ") + " s"
	for i, line := range lines {
		chart += fmt.Sprintf("\nm%d %s", i+1, strings.TrimRight(string(line), " "))
	}
	return chart
}
