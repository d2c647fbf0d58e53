package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mrsched/io/grammar"
)

// completed returns the words that complete offers.
func completed(words ...string) []string {
	var out bytes.Buffer
	described((&session{}).app()).Complete(words, &out)
	var list []string
	for line := range strings.Lines(out.String()) {
		text, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		list = append(list, text)
	}
	return list
}

func TestComplete(t *testing.T) {
	files := []string{":files"}
	for _, x := range []struct {
		words []string
		want  []string
	}{
		{[]string{"sol"}, []string{"solve"}},
		{[]string{"zzz"}, nil},
		{[]string{"--preset="}, nil}, // of no command
		{[]string{"solve", "-a", "\x1b[2J,"}, nil},
		{[]string{"solve", "--algorithm=x\n,"}, nil},
		{[]string{"--ver"}, []string{"--version"}},
		{[]string{"solve", "--prob"}, []string{"--problem"}},
		{[]string{"solve", "--lp", ""}, []string{"auto", "first-order", "lpsolve"}},
		{[]string{"solve", "--lp=lp"}, []string{"--lp=lpsolve"}},
		{[]string{"solve", "--json=t"}, []string{"--json=true"}},
		{[]string{"solve", "--seed", ""}, nil},
		{[]string{"solve", "--unknown", ""}, files},
		{[]string{"solve", "-p", "rea"}, []string{"realtime"}},
		{[]string{"solve", "w.json", "-p", "hta", "-a", "fl"}, []string{"flow", "flow-lp"}},
		{[]string{"solve", "--problem=hta", "-a", "best,r"}, []string{"best,round-robin"}},
		{[]string{"compare", "--algorithm=al"}, []string{"--algorithm=all"}},
		{[]string{"solve", "w.json", "-p", "realtime", "-a", "ll"}, []string{"llf"}},
		{[]string{"solve", "-q", "w.json", ""}, files},
		{[]string{"solve", "--", "-"}, files},
		{[]string{"generate", "h"}, []string{"hta"}},
		{[]string{"generate", "hta", "--preset", "thm4"}, []string{"thm41", "thm43"}},
		{[]string{"generate", "hta", ""}, nil},
		{[]string{"validate", "m"}, []string{"msjo", "multitenant"}},
		{[]string{"sweep", ""}, []string{"merge", ":files"}}, // SPEC.json or a sub-command
		{[]string{"import", "ru"}, []string{"rumen"}},
		{[]string{"import", "rumen", ""}, files},
		{[]string{"import", "alibaba", "--instances", "on"}, []string{"one"}},
		{[]string{"experiment", "placement-f"}, []string{"placement-fig8", "placement-fig9", "placement-fig10"}},
		{[]string{"schema", "wor"}, []string{"workload"}},
		{[]string{"completion", ""}, []string{"bash", "fish", "zsh"}},
		{[]string{"completion", "bash", ""}, nil},
		{[]string{"formulate", "w.json", "--format", "d"}, []string{"dimacs"}},
	} {
		if got := completed(x.words...); !slices.Equal(got, x.want) {
			t.Errorf("%q: %q, not %q", x.words, got, x.want)
		}
	}
	if got := completed(); !slices.Contains(got, "solve") || slices.Contains(got, grammar.CompleteWord) {
		t.Error(got)
	}
}

// shell runs a script in a shell, in a folder with a few files. It skips the test without such a shell.
func shell(t *testing.T, script string, command ...string) []string {
	t.Helper()
	if _, err := exec.LookPath(command[0]); err != nil {
		t.Skip("there is no ", command[0])
	}
	dir := t.TempDir()
	for _, name := range []string{"fig1.json", "fig two.json"} {
		writeText(t, filepath.Join(dir, name), "")
	}
	tables := filepath.Join(dir, "tables")
	if err := os.Mkdir(tables, 0o755); err != nil {
		t.Fatal(err)
	}
	writeText(t, filepath.Join(tables, "workload.json"), `{"problem":"hta"}`)
	cmd := exec.Command(command[0], append(command[1:], script)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir, "LC_ALL=C.UTF-8")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
}

// TestBash drives the function as readline does, which breaks words at "=".
func TestBash(t *testing.T) {
	got := shell(t, `source <(mrsched completion bash)
complete -p mrsched
try() {
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
	_mrsched
	printf '%s|' "${COMPREPLY[@]}"
	echo
}
try mrsched sol
try mrsched solve --lp ''
try mrsched solve --lp = f
try mrsched solve --lp =
try mrsched solve -p hta -a flow,r
try mrsched solve fig
try mrsched solve --output = fig1
try mrsched generate msjo --preset d
try mrsched solve --seed 3 --unk
try mrsched solve tables -a ro`, "bash", "--norc", "-c")
	files := []string{"fig two.json|fig1.json|", "fig1.json|fig two.json|"} // in the order of the file system
	if len(got) > 6 && got[6] == files[1] {
		got[6] = files[0]
	}
	want := []string{"complete -F _mrsched mrsched", "solve|", "auto|first-order|lpsolve|", "first-order|",
		"auto|first-order|lpsolve|", "flow,round-robin|", files[0],
		"fig1.json|", "dag|", "|", "round-robin|"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}

// TestZsh examines what the function passes to zsh.
func TestZsh(t *testing.T) {
	got := shell(t, `compdef() { print -- compdef "$@" }
source <(mrsched completion zsh)
_describe() { print -r -- "${(j.|.)${(@P)3}}" }
_files() { print -r -- files "$PREFIX" }
compset() { PREFIX="behind $2" }
try() {
	words=("$@") CURRENT=$# PREFIX=
	_mrsched
}
try mrsched sol
try mrsched solve --lp ''
try mrsched solve --lp=f
try mrsched solve fig
try mrsched solve --output=fi
try mrsched 'solve' -p hta -a 'flow,r'`, "zsh", "-f", "-c")
	want := []string{"compdef _mrsched mrsched", "solve:" + describedAs("solve"), "auto|lpsolve|first-order",
		"--lp=first-order", "files ", "files behind *=",
		`flow,round-robin:hta\: servers in turn, each a local task if one is left, else any`}
	want[6] = strings.ReplaceAll(want[6], `\:`, ":") // only names are escaped
	if !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}

func describedAs(command string) string { return (&session{}).app().Command(command).Usage }

// TestFish asks fish itself.
func TestFish(t *testing.T) {
	got := shell(t, `mrsched completion fish | source
for line in "mrsched sol" "mrsched solve --lp lp" "mrsched solve --lp=f" "mrsched solve -p hta -a flow,r" "mrsched solve fig1" "mrsched solve --output=fig1"
    complete -C "$line"
end`, "fish", "--no-config", "-c")
	want := []string{"solve\t" + describedAs("solve"), "lpsolve", "--lp=first-order",
		"flow,round-robin\thta: servers in turn, each a local task if one is left, else any", "fig1.json",
		"--output=fig1.json"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}
