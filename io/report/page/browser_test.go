package page

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// TestBrowser opens a page in a browser and uses it: counts, pointer, keys, wheel, buttons, search, themes, pictures as
// files, other results. Names with markup have no effect.
func TestBrowser(t *testing.T) {
	second := msjoResult("stf", "a", hostile)
	second.Violations = nil
	b := open(t, written(t, &Document{Results: []Result{msjoResult("mars", "a", hostile), second, boundResult()}}))
	s := b.chart()
	if s.Mode != "bars" || s.Tasks != 4 || s.Shown != 4 || s.T0 != 0 || s.T1 != 35e6 || s.M1 != 2 {
		t.Errorf("the chart shows %+v", s)
	}
	if n := value[int](b, `document.querySelectorAll('.algorithms tbody tr').length`); n != 3 {
		t.Errorf("%d rows of algorithms, want 3", n)
	}
	if text := value[string](b, `document.querySelector('.result.on .state').innerText`); !strings.Contains(text,
		"all 4 tasks") {
		t.Errorf("the chart says %q", text)
	}

	x, y := s.at(20, 0)
	b.do(chromedp.Do(b.ctx, chromedp.MouseEvent(chromedp.MouseMoved, x, y)))
	if got, want := b.tip(), "a.r1 job a kind reduce machine m1 start 10 s end 30 s takes 20 s"; got != want {
		t.Errorf("over the reduce of a: %q, want %q", got, want)
	}
	x, y = s.at(7, 1)
	b.do(chromedp.Do(b.ctx, chromedp.MouseEvent(chromedp.MouseMoved, x, y)))
	if got := b.tip(); !strings.HasPrefix(got, hostile+".m1") || !strings.HasSuffix(got, "block b2") {
		t.Errorf("over the map of the second job: %q", got)
	}
	x, y = s.at(34, 0)
	b.do(chromedp.Do(b.ctx, chromedp.MouseEvent(chromedp.MouseMoved, x, y)))
	if got := b.tip(); got != "" {
		t.Errorf("where nothing runs: %q", got)
	}

	b.key("ArrowRight")
	b.key("ArrowRight")
	if got := b.tip(); !strings.HasPrefix(got, "a.r1 ") {
		t.Errorf("the second task by keys: %q", got)
	}
	if got := value[string](b, `document.querySelector('.result.on .live').textContent`); !strings.HasPrefix(got,
		"a.r1: job a, kind reduce") {
		t.Errorf("said aloud: %q", got)
	}
	b.key("ArrowDown")
	if got := b.tip(); !strings.HasPrefix(got, hostile) {
		t.Errorf("the task below by keys: %q", got)
	}
	b.key("Escape")
	for _, c := range []struct {
		name string
		do   func()
	}{
		{"+", func() { b.key("+") }},
		{"button", func() { value[any](b, `document.querySelector('.result.on [data-do=in]').click()`) }},
		{"wheel", func() {
			value[any](b, `(() => { const c = document.querySelector('.result.on canvas'); c.focus(); const r = c.getBoundingClientRect();
				c.dispatchEvent(new WheelEvent('wheel', { deltaY: -200, clientX: r.left + 400, clientY: r.top + 30, bubbles: true, cancelable: true })); })()`)
		}},
	} {
		before := b.chart()
		c.do()
		if now := b.chart(); now.T1-now.T0 >= before.T1-before.T0 {
			t.Errorf("%s: from %v s to %v s of the schedule", c.name, before.T1-before.T0, now.T1-now.T0)
		}
	}
	s = b.chart()
	b.do(chromedp.Do(b.ctx, chromedp.DragAndDropXY(s.X+s.Wide/2, s.Y+30, s.X+s.Wide/2-100, s.Y+30)))
	if now := b.chart(); now.T0 <= s.T0 {
		t.Errorf("dragged to the left, the view goes from %v to %v", s.T0, now.T0)
	}
	b.key("0")
	if s = b.chart(); s.T0 != 0 || s.T1 != 35e6 {
		t.Errorf("everything is %+v", s)
	}
	value[any](b,
		`(() => { const f = document.querySelector('.result.on .find'); f.querySelector('input').value = 'a.m1'; f.requestSubmit(); })()`)
	if got := b.tip(); !strings.HasPrefix(got, "a.m1 ") {
		t.Errorf("found: %q", got)
	}

	chips := value[string](b, `(() => { const by = document.querySelector('.result.on .by select'); by.value = 1; by.dispatchEvent(new Event('change'));
		return [...document.querySelectorAll('.result.on .jobs button')].map((b) => b.innerText).join(); })()`)
	if chips != "b1,none,b2" {
		t.Errorf("coloured by block: %q", chips)
	}

	ground := `getComputedStyle(document.body).backgroundColor`
	light := value[string](b, ground)
	value[any](b, `document.getElementById('theme').click()`)
	dark := value[string](b, ground)
	value[any](b, `document.getElementById('theme').click()`)
	if again := value[string](b, ground); light != "rgb(255, 255, 255)" || dark == light || again != light {
		t.Errorf("light, dark, light: %s, %s, %s", light, dark, again)
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
			t.Errorf("%s as a file: %d elements, %v\n%.300s", file, n, err, svg)
		}
	}

	value[any](b,
		`(() => { const p = document.getElementById('pick'); p.value = 'r2'; p.dispatchEvent(new Event('change')); })()`)
	if s = b.chart(); s.Tasks != 4 || value[string](b, `document.querySelector('.result.on').id`) != "r2" {
		t.Errorf("the second result: %+v", s)
	}
	value[any](b, `location.hash = '#r3'`)
	b.until(`document.querySelector('.result.on').id === 'r3'`)
	b.quiet()

	// The policy holds even against an injected script.
	if got := value[string](b, `fetch('https://mrsched.invalid/').then(() => 'loaded', () => 'refused')`); got !=
		"refused" {
		t.Error("the page may use the network")
	}
	if got := value[string](b,
		`(() => { const s = document.createElement('script'); s.textContent = 'window.harmed = true'; document.body.append(s); return String(window.harmed); })()`); got != "undefined" {
		t.Error("the page runs scripts that are not its own")
	}
	b.lock.Lock()
	defer b.lock.Unlock()
	if len(b.said) < 2 {
		t.Errorf("the browser reported no violation of the policy: %q", b.said)
	}
}

// TestBrowserThemes: the page follows the system's theme, and prints on white.
func TestBrowserThemes(t *testing.T) {
	b := open(t, written(t, &Document{Results: []Result{msjoResult("mars", "a", "b")}}))
	b.theme("dark")
	b.chart()
	if got := value[string](b, `getComputedStyle(document.body).backgroundColor`); got == "rgb(255, 255, 255)" {
		t.Errorf("dark: the ground is %s", got)
	}
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print",
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
	b.do(err)
	got := value[string](b,
		`[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.querySelector('.stage')).display, getComputedStyle(document.querySelector('[data-live] .picture')).display].join()`)
	if got != "rgb(255, 255, 255),none,block" {
		t.Errorf("printed: ground, live chart, picture are %s", got)
	}
	pdf, err := chromedp.Run(b.ctx, chromedp.PrintToPDF())
	if err != nil || !strings.HasPrefix(string(pdf), "%PDF") {
		t.Errorf("print: %v", err)
	}
	b.quiet()
}

// TestBrowserLarge: the page of 100 000 tasks draws its chart within 3 s on an idle machine of two cores; a busy one
// gets more time. Zoomed out it is aggregated, zoomed in it shows tasks.
func TestBrowserLarge(t *testing.T) {
	const patience = 12_000 // milliseconds
	b := open(t, written(t, &Document{Results: []Result{largeResult("mars", 100_000, 500)}}))
	s := b.chart()
	if s.Mode != "heat" || s.Tasks != 100_000 || s.Shown != 100_000 {
		t.Errorf("the chart shows %+v", s)
	}
	drawn := value[float64](b, `performance.getEntriesByName('gantt')[0].startTime`)
	t.Logf("the chart of 100 000 tasks is drawn after %.0f ms", drawn)
	if drawn > patience {
		t.Errorf("the chart is drawn after %.0f ms", drawn)
	}
	x, y := s.at(60, 100)
	b.do(chromedp.Do(b.ctx, chromedp.MouseEvent(chromedp.MouseMoved, x, y)))
	if got := b.tip(); !strings.Contains(got, "busy") || !strings.Contains(got, "…") {
		t.Errorf("over a cell: %q", got)
	}
	for range 10 {
		b.key("+")
	}
	s = b.chart()
	if s.Mode != "bars" || s.Shown == 0 || s.Shown > 5000 {
		t.Errorf("closer by the chart shows %+v", s)
	}
	b.key("ArrowRight")
	if got := b.tip(); !strings.Contains(got, "machine m") {
		t.Errorf("a task: %q", got)
	}
	redrawn := value[float64](b, `new Promise((done) => { const c = document.querySelector('.result.on canvas'); const begin = performance.now();
		c.dispatchEvent(new KeyboardEvent('keydown', { key: '0' })); requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - begin))); })`)
	t.Logf("all of it is drawn again within %.0f ms", redrawn)
	b.quiet()
}
