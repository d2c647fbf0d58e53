package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"math/big"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/schollz/progressbar/v3"
	terminal "golang.org/x/term"

	"mrsched/io/engine"
	"mrsched/io/show"
	"mrsched/io/solve"
	"mrsched/model"
	"mrsched/solver"
)

// bar is a progress bar on a terminal, and nothing anywhere else.
type bar struct {
	*progressbar.ProgressBar
	w     io.Writer
	title string
}

func newBar(w io.Writer, title string, quiet bool) *bar {
	if w = below(w); quiet || !isTerminal(w) { // not escaped: a bar steers the terminal
		return &bar{}
	}
	return &bar{w: w, title: title}
}

// isTerminal says whether a person reads what is written to w.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && terminal.IsTerminal(int(f.Fd()))
}

// progress shows done of total; the bar is drawn at the first call.
func (b *bar) progress(done, total int) {
	if b.w == nil {
		return
	}
	if b.ProgressBar == nil {
		b.ProgressBar = progressbar.NewOptions(total, progressbar.OptionSetWriter(b.w),
			progressbar.OptionSetDescription(b.title), progressbar.OptionClearOnFinish(),
			progressbar.OptionShowCount(), progressbar.OptionThrottle(100_000_000))
	}
	// A bar that cannot be drawn is no reason to stop.
	_ = b.Set(done)
}

// clear takes the bar off the line, for a message; the next progress draws it again.
func (b *bar) clear() {
	if b.ProgressBar != nil {
		_ = b.Clear()
	}
}

func (b *bar) close() {
	if b.ProgressBar != nil {
		_ = b.Finish()
	}
}

// redraws is how often a status line is drawn.
const redraws = 200 * time.Millisecond

// heartbeat is how long a search log is silent at most.
const heartbeat = 3 * time.Second

const (
	logName = "log"
	logHelp = `--log prints the search log on standard error, in place of the status line: a line with the same values for each new phase,
incumbent or bound (what happens within a fifth of a second shares a line), every few seconds in between, and at the end of each
run, with the verified values and the reason. Results do not depend on it.`
)

// searchLog is where the status lines of all runs of a call go, one after another. Nil is the terminal.
type searchLog struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *searchLog) write(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = io.WriteString(l.w, text+"\n") // standard error that nobody reads is no reason to stop
}

// status is the line that shows on a terminal, or in a log, how one run of an algorithm goes, and nothing anywhere
// else. It draws itself from a goroutine of its own, so that it moves while a solver says nothing.
type status struct {
	bar
	log   *searchLog
	watch *solver.Watch
	limit time.Duration // 0: none
	begin time.Time

	seen  solver.State // as drawn last
	drawn bool
	told  time.Time                  // when the last line of a log was written
	how   string                     // the run ended; empty: it failed
	ends  [2]model.Optional[float64] // objective and bound, verified
	stop  chan struct{}
	ended chan struct{}
}

// newStatus starts the line of a run under a time limit, 0 being none. A signal, which ends ctx, clears it for good, so
// that a second signal, which ends the program at once, leaves nothing behind.
func newStatus(ctx context.Context, w io.Writer, log *searchLog, title string, quiet bool, limit time.Duration,
	watch *solver.Watch) *status {
	s := &status{bar: *newBar(w, title, quiet || log != nil), log: log, watch: watch, limit: limit, begin: time.Now(),
		told: time.Now(), stop: make(chan struct{}), ended: make(chan struct{})}
	switch {
	case log != nil:
		s.title = title
	case s.w == nil:
		return s
	default:
		s.ProgressBar = statusBar(s.w)
	}
	go s.run(ctx)
	return s
}

// statusBar is the library's spinner of unknown length, a line of free text: without count, rate or forecast.
func statusBar(w io.Writer) *progressbar.ProgressBar {
	return progressbar.NewOptions(-1, progressbar.OptionSetWriter(w), progressbar.OptionUseANSICodes(true),
		progressbar.OptionClearOnFinish(), progressbar.OptionSetElapsedTime(false),
		progressbar.OptionSetPredictTime(false), progressbar.OptionSpinnerType(14),
		progressbar.OptionSetSpinnerChangeInterval(0))
}

func (s *status) run(ctx context.Context) {
	defer close(s.ended)
	ticker := time.NewTicker(redraws)
	defer ticker.Stop()
	interrupted := ctx.Done()
	for {
		select {
		case <-ticker.C:
			s.draw()
		case <-s.stop:
			if s.drawn { // what was found last
				s.draw()
			}
			s.bar.close()
			return
		case <-interrupted:
			interrupted = nil
			text := "note: interrupted: waiting for " + s.title + " to end; a second signal ends the program at once"
			if s.log != nil {
				s.log.write(text)
				continue
			}
			s.bar.close()
			fmt.Fprintln(s.w, text)
			return
		}
	}
}

// Ended shows what was verified.
func (s *status) Ended(e solve.Ending) {
	if s.how = string(e.Status); e.Status != model.StatusOptimal {
		s.how += ", " + string(e.Why)
	}
	if s.ends = [2]model.Optional[float64]{floatOf(e.Objective), floatOf(e.Bound)}; s.ends[0].Known {
		s.watch.Incumbent(s.ends[0].Value, "")
	}
	if s.ends[1].Known {
		s.watch.Bound(s.ends[1].Value, e.Method)
	}
}

// End takes the line away.
func (s *status) End() {
	if s.w != nil || s.log != nil {
		close(s.stop)
		<-s.ended
	}
	if s.log != nil {
		now := s.watch.State()
		if s.how != "" {
			now.Incumbent, now.Bound = s.ends[0], s.ends[1]
		}
		s.tell(now, "; end: "+cmp.Or(s.how, "error"))
	}
}

// tell writes a line of a log.
func (s *status) tell(now solver.State, what string) {
	s.log.write(statusText(s.title, time.Since(s.begin), s.limit, now, math.MaxInt) + what)
	s.seen, s.told = now, time.Now()
}

// news says what a log has not told yet; empty: nothing.
func (s *status) news(now solver.State) (text string) {
	for _, x := range []struct {
		changed  bool
		what, by string
	}{{now.Incumbent != s.seen.Incumbent, "incumbent", now.IncumbentBy}, {now.Bound != s.seen.Bound, "bound", now.BoundBy},
		{now.Depth > 1 && now.Phase != s.seen.Phase, "phase", ""}} {
		if x.changed {
			text += "; new " + x.what
		}
		if x.changed && x.by != "" {
			text += " by " + x.by
		}
	}
	return text
}

// draw draws the line again; the window may have another width by now.
func (s *status) draw() {
	if s.log != nil {
		now := s.watch.State()
		if text := s.news(now); text != "" || time.Since(s.told) > heartbeat {
			s.tell(now, text)
		}
		return
	}
	width, _, err := terminal.GetSize(int(s.w.(*os.File).Fd()))
	if err != nil || width <= 0 {
		width = 80
	}
	state := s.watch.State()
	if state.Phase == s.seen.Phase && state.Total == s.seen.Total { // goroutines may report out of order
		state.Done = max(state.Done, s.seen.Done)
	}
	s.seen, s.drawn = state, true
	// The library adds a spinner and three blanks, and the terminal ^C where the line ends.
	s.Describe(statusText(s.title, time.Since(s.begin), s.limit, state, width-len("s   ^C")-1))
}

// statusText is a run's state in at most this many columns. What matters least goes first if they are few.
func statusText(title string, elapsed, limit time.Duration, s solver.State, width int) string {
	head := title + " " + clock(elapsed)
	if limit > 0 {
		head += " of " + limit.String()
	}
	var count, incumbent, bound string
	if s.Total > 0 && s.Total < engine.Unlimited {
		count = fmt.Sprintf(" %s of %s", grouped(float64(s.Done)), grouped(float64(s.Total)))
	}
	if s.Incumbent.Known {
		incumbent = ", incumbent " + grouped(s.Incumbent.Value)
	}
	if s.Bound.Known {
		bound = ", bound " + grouped(s.Bound.Value)
	}
	phase, gap := s.Phase, gapText(s.Incumbent, s.Bound)
	if gap != "" {
		gap = ", gap " + gap
	}
	parts := []*string{&count, &bound, &incumbent, &phase, &gap} // the least important first
	for {
		text := head
		if doing := strings.TrimSpace(phase + count); doing != "" {
			text += " (" + doing + ")"
		}
		if values := incumbent + bound + gap; values != "" {
			text += ": " + strings.TrimPrefix(values, ", ")
		}
		columns := utf8.RuneCountInString(text)
		if columns <= width || len(parts) == 0 {
			return string([]rune(text)[:min(columns, max(width, 0))])
		}
		*parts[0], parts = "", parts[1:]
	}
}

// clock prints a duration for people: with tenths below a minute, else in seconds.
func clock(d time.Duration) string {
	if d < time.Minute {
		return strconv.FormatFloat(d.Truncate(time.Second/10).Seconds(), 'f', 1, 64) + "s"
	}
	return d.Truncate(time.Second).String()
}

// gapPercent is how far the incumbent may lie above the optimum, in per cent of the bound, as in tables.
func gapPercent(incumbent, bound model.Optional[float64]) model.Optional[float64] {
	switch {
	case !incumbent.Known || !bound.Known:
		return model.Optional[float64]{}
	case incumbent.Value <= bound.Value:
		return model.Some(0.0)
	case bound.Value <= 0:
		return model.Optional[float64]{}
	}
	return model.Some(100 * (incumbent.Value - bound.Value) / bound.Value)
}

// floatNoise is how far a gap in hundredths of a per cent may be wrong, as it is computed in floating point.
const floatNoise = 1e-10

// gapText is that gap for people, rounded up as in tables; empty if nobody knows.
func gapText(incumbent, bound model.Optional[float64]) string {
	gap := gapPercent(incumbent, bound)
	if !gap.Known {
		return ""
	}
	if gap.Value == 0 {
		return "0 %"
	}
	return fmt.Sprintf("%.2f %%", math.Ceil(gap.Value*100-floatNoise)/100)
}

func floatOf(v *big.Rat) (f model.Optional[float64]) {
	if v != nil {
		f.Value, _ = v.Float64()
		f.Known = true
	}
	return f
}

// grouped is a number of about six digits or, if it is whole and larger, all of them, with commas between thousands.
func grouped(v float64) string {
	if math.Abs(v) >= 1e15 || math.IsNaN(v) {
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	decimals := 3
	for limit := 1000.0; decimals > 0 && math.Abs(v) >= limit; limit *= 10 {
		decimals--
	}
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if decimals > 0 {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return show.Grouped(text)
}
