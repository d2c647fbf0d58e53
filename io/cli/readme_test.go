package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mrsched/io/engine"
	"mrsched/model/tier"
)

// block is a fenced block of a document.
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

// shown is a command of a console block and the output that the block shows. A command may have several lines.
type shown struct {
	command string
	output  string
}

// commands reads a console block: commands after "$ ", continued after "> ", each followed by its output.
func commands(lines []string) (list []shown) {
	for _, line := range lines {
		n := len(list)
		if c, ok := strings.CutPrefix(line, "$ "); ok {
			list = append(list, shown{command: c})
		} else if c, ok := strings.CutPrefix(line, "> "); ok && n > 0 && list[n-1].output == "" {
			list[n-1].command += "\n" + c
		} else if n > 0 {
			list[n-1].output += line + "\n"
		}
	}
	return list
}

// workshop is a folder in which a document's commands run as in the repository: `bin/mrsched` is this test binary, and
// results are thrown away.
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
	for _, name := range []string{"instances", "testdata", "deploy"} {
		links[name] = filepath.Join(root, name)
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

// readmeAndDocs lists README.md and every document below docs.
func readmeAndDocs(t *testing.T) (list []string) {
	t.Helper()
	for _, name := range markdown(t) {
		if name == "README.md" || strings.HasPrefix(name, "docs/") {
			list = append(list, name)
		}
	}
	return list
}

// guide is the document with the most commands; they run at night.
const guide = "docs/guide.md"

// TestDocuments runs every command of the documents' console blocks and compares the output with the block; -update
// rewrites it. The commands of a document run in order and in one folder. Blocks that read $TRACES are skipped without
// traces.
func TestDocuments(t *testing.T) {
	tier.Repeats(t)
	tested := 0
	for _, name := range readmeAndDocs(t) {
		path := filepath.Join(root, name)
		text := readText(t, path)
		if !strings.Contains(text, "\n```console\n") {
			continue
		}
		tested++
		if name == guide && !tier.Nightly && !*update {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := workshop(t)
			now := rerunDocument(t, dir, name, strings.Split(text, "\n"))
			if name == pictureDocument {
				comparePictures(t, filepath.Join(dir, "results/pictures"))
			}
			if *update {
				if err := os.WriteFile(path, []byte(now), 0o644); err != nil {
					t.Error(err)
				}
			}
		})
	}
	if tested < 2 {
		t.Errorf("%d documents show commands", tested)
	}
}

// rerunDocument is a document with the present output in its blocks.
func rerunDocument(t *testing.T, dir, name string, lines []string) string {
	t.Helper()
	var out []string
	next := 0
	for _, b := range blocks(lines) {
		out = append(out, lines[next:b.first]...)
		next = b.last
		body := lines[b.first:b.last]
		now := body
		if b.kind == "console" && (engine.Exists(traces) || !strings.Contains(strings.Join(body, "\n"), "$TRACES")) {
			now = rerun(t, dir, commands(body))
		}
		if got, want := strings.Join(now, "\n"), strings.Join(body, "\n"); got != want && !*update {
			t.Errorf("%s, line %d, is out of date: run make golden; it should be\n%s\nit is\n%s", name, b.first+1, got, want)
		}
		out = append(out, now...)
	}
	return strings.Join(append(out, lines[next:]...), "\n")
}

// pictureDocument is the document whose commands draw docs/pictures.
const pictureDocument = "docs/guide.md"

// comparePictures compares the pictures of the documents with newly drawn ones; -update replaces them.
func comparePictures(t *testing.T, drawn string) {
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
			t.Errorf("%s differs from the picture that the commands of %s draw: run make golden", path, pictureDocument)
		} else if err := os.WriteFile(path, []byte(now), 0o644); err != nil {
			t.Error(err)
		}
	}
}

// rerun is a console block with the present output of its commands.
func rerun(t *testing.T, dir string, list []shown) (lines []string) {
	t.Helper()
	makefile := readText(t, filepath.Join(root, "Makefile"))
	code := 0
	for _, c := range list {
		lines = append(lines, strings.Split("$ "+strings.ReplaceAll(c.command, "\n", "\n> "), "\n")...)
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

// TestMakeRun requires that README.md shows the commands of `make run`.
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

// execute runs one command in a shell in which $? is the exit code of the command before.
func execute(t *testing.T, dir, line string, before int) (printed string, code int) {
	t.Helper()
	cmd := exec.Command("sh", "-c", fmt.Sprintf("(exit %d); %s", before, line))
	cmd.Dir = dir
	if abs, err := filepath.Abs(traces); err == nil {
		cmd.Env = append(os.Environ(), "TRACES="+abs)
	}
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

// TestReadmeIsShort keeps README.md an overview; details belong into docs.
func TestReadmeIsShort(t *testing.T) {
	const most = 130
	if n := strings.Count(readText(t, filepath.Join(root, "README.md")), "\n"); n > most {
		t.Errorf("README.md has %d lines; at most %d are allowed", n, most)
	}
}
