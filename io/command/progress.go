package command

import (
	"io"
	"os"

	"github.com/schollz/progressbar/v3"

	"mrsched/io/textpos"
)

// bar is a progress bar on a terminal, and nothing anywhere else.
type bar struct {
	*progressbar.ProgressBar
	w     io.Writer
	title string
}

func newBar(w io.Writer, title string, quiet bool) *bar {
	if v, ok := w.(*textpos.VisibleWriter); ok { // a bar steers the terminal
		w = v.Unwrap()
	}
	if quiet || !isTerminal(w) {
		return &bar{}
	}
	return &bar{w: w, title: title}
}

// isTerminal says whether a person reads what is written to w.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// progress shows done of total; the bar is drawn at the first call.
func (b *bar) progress(done, total int) {
	if b.w == nil {
		return
	}
	if b.ProgressBar == nil {
		b.ProgressBar = progressbar.NewOptions(total, progressbar.OptionSetWriter(b.w), progressbar.OptionSetDescription(b.title),
			progressbar.OptionClearOnFinish(), progressbar.OptionShowCount(), progressbar.OptionThrottle(100_000_000))
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
