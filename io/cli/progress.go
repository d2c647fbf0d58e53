package cli

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
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

// status is the line that shows on a terminal how one run of an algorithm goes, and nothing anywhere else. It draws
// itself from a goroutine of its own, so that it moves while a solver says nothing.
type status struct {
	bar
	watch *solver.Watch
	limit time.Duration // 0: none
	begin time.Time

	seen  solver.State // as drawn last
	drawn bool
	stop  chan struct{}
	ended chan struct{}
}

// newStatus starts the line of a run under a time limit, 0 being none. A signal, which ends ctx, clears it for good, so
// that a second signal, which ends the program at once, leaves nothing behind.
func newStatus(ctx context.Context, w io.Writer, title string, quiet bool, limit time.Duration,
	watch *solver.Watch) *status {
	s := &status{bar: *newBar(w, title, quiet), watch: watch, limit: limit, begin: time.Now()}
	if s.w == nil {
		return s
	}
	// The library's spinner of unknown length is a line of free text: without count, rate or forecast.
	s.ProgressBar = progressbar.NewOptions(-1, progressbar.OptionSetWriter(s.w), progressbar.OptionUseANSICodes(true),
		progressbar.OptionClearOnFinish(), progressbar.OptionSetElapsedTime(false),
		progressbar.OptionSetPredictTime(false), progressbar.OptionSpinnerType(14),
		progressbar.OptionSetSpinnerChangeInterval(0))
	s.stop, s.ended = make(chan struct{}), make(chan struct{})
	go s.run(ctx)
	return s
}

func (s *status) run(ctx context.Context) {
	defer close(s.ended)
	ticker := time.NewTicker(redraws)
	defer ticker.Stop()
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
		case <-ctx.Done():
			s.bar.close()
			fmt.Fprintf(s.w, "note: interrupted: waiting for %s to end; a second signal ends the program at once\n", s.title)
			return
		}
	}
}

// Ended shows what was verified.
func (s *status) Ended(e solve.Ending) {
	if v := floatOf(e.Objective); v.Known {
		s.watch.Incumbent(v.Value, "")
	}
	if v := floatOf(e.Bound); v.Known {
		s.watch.Bound(v.Value, e.Method)
	}
}

// End takes the line away.
func (s *status) End() {
	if s.w != nil {
		close(s.stop)
		<-s.ended
	}
}

// draw draws the line again; the window may have another width by now.
func (s *status) draw() {
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
