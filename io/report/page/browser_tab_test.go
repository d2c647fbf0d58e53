package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdpage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"mrsched/model"
	"mrsched/model/tier"
)

// browserNeeded is the variable with which `make test-browser` requires a browser.
const browserNeeded = "TEST_BROWSER"

// chromium finds a browser, or skips the test.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "headless-shell"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	const text = "there is no Chromium here; make test-browser installs it"
	if os.Getenv(browserNeeded) != "" {
		t.Fatal(text)
	}
	t.Skip(text)
	return ""
}

// tab is a page in a browser, with all its messages and requests.
type tab struct {
	*testing.T
	ctx  context.Context
	file string

	lock     sync.Mutex
	said     []string // messages, exceptions and dialogs
	requests []string
}

// open opens an empty tab.
func open(t *testing.T) *tab {
	t.Helper()
	program := chromium(t)
	dir, err := os.MkdirTemp("", "report")
	try(t, err)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.UserDataDir(filepath.Join(dir, "profile")), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true))
	ctx, stop := context.WithTimeout(context.Background(), 8*time.Minute)
	ctx, stopProgram := chromedp.NewExecAllocator(ctx, options...)
	ctx, stopTab := chromedp.NewContext(ctx)
	t.Cleanup(func() {
		stopTab()
		stopProgram()
		stop()
		for range 50 { // the browser's processes write for another moment
			if os.RemoveAll(dir) == nil {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
	})
	b := &tab{T: t, ctx: ctx, file: filepath.Join(dir, "report.html")}
	b.do(chromedp.Listen(ctx, b.hear))
	_, err1 := chromedp.Call(ctx, log.Enable, cdp.Empty{})
	_, err2 := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	b.do(errors.Join(err1, err2))
	return b
}

// use runs a test in the tab, as if it were a new one.
func (b *tab) use(t *testing.T, test func(b *tab)) {
	b.T = t
	b.lock.Lock()
	b.said, b.requests = nil, nil
	b.lock.Unlock()
	b.theme("light")
	b.width(1280)
	test(b)
}

// width sets that of the window.
func (b *tab) width(pixels int64) {
	b.Helper()
	b.do(chromedp.Do(b.ctx, chromedp.EmulateViewport(pixels, 1000)))
}

// show opens a page of results from the disk.
func (b *tab) show(results ...Result) {
	b.Helper()
	b.do(os.WriteFile(b.file, []byte(written(b, &Document{Results: results})), 0o644))
	b.do(chromedp.Do(b.ctx, chromedp.Navigate("file://"+b.file)))
}

func (b *tab) do(err error) {
	b.Helper()
	try(b, err)
}

// hear records unwanted actions of a page.
func (b *tab) hear(event any) {
	b.lock.Lock()
	defer b.lock.Unlock()
	switch e := event.(type) {
	case *log.EventEntryAdded:
		b.said = append(b.said, "log: "+e.Entry.Text)
	case *runtime.EventConsoleAPICalled:
		b.said = append(b.said, fmt.Sprintf("console.%s", e.Type))
	case *runtime.EventExceptionThrown:
		b.said = append(b.said, "exception: "+e.ExceptionDetails.Text)
	case *cdpage.EventJavascriptDialogOpening:
		b.said = append(b.said, "dialog: "+e.Message)
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	}
}

// theme sets the colour scheme that the system prefers.
func (b *tab) theme(scheme string) {
	b.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia,
		emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	b.do(err)
}

// value evaluates a JavaScript expression, and waits if it is a promise.
func value[T any](b *tab, expression string) T {
	b.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
	return v
}

// until waits until an expression is true.
func (b *tab) until(expression string) {
	b.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if value[bool](b, expression) {
			return
		}
	}
	b.Fatalf("never: %s", expression)
}

// quiet requires that the page printed no message and requested nothing but itself and its own objects.
func (b *tab) quiet() {
	b.Helper()
	b.lock.Lock()
	defer b.lock.Unlock()
	if len(b.said) > 0 {
		b.Errorf("the page said %q", b.said)
	}
	if len(b.requests) == 0 {
		b.Error("not even the page itself was asked for: is anybody listening?")
	}
	for _, url := range b.requests {
		if !strings.HasPrefix(url, "file://") && !strings.HasPrefix(url, "blob:") || strings.HasPrefix(url, "file://") &&
			!strings.HasSuffix(url, "/report.html") {
			b.Errorf("the page asked for %s", url)
		}
	}
}

// seen is the state of the live Gantt chart, with its position in the window.
type seen struct {
	Mode             string
	Tasks, Shown     int     `json:",string"`
	T0, T1, M0, M1   float64 `json:",string"`
	Left, Top        float64 `json:",string"`
	X, Y, Wide, High float64
}

// chart scrolls the chosen result's chart into view.
func (b *tab) chart() (s seen) {
	b.Helper()
	b.until(`!!document.querySelector('.result.on figure[data-ready]')`)
	text := value[string](b, `new Promise((done) => {
		const c = document.querySelector('.result.on canvas');
		c.scrollIntoView({ block: 'center', behavior: 'instant' });
		requestAnimationFrame(() => requestAnimationFrame(() => {
			const r = c.getBoundingClientRect();
			done(JSON.stringify({ ...c.dataset, X: r.left, Y: r.top, Wide: r.width, High: r.height }));
		}));
	})`)
	b.do(json.Unmarshal([]byte(text), &s))
	return s
}

// at returns the position in the window of a time, in seconds, and the middle of a row.
func (s *seen) at(seconds, row float64) (x, y float64) {
	const axis = 26 // of gantt.js
	return s.X + s.Left + (seconds*1e6-s.T0)/(s.T1-s.T0)*(s.Wide-s.Left),
		s.Y + s.Top + (row+0.5-s.M0)/(s.M1-s.M0)*(s.High-s.Top-axis)
}

// mouse moves the pointer.
func (b *tab) mouse(x, y float64) {
	b.Helper()
	b.do(chromedp.Do(b.ctx, chromedp.MouseEvent(chromedp.MouseMoved, x, y)))
}

func (b *tab) tip() string {
	b.Helper()
	return value[string](b,
		`(() => { const t = document.querySelector('.result.on .tip'); return t.hidden ? '' : t.innerText.replace(/\s+/g, ' ').trim(); })()`)
}

func (b *tab) key(name string) {
	b.Helper()
	value[bool](b,
		fmt.Sprintf(
			`(() => { const c = document.querySelector('.result.on canvas'); c.focus(); return c.dispatchEvent(new KeyboardEvent('keydown', { key: %q, bubbles: true, cancelable: true })); })()`, name))
}

func (b *tab) click(selector string) {
	b.Helper()
	value[any](b, fmt.Sprintf(`document.querySelector(%q).click()`, selector))
}

// halfBusy is a schedule on nodes in racks of twenty. Each runs two maps side by side for the first 500 s; then only
// the first node runs one, until 1 000 s. There are four jobs.
func halfBusy(nodes int) Result {
	r := msjoResult("half", "a", "b")
	r.Problem, r.About = "cluster", about("cluster")
	r.Tables, r.Own, r.Racks = nil, nil, map[string]string{}
	r.Instance = model.InstanceSummary{SHA256: "half", Jobs: 4, Tasks: 2*nodes + 1, Machines: nodes}
	tasks := []Task{{ID: "last", Job: "j1", Machine: "n1", Start: 500 * model.Second, End: 1000 * model.Second}}
	for n := range 2 * nodes {
		node := fmt.Sprint("n", n/2+1)
		r.Racks[node] = fmt.Sprint("rack", n/40+1)
		tasks = append(tasks, Task{ID: fmt.Sprint("t", n), Job: fmt.Sprint("j", n%4+1), Machine: node,
			End: 500 * model.Second})
	}
	r.Tasks = slices.Values(tasks)
	return r
}

// pixels is a script that reads the live chart of a halfBusy schedule. A pixel shows a task if it differs from the
// paper at least twice as much as a separator does. A name is struck if a separator crosses it.
const pixels = `(() => {` + colour + `
	const canvas = document.querySelector('.result.on canvas');
	const { left, top, t0, t1, texts } = canvas.dataset;
	const ratio = canvas.width / canvas.clientWidth;
	const shot = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
	const [paper, grid] = [colour('paper'), colour('grid')];
	const away = (x, y, from) => Math.max(...from.map((v, k) => Math.abs(shot.data[4 * (y * shot.width + x) + k] - v)));
	const line = Math.max(...grid.map((v, k) => Math.abs(v - paper[k])));
	const bottom = canvas.clientHeight - 26;
	const split = Number(left) + (500e6 - t0) / (t1 - t0) * (canvas.clientWidth - left);
	const share = (from, until, test) => {
		let [n, all] = [0, 0];
		for (let y = Math.ceil(top * ratio); y < bottom * ratio - 1; y++) {
			for (let x = Math.ceil(from * ratio); x < until * ratio; x++) { all++; if (test(x, y)) n++; }
		}
		return all ? n / all : -1;
	};
	const width = canvas.clientWidth;
	const list = JSON.parse(texts);
	const boxes = list.filter(([, , , y]) => y < bottom + 5);
	const struck = ([, l, r, y]) => {
		for (let row = Math.round((y - 4) * ratio); row < (y + 4) * ratio; row++) {
			let n = 0;
			for (let x = Math.ceil(l * ratio); x < r * ratio; x++) if (away(x, row, grid) < 2) n++;
			if (n > (r - l) * ratio / 2) return true;
		}
		return false;
	};
	const outside = ([, l, r, y]) => l < 0 || r > width || y < 6 || y > canvas.clientHeight - 6;
	const touch = (a, b) => a !== b && a[1] < b[2] && b[1] < a[2] && Math.abs(a[3] - b[3]) < 12;
	return JSON.stringify({
		Busy: share(Number(left) + 1, Math.min(width, split) - 2, (x, y) => away(x, y, paper) > 2 * line),
		Idle: share(Math.max(Number(left), split) + 2, width - 2, (x, y) => away(x, y, paper) < 2),
		Names: boxes.length,
		Bad: [...list.filter(outside), ...boxes.filter(struck), ...boxes.filter((a) => boxes.some((b) => touch(a, b)))].map((t) => t[0] + ' at ' + t[3]),
	});
})()`

// cells: on few nodes and on thousands, from afar and close by, tasks cover most of the room where they run, and lines
// cover little where none runs. Names lie inside the chart; neither lines nor other names cross them.
func cells(b *tab) {
	const most = 8
	steps := tier.Draws(3, most)
	for _, nodes := range []int{12, 60, 1200, 12_000} {
		b.show(halfBusy(nodes))
		for _, view := range []struct {
			theme string
			width int64
			scale float64
		}{{"light", 1280, 1}, {"dark", 1280, 1}, {"light", 390, 1.5}} {
			b.theme(view.theme)
			b.do(chromedp.Do(b.ctx, chromedp.EmulateViewport(view.width, 1000, chromedp.EmulateScale(view.scale))))
			b.chart()
			b.key("0")
			for step := range steps {
				s := b.chart()
				var got struct {
					Busy, Idle float64
					Names      int
					Bad        []string
				}
				b.do(json.Unmarshal([]byte(value[string](b, pixels)), &got))
				at := fmt.Sprintf("%d nodes, %+v, step %d of %d, %s", nodes, view, step, steps, s.Mode)
				if got.Busy < 0.6 || got.Idle < 0.8 {
					b.Errorf("%s: tasks cover %.2f of where they run, and nothing covers %.2f of the rest", at, got.Busy, got.Idle)
				}
				if got.Names < min(nodes, 20) && step == 0 || len(got.Bad) > 0 {
					b.Errorf("%s: %d names; cut, crossed or too close: %q", at, got.Names, got.Bad[:min(len(got.Bad), 6)])
				}
				for range max(1, most/steps) {
					b.key("+")
				}
			}
		}
	}
}
