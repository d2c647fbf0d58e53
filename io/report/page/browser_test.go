package page

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"mrsched/model"
	"mrsched/model/tier"
)

// TestBrowser opens pages in one browser, one after the other.
func TestBrowser(t *testing.T) {
	tier.Slow(t)
	b := open(t)
	for _, x := range []struct {
		name string
		test func(b *tab)
	}{{"pointer", pointer}, {"zoom", zooming}, {"controls", controls}, {"policy", policy}, {"themes", themes},
		{"large", large}, {"cells", cells}, {"tiles", tiles}, {"jobs", manyJobs}, {"problems", problems}} {
		t.Run(x.name, func(t *testing.T) { b.use(t, x.test) })
	}
}

// three shows a bound and two schedules of a job whose name has markup, without an effect.
func (b *tab) three() *seen {
	b.Helper()
	b.show(msjoResult("mars", "a", hostile), msjoResult("stf", "a", hostile), boundResult())
	s := b.chart()
	return &s
}

// pointer: the chart counts its tasks, and tells of those under the pointer and those that keys reach.
func pointer(b *tab) {
	s := b.three()
	if s.Mode != "bars" || s.Tasks != 4 || s.Shown != 4 || s.T0 != 0 || s.T1 != 35e6 || s.M1 != 2 {
		b.Errorf("the chart shows %+v", s)
	}
	if n := value[int](b, `document.querySelectorAll('.algorithms tbody tr').length`); n != 3 {
		b.Errorf("%d rows of algorithms, want 3", n)
	}
	text := value[string](b, `document.querySelector('.result.on .state').innerText`)
	if !strings.Contains(text, "all 4 tasks") {
		b.Errorf("the chart says %q", text)
	}
	b.mouse(s.at(20, 0))
	if got, want := b.tip(), "a.r1 job a kind reduce machine m1 start 10 s end 30 s takes 20 s"; got != want {
		b.Errorf("over the reduce of a: %q, want %q", got, want)
	}
	b.mouse(s.at(7, 1))
	if got := b.tip(); !strings.HasPrefix(got, hostile+".m1") || !strings.HasSuffix(got, "block b2") {
		b.Errorf("over the map of the second job: %q", got)
	}
	b.mouse(s.at(34, 0))
	if got := b.tip(); got != "" {
		b.Errorf("where nothing runs: %q", got)
	}
	b.key("ArrowRight")
	b.key("ArrowRight")
	aloud := value[string](b, `document.querySelector('.result.on .live').textContent`)
	if got := b.tip(); !strings.HasPrefix(got, "a.r1 ") || !strings.HasPrefix(aloud, "a.r1: job a, kind reduce") {
		b.Errorf("the second task by keys: %q, aloud %q", got, aloud)
	}
	b.key("ArrowDown")
	if got := b.tip(); !strings.HasPrefix(got, hostile) {
		b.Errorf("the task below by keys: %q", got)
	}
	b.quiet()
}

// zooming: a key, a button and the wheel zoom, dragging moves the view, and 0 shows everything again.
func zooming(b *tab) {
	s := b.three()
	const wheel = `(() => { const c = document.querySelector('.result.on canvas'); c.focus(); const r = c.getBoundingClientRect();
		c.dispatchEvent(new WheelEvent('wheel', { deltaY: -200, clientX: r.left + 400, clientY: r.top + 30, bubbles: true, cancelable: true })); })()`
	for name, zoom := range map[string]func(){
		"+":      func() { b.key("+") },
		"button": func() { b.click(".result.on [data-do=in]") },
		"wheel":  func() { value[any](b, wheel) },
	} {
		before := b.chart()
		zoom()
		if now := b.chart(); now.T1-now.T0 >= before.T1-before.T0 {
			b.Errorf("%s: from %v s to %v s of the schedule", name, before.T1-before.T0, now.T1-now.T0)
		}
	}
	*s = b.chart()
	b.do(chromedp.Do(b.ctx, chromedp.DragAndDropXY(s.X+s.Wide/2, s.Y+30, s.X+s.Wide/2-100, s.Y+30)))
	if now := b.chart(); now.T0 <= s.T0 {
		b.Errorf("dragged to the left, the view goes from %v to %v", s.T0, now.T0)
	}
	b.key("0")
	if now := b.chart(); now.T0 != 0 || now.T1 != 35e6 {
		b.Errorf("everything is %+v", now)
	}
	b.quiet()
}

// controls: search, colours, themes, pictures as files, other results.
func controls(b *tab) {
	b.three()
	value[any](b,
		`(() => { const f = document.querySelector('.result.on .find'); f.querySelector('input').value = 'a.m1'; f.requestSubmit(); })()`)
	if got := b.tip(); !strings.HasPrefix(got, "a.m1 ") {
		b.Errorf("found: %q", got)
	}
	chips := value[string](b, `(() => { const by = document.querySelector('.result.on .by select'); by.value = 1; by.dispatchEvent(new Event('change'));
		return [...document.querySelectorAll('.result.on .jobs button')].map((b) => b.innerText).join(); })()`)
	if chips != "b1,none,b2" {
		b.Errorf("coloured by block: %q", chips)
	}
	light := value[string](b, ground)
	b.click("#theme")
	dark := value[string](b, ground)
	b.click("#theme")
	if again := value[string](b, ground); light != white || dark == light || again != light {
		b.Errorf("light, dark, light: %s, %s, %s", light, dark, again)
	}
	for _, file := range []string{"gantt", "utilisation", "completion"} {
		svg := value[string](b, fmt.Sprintf(`(() => {
			const make = URL.createObjectURL;
			let made;
			URL.createObjectURL = (blob) => { made = blob; return make(blob); };
			document.querySelector('.result.on [data-file$="-%s.svg"]').click();
			URL.createObjectURL = make;
			return made.text();
		})()`, file))
		if n, err := wellFormed(svg); err != nil || n < 10 || !strings.Contains(svg, "<title>") ||
			strings.Contains(svg, "var(--") {
			b.Errorf("%s as a file: %d elements, %v\n%.300s", file, n, err, svg)
		}
	}
	value[any](b,
		`(() => { const p = document.getElementById('pick'); p.value = 'r2'; p.dispatchEvent(new Event('change')); })()`)
	if s := b.chart(); s.Tasks != 4 || value[string](b, `document.querySelector('.result.on').id`) != "r2" {
		b.Errorf("the second result: %+v", s)
	}
	value[any](b, `location.hash = '#r3'`)
	b.until(`document.querySelector('.result.on').id === 'r3'`)
	b.quiet()
}

// policy: the page's policy holds even against an injected script.
func policy(b *tab) {
	b.three()
	got := value[string](b, `fetch('https://mrsched.invalid/').then(() => 'loaded', () => 'refused')`)
	if got != "refused" {
		b.Error("the page may use the network")
	}
	got = value[string](b,
		`(() => { const s = document.createElement('script'); s.textContent = 'window.harmed = true'; document.body.append(s); return String(window.harmed); })()`)
	if got != "undefined" {
		b.Error("the page runs scripts that are not its own")
	}
	b.lock.Lock()
	defer b.lock.Unlock()
	if len(b.said) < 2 {
		b.Errorf("the browser reported no violation of the policy: %q", b.said)
	}
}

// ground is a script that returns the colour of the page, white its value in light themes and on paper.
const (
	ground = `getComputedStyle(document.body).backgroundColor`
	white  = "rgb(255, 255, 255)"
)

// themes: the page follows the system's theme, and prints on white.
func themes(b *tab) {
	b.show(msjoResult("mars", "a", "b"))
	b.theme("dark")
	b.chart()
	if got := value[string](b, ground); got == white {
		b.Errorf("dark: the ground is %s", got)
	}
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print",
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
	b.do(err)
	got := value[string](b,
		`[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.querySelector('.stage')).display, getComputedStyle(document.querySelector('[data-live] .picture')).display].join()`)
	if got != white+",none,block" {
		b.Errorf("printed: ground, live chart, picture are %s", got)
	}
	pdf, err := chromedp.Run(b.ctx, chromedp.PrintToPDF())
	if err != nil || !strings.HasPrefix(string(pdf), "%PDF") {
		b.Errorf("print: %v", err)
	}
	b.quiet()
}

// large: the page of 100 000 tasks draws its chart within 3 s on an idle machine of two cores; a busy one gets more
// time. Zoomed out it is aggregated, zoomed in it shows tasks.
func large(b *tab) {
	const patience = 12_000 // milliseconds
	b.show(largeResult("mars", 100_000, 500))
	s := b.chart()
	if s.Mode != "heat" || s.Tasks != 100_000 || s.Shown != 100_000 {
		b.Errorf("the chart shows %+v", s)
	}
	drawn := value[float64](b, `performance.getEntriesByName('gantt')[0].startTime`)
	b.Logf("the chart of 100 000 tasks is drawn after %.0f ms", drawn)
	if drawn > patience {
		b.Errorf("the chart is drawn after %.0f ms", drawn)
	}
	b.mouse(s.at(60, 100))
	if got := b.tip(); !strings.Contains(got, "busy") || !strings.Contains(got, "…") {
		b.Errorf("over a cell: %q", got)
	}
	for range 10 {
		b.key("+")
	}
	s = b.chart()
	if s.Mode != "bars" || s.Shown == 0 || s.Shown > 5000 {
		b.Errorf("closer by the chart shows %+v", s)
	}
	b.key("ArrowRight")
	if got := b.tip(); !strings.Contains(got, "machine m") {
		b.Errorf("a task: %q", got)
	}
	b.quiet()
}

// tiles: no key figure wraps or leaves its tile, in wide and in narrow windows.
func tiles(b *tab) {
	var list []Result
	for _, value := range []model.Number{"32", "290952796590.91", "286480127215.845", "12624712885877.804",
		"101659413715597.456", model.Number("1" + strings.Repeat("0", 35))} {
		r := msjoResult("mars", "a", "b")
		r.Objective, r.LowerBound.Value = &model.Objective{Name: "twjct", Value: value}, value
		list = append(list, r)
	}
	b.show(list...)
	for _, width := range []int64{1280, 800, 390} {
		b.width(width)
		bad := value[string](b, `(() => {
			document.querySelectorAll('.result').forEach((a) => a.classList.add('on'));
			return [...document.querySelectorAll('.facts .number bdi')].filter((e) => {
				const r = e.getClientRects();
				return r.length !== 1 || r[0].right > e.closest('div').getBoundingClientRect().right || parseFloat(getComputedStyle(e).fontSize) < 7;
			}).map((e) => e.textContent + ' ' + getComputedStyle(e).fontSize).join();
		})()`)
		if bad != "" {
			b.Errorf("in a window of %d pixels these are broken, too wide or too small: %s", width, bad)
		}
	}
	if n := value[int](b, `document.querySelectorAll('.facts .number').length`); n < 4*len(list) {
		b.Errorf("%d numbers", n)
	}
}
