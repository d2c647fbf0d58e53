package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"mrsched/io/engine"
	"mrsched/solver"
)

// pseudo is a pseudo-terminal with its screen.
type pseudo struct {
	master, slave *os.File
	ended         chan struct{} // closed when the last writer is gone

	mu     sync.Mutex
	raw    bytes.Buffer
	rows   []string // of the screen
	column int
	frames []frame
}

// frame is a row of the screen after it was drawn, up to the point where the rest was erased.
type frame struct {
	at   time.Time
	text string
}

// newPseudo opens a pseudo-terminal of the given width.
func newPseudo(t *testing.T, columns int) *pseudo {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo-terminal: ", err)
	}
	t.Cleanup(func() { master.Close() })
	fd := int(master.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Skip("no pseudo-terminal: ", err)
	}
	slave, err := os.OpenFile(fmt.Sprint("/dev/pts/", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo-terminal: ", err)
	}
	p := &pseudo{master: master, slave: slave, ended: make(chan struct{}), rows: []string{""}}
	p.resize(t, columns)
	go func() {
		defer close(p.ended)
		buf := make([]byte, 1<<16)
		for {
			n, err := master.Read(buf)
			p.draw(buf[:n])
			if err != nil { // EIO after the last writer has gone
				return
			}
		}
	}()
	return p
}

func (p *pseudo) resize(t *testing.T, columns int) {
	t.Helper()
	size := &unix.Winsize{Row: 24, Col: uint16(columns)}
	if err := unix.IoctlSetWinsize(int(p.master.Fd()), unix.TIOCSWINSZ, size); err != nil {
		t.Fatal(err)
	}
}

// steering matches the control sequences that the program writes.
var steering = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^\x1b\\[([0-9;]*)([A-Za-z])") })

// draw interprets a text like a terminal.
func (p *pseudo) draw(text []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.raw.Write(text)
	for len(text) > 0 {
		last := &p.rows[len(p.rows)-1]
		row := []rune(*last)
		c, size := utf8.DecodeRune(text)
		switch {
		case c == '\n':
			p.rows = append(p.rows, "")
		case c == '\r':
			p.column = 0
		case c == 0x1b:
			m := steering().FindSubmatch(text)
			if m == nil {
				*last += "ESC?"
				break
			}
			size = len(m[0])
			switch string(m[0]) {
			case "\x1b[K", "\x1b[0K":
				*last = string(row[:min(len(row), p.column)])
				p.frames = append(p.frames, frame{time.Now(), strings.TrimRight(*last, " ")})
			case "\x1b[2K":
				*last = ""
			default:
				*last += fmt.Sprintf("ESC%s", m[0][1:])
			}
		default:
			for len(row) <= p.column {
				row = append(row, ' ')
			}
			row[p.column] = c
			p.column++
			*last = string(row)
		}
		text = text[size:]
	}
}

// seen lists the frames that show a status line.
func (p *pseudo) seen() []frame {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(p.frames), func(f frame) bool { return !statusLine().MatchString(f.text) })
}

// screen is the final content of the screen.
func (p *pseudo) screen() string {
	<-p.ended
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.rows, "\n")
}

// statusLine matches a spinner, an algorithm, the time and its limit, the phase, and the best values.
var statusLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[^ ] [a-z]+ (\d+\.\d)s(?: of [0-9.hms]+)?(?: \(([^)]*)\))?(?:: (.*))?$`)
})

// searching makes an instance on which best searches until its limit.
func searching(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "w.json")
	run(t, engine.ExitDone, "generate", "msjo", "--jobs", "40", "-o", path)
	return path
}

// TestProgressUnderTimeLimit: the line of a run under a time limit once read "best 0% | (4769/1099511627776)
// [4s:307035h51m37s]", counted backwards and froze for seconds.
func TestProgressUnderTimeLimit(t *testing.T) {
	p := newPseudo(t, 120)
	cmd := start(t, "solve", searching(t), "-a", "best", "--time-limit", "2s")
	cmd.Stderr = p.slave
	cmd.begin(t)
	p.slave.Close()
	if code := cmd.exit(t); code != engine.ExitDone {
		t.Fatalf("exit %d\n%s", code, p.screen())
	}
	screen, frames := p.screen(), p.seen()
	if len(frames) < 2 {
		t.Fatalf("%d redraws\n%s", len(frames), screen)
	}
	all, before := "", 0.0
	for _, f := range frames {
		m := statusLine().FindStringSubmatch(f.text)
		elapsed, err := strconv.ParseFloat(m[1], 64)
		if err != nil || elapsed < before || !strings.Contains(f.text, "s of 2s") {
			t.Errorf("%q after %v s", f.text, before)
		}
		before = elapsed
		if m[2] != "" {
			all += "phase "
		}
		all += m[3] + "\n"
	}
	for _, part := range []string{"phase ", "incumbent ", "bound ", "gap "} {
		if !strings.Contains(all, part) {
			t.Errorf("no frame tells the %s\n%s", part, all)
		}
	}
	if span := frames[len(frames)-1].at.Sub(frames[0].at).Seconds(); span < 1 || float64(len(frames)) < 2*span {
		t.Errorf("%d redraws in %.1f s", len(frames), span)
	}
	if regexp.MustCompile("\x1b\\[[0-9;]*m").Match(p.raw.Bytes()) {
		t.Errorf("colours: %q", p.raw.Bytes())
	}
	if !regexp.MustCompile(`^[0-9.]+ s in all, [0-9]+ MiB\n$`).MatchString(screen) {
		t.Errorf("the screen finally shows\n%q", screen)
	}
}

// TestProgressAfterInterrupt: Ctrl-C at the terminal leaves no half of a line.
func TestProgressAfterInterrupt(t *testing.T) {
	p := newPseudo(t, 70)
	cmd := start(t, "solve", searching(t), "-a", "best", "--time-limit", "100s")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.slave, p.slave, p.slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	cmd.begin(t)
	p.slave.Close()
	await(t, "a status line", func() bool { return len(p.seen()) > 1 })
	if _, err := p.master.Write([]byte{3}); err != nil {
		t.Fatal(err)
	}
	if code := cmd.exit(t); code != engine.ExitInterrupted {
		t.Errorf("exit %d", code)
	}
	screen := p.screen()
	rows := strings.Split(screen, "\n")
	if rows[0] != "note: interrupted: waiting for best to end; a second signal ends the program at once" {
		t.Errorf("the first row is %q", rows[0])
	}
	left := strings.Contains(screen, "^C") || slices.ContainsFunc(rows, statusLine().MatchString)
	if left || !strings.Contains(screen, "\nbest ") {
		t.Errorf("the screen finally shows\n%s", screen)
	}
}

// TestNoProgress: no line with --quiet, and none where standard error is no terminal.
func TestNoProgress(t *testing.T) {
	instance := searching(t)
	p := newPseudo(t, 80)
	quiet := start(t, "solve", instance, "-a", "best", "--time-limit", "700ms", "--quiet")
	quiet.Stderr = p.slave
	piped := start(t, "solve", instance, "-a", "best", "--time-limit", "700ms")
	for _, cmd := range []*process{quiet, piped} {
		cmd.begin(t)
		if code := cmd.exit(t); code != engine.ExitDone {
			t.Errorf("%v: exit %d", cmd.Args, code)
		}
	}
	p.slave.Close()
	if screen := p.screen(); screen != "" {
		t.Errorf("with --quiet: %q", screen)
	}
	if text := piped.stderr.String(); strings.ContainsAny(text, "\r\x1b") {
		t.Errorf("into a pipe: %q", text)
	}
}

// TestProgressOfSilentSolver: the line keeps moving without reports, and follows the window's width.
func TestProgressOfSilentSolver(t *testing.T) {
	p := newPseudo(t, 100)
	watch := &solver.Watch{}
	opt := solver.Options{Watch: watch}
	_, end := opt.Phase(t.Context(), solver.PhaseSearch, 1)
	defer end()
	watch.Incumbent(1_234_567.5, "")
	watch.Bound(1_000_000, "")
	line := newStatus(context.Background(), p.slave, nil, "mars", false, 0, watch)
	await(t, "three redraws", func() bool { return len(p.seen()) >= 3 })
	if f := p.seen()[2]; !strings.HasSuffix(f.text, "s (search): incumbent 1,234,568, bound 1,000,000, gap 23.46 %") {
		t.Errorf("%q", f.text)
	}
	p.resize(t, 40)
	resized := len(p.seen()) + 1
	await(t, "redraws after the window became narrow", func() bool { return len(p.seen()) > resized+2 })
	line.End()
	p.slave.Close()
	if screen := p.screen(); screen != "" {
		t.Errorf("the screen finally shows %q", screen)
	}
	texts := map[string]bool{}
	for i, f := range p.seen() {
		texts[f.text] = true
		if n := utf8.RuneCountInString(f.text); i > resized && (n >= 40 || !strings.HasSuffix(f.text, "gap 23.46 %")) {
			t.Errorf("%d columns: %q", n, f.text)
		}
	}
	if len(texts) < 4 {
		t.Errorf("it stood still: %v", texts)
	}
}
