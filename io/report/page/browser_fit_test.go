package page

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"mrsched/model"
)

// nightly is a result of a problem on a small cluster of two racks, with unequal jobs, like a user's nightly schedule.
// It lasts 28 minutes.
func nightly(problem, algorithm string) Result {
	r := msjoResult(algorithm, "clickstream", "billing")
	r.Problem, r.About, r.Guarantee = problem, about(problem), nil
	r.Objective.Name, r.Instance.Name = r.About.Criteria[0].Name, "nightly-etl"
	r.Instance.Jobs, r.Instance.Tasks, r.Instance.Machines = 3, 30, 12
	r.Objective.Value, r.LowerBound.Value = "16515", "16092"
	r.Metrics = map[string]any{"makespan": "1700", "turn_around": "700.5", "node_local": "20"}
	r.Shown = []string{"makespan", "turn_around", "node_local"}
	r.Own = nil
	for _, c := range r.About.Columns {
		r.Own = append(r.Own, c.Name)
	}
	releases, deadlines := []string{"0", "600", "900"}, []string{"1500", "3000", "2000"}
	var tasks []Task
	for j, job := range []string{"clickstream", "billing", "reporting-of-the-data-warehouse"} {
		for k := range 10 {
			reduce := k >= 8
			if problem == "hta" && reduce || problem == "reduceplace" && !reduce && k > 3 {
				continue
			}
			reduce = reduce || problem == "reduceplace"
			kind := map[bool]int{true: 1}[reduce]
			t := Task{ID: fmt.Sprintf("%s.%s%d", job, "mr"[kind:][:1], k), Job: job, Reduce: reduce,
				Machine: fmt.Sprintf("node-%d.cluster.example/m%d", (k+j)%4+1, (k+j)%3+1),
				Start:   model.Time(300*j+60*k+kind*200) * model.Second}
			t.End = t.Start + model.Time(200+40*j)*model.Second
			for _, c := range r.Own {
				t.Own = append(t.Own, map[string]string{"rack": []string{"ra", "rb"}[(k+j)%4/2], "locality": "node",
					"arrival": releases[j], "due": deadlines[j], "slot_cost": fmt.Sprint(j + 1), "cost": "5000000000",
					"bytes": "536870912", "node": "n1", "block": "b1", "read_across": "0"}[c])
			}
			tasks = append(tasks, t)
		}
	}
	r.Tasks = slices.Values(tasks)
	const long = "reporting-of-the-data-warehouse"
	r.Tables = map[string][]model.ResultTable{
		"msjo": {table("jobs", "job,weight,release,earliest,first_start,completion,objective_share",
			"clickstream,3,0,534,0,675,2025", "billing,10,600,1279,600,1279,12790", long+",1,900,1600,900,1700,1700")},
		"realtime": {table("jobs", "job,class,arrival,deadline,first_start,completion,laxity,tardiness,late",
			"clickstream,,0,1500,0,1600,-100,100,1", "billing,,600,3000,600,1279,1721,0,0", long+",,900,2000,900,1700,300,0,0")},
		"multitenant": {table("jobs", "job,user,arrival", "clickstream,marketing,0", "billing,finance,600", long+",bi,900"),
			table("users", "user,jobs,slot_seconds", "marketing,1,2000", "finance,1,3000", "bi,1,4000"),
			table("traffic", "from,until,rack,shuffle_out,shuffle_in,map_out,map_in", "0,100,ra,1000000000,0,50,0",
				"100,900,rb,0,1000000000,0,50")},
		"cluster": {table("jobs", "job,tenant,weight,release,due,earliest,first_start,completion,late_by,objective_share",
			"clickstream,,3,0,1500,534,0,675,0,2025", "billing,,10,600,3000,1279,600,1279,0,12790",
			long+",,1,900,2000,1600,900,1700,0,1700")},
	}[problem]
	if problem == "cluster" {
		r.Racks = map[string]string{"node-1.cluster.example": "ra", "node-2.cluster.example": "ra",
			"node-3.cluster.example": "rb", "node-4.cluster.example": "rb"}
		supply := func(name, unit string, takes, has float64) model.Supply {
			return model.Supply{Name: name, Unit: unit, Takes: func(_, _ string) float64 { return takes },
				Has: []model.SupplyStep{{Amount: has}, {From: 800 * model.Second, Amount: has / 2}}}
		}
		r.Supplies = []model.Supply{supply("cores", "cores", 4, 64), supply("memory", "B", 24e9, 384e9),
			supply("licences-of-the-geographic-information-system", "", 50_000, 1_000_000)}
	}
	return r
}

type problemShown struct {
	name          string
	releases, due int
	mixed         bool
}

// problemsShown lists all problems, the features of their instances, and whether their schedules have both kinds of
// tasks.
var problemsShown = []problemShown{{"msjo", 2, 0, true}, {"hta", 0, 0, false}, {"reduceplace", 2, 0, false}, {"realtime", 2, 3, true},
	{"multitenant", 2, 0, true}, {"cluster", 2, 3, true}}

// fit is a script that lists elements that are cut, too small to read, or without contrast.
const fit = `(() => {
	const bad = [];
	const wide = document.documentElement.clientWidth;
	document.querySelectorAll('details').forEach((d) => { d.open = true; });
	if (document.documentElement.scrollWidth > wide) bad.push('the page is ' + document.documentElement.scrollWidth + ' wide');
	const outer = (e) => { for (let p = e.parentElement; p; p = p.parentElement) if (['auto', 'scroll'].includes(getComputedStyle(p).overflowX)) return p; return null; };
	const shown = (e) => e.checkVisibility() && e.getClientRects().length;
	for (const t of document.querySelectorAll('main svg text')) {
		if (!shown(t) || !t.textContent) continue;
		const a = t.getBoundingClientRect();
		const b = t.ownerSVGElement.getBoundingClientRect();
		if (a.left < b.left - 1 || a.right > b.right + 1 || a.top < b.top - 1 || a.bottom > b.bottom + 1) bad.push('cut: ' + t.textContent);
		if (b.right > wide + 1) bad.push('a picture reaches to ' + b.right);
		if (12 * b.width / t.ownerSVGElement.viewBox.baseVal.width < 8) bad.push('too small: ' + t.textContent);
	}
	for (const c of document.querySelectorAll('.result.on canvas')) {
		if (c.getBoundingClientRect().right > wide + 1) bad.push('the chart is too wide');
		for (const [text, left, right, y] of JSON.parse(c.dataset.texts)) {
			if (left < -1 || right > c.clientWidth + 1) bad.push('cut in the chart: ' + text);
			if (y < c.clientHeight - 26 && right > Number(c.dataset.left) + 1) bad.push('a name over the bars: ' + text);
		}
	}
	for (const e of document.querySelectorAll('body *')) {
		if (!shown(e) || e.closest('svg') || e.closest('.skip,.live')) continue;
		const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
		const style = getComputedStyle(e);
		const from = outer(e);
		if (own && !from && e.getBoundingClientRect().right > wide + 1) bad.push('outside: ' + e.textContent);
		if (style.overflowX === 'hidden' && e.scrollWidth > e.clientWidth + 1) bad.push('hidden: ' + e.textContent);
		if (from && from.getBoundingClientRect().right > wide + 1) bad.push('the container of ' + e.textContent + ' is outside');
		if (from && e.getBoundingClientRect().right - from.getBoundingClientRect().left + from.scrollLeft > from.scrollWidth + 1) bad.push('out of reach: ' + e.textContent);
	}
	return bad.slice(0, 12).join('\n');
})()`

// colour is the beginning of a script: a function that returns the numbers of a colour that the page names.
const colour = `
	const colour = (name) => {
		const probe = document.body.appendChild(document.createElement('i'));
		probe.style.color = 'var(--' + name + ')';
		const numbers = getComputedStyle(probe).color.match(/[\d.]+/g).map(Number);
		probe.remove();
		return numbers;
	};`

// contrast is a script that lists texts whose contrast is below 4.5, and colours on which white is not readable.
const contrast = `(() => {` + colour + `
	const light = (c) => { const [r, g, b] = c.map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
	const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
	const rgb = (text) => text.match(/[\d.]+/g).map(Number);
	const ground = (e) => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.length === 3 || c[3] === 1) return c.slice(0, 3); } return [255, 255, 255]; };
	const bad = [];
	for (const e of document.querySelectorAll('body *')) {
		if (!e.checkVisibility() || ![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()) || ['SCRIPT', 'TEMPLATE', 'STYLE'].includes(e.tagName)) continue;
		if (e.closest('svg') && (e.tagName !== 'text' || e.classList.contains('on'))) continue;
		const style = getComputedStyle(e);
		const r = ratio(rgb(e.closest('svg') ? style.fill : style.color).slice(0, 3), ground(e));
		if (r < 4.5) bad.push(e.textContent.slice(0, 30) + ' ' + r.toFixed(2));
	}
	for (const name of ['rest', 'n0', 'n1', 'n2', ...Array.from({ length: 24 }, (_, i) => 'c' + i)]) {
		if (ratio(colour(name), [255, 255, 255]) < 4.5) bad.push('white on ' + name);
	}
	for (const name of ['k0', 'k1', 'rest']) {
		if (Math.max(...colour(name)) - Math.min(...colour(name)) > 24) bad.push(name + ' is not grey');
	}
	return bad.slice(0, 12).join('\n');
})()`

// fits: pages show everything in windows of any width, in both themes. No text is cut, the page does not scroll
// sideways, and elements wider than the window scroll by themselves.
func (b *tab) fits(about string) {
	b.Helper()
	for _, width := range []int64{390, 800, 1400} {
		b.width(width)
		b.chart()
		if bad := value[string](b, fit); bad != "" {
			b.Errorf("%s, %d pixels:\n%s", about, width, bad)
		}
	}
	for _, theme := range []string{"dark", "light"} {
		b.theme(theme)
		if bad := value[string](b, contrast); bad != "" {
			b.Errorf("%s, %s:\n%s", about, theme, bad)
		}
	}
}

// texts collects all texts of a page, including tooltips and pictures, except the parameters.
const texts = `(() => {
	document.querySelectorAll('.all').forEach((e) => e.remove());
	const tip = document.querySelector('.result.on .tip');
	return [document.querySelector('main').innerText, tip.innerText, document.querySelector('.result.on canvas').dataset.texts,
		...[...document.querySelectorAll('main svg text, main svg title, td')].map((e) => e.textContent)].join('\n');
})()`

// otherUnits matches times that are not in clock format.
var otherUnits = regexp.MustCompile(`\d (?:d|h|min|s|ms|µs)\b(?:[^/]|$)|\((?:d|h|min|s|ms|µs)\)`)

// oneUnit: axes, tooltips and tables of a page have the same unit of time, and state it.
func (b *tab) oneUnit(problem string) {
	b.Helper()
	b.key("ArrowRight")
	tip := b.tip()
	if problem == "hta" { // its costs are loads, which have no unit of time
		if all := value[string](b, texts); !strings.Contains(all, "load") || strings.Contains(all, "time (") ||
			!strings.Contains(tip, "takes 200") {
			b.Errorf("hta: the tooltip says %q", tip)
		}
		return
	}
	if !strings.Contains(tip, "start 0:0") || !strings.Contains(tip, "takes 0:03:20") {
		b.Errorf("%s: the tooltip says %q", problem, tip)
	}
	all := value[string](b, texts)
	if other := otherUnits.FindString(all); other != "" {
		b.Errorf("%s: beside h:mm:ss the page says %q", problem, other)
	}
	if !strings.Contains(all, "time (h:mm:ss)") || !strings.Contains(all, "0:20:00") {
		b.Errorf("%s: the axis does not name its unit", problem)
	}
}

// marks: the live and the static chart mark releases and deadlines, if there are any, and mark at their edge what is
// later than the chart shows. Reduces are hatched only if there are maps.
func (b *tab) marks(p problemShown) {
	b.Helper()
	s := b.chart()
	got := value[string](b, `(() => {
		const { releases, dues, lines } = document.querySelector('.result.on canvas').dataset;
		const still = document.querySelector('figure[data-live] svg');
		const n = (k) => still.querySelectorAll('[data-mark="' + k + '"]:has(title)').length;
		const hatched = document.querySelectorAll('main svg path[fill]').length > 0;
		if (Number(lines) !== still.querySelectorAll('.flag').length) return lines + ' lines';
		return [releases, dues, n(1), n(2) + n(3), hatched].join();
	})()`)
	if want := fmt.Sprintf("%d,%d,%d,%d,%v", p.releases, p.due, p.releases, p.due, p.mixed); got != want {
		b.Errorf("%s: releases, deadlines, the same in the still chart, hatching: %s, want %s", p.name, got, want)
	}
	if p.releases > 0 {
		x, _ := s.at(600, 0)
		b.mouse(x+2, s.Y+s.Top/2)
		if tip := b.tip(); !strings.Contains(tip, "billing released at 0:10:00") {
			b.Errorf("%s: over a release: %q", p.name, tip)
		}
	}
}

// colours: a job, or its tenant, has one colour in all charts, including the live one and its legend. Kinds of tasks
// have none of these colours.
func (b *tab) colours(problem string) {
	b.Helper()
	bad := value[string](b, `(() => {
		const bad = [];
		const looks = {};
		const jobs = ['clickstream', 'billing', 'reporting-of-the-data-warehouse'];
		for (const e of document.querySelectorAll('main svg title')) {
			const job = jobs.find((j) => e.textContent.startsWith(j));
			const look = (e.parentNode.getAttribute('class') || '').split(' ')[0].replace(/^s(\d)/, 'c$1');
			if (!job) { if (/^c\d/.test(look)) bad.push(e.textContent + ' has the colour of a job'); continue; }
			looks[job] = looks[job] || look;
			if (look !== looks[job]) bad.push(job + ' is ' + look + ' and ' + looks[job]);
		}
		if (new Set(Object.values(looks)).size !== jobs.length) bad.push('colours: ' + JSON.stringify(looks));
		const own = document.querySelector('.result.on canvas').dataset.looks;
		if (own.split(' ').sort().join() !== Object.values(looks).sort().join()) bad.push('the live chart has ' + own + ', not ' + JSON.stringify(looks));
		for (const l of document.querySelectorAll('figure:not([data-live]) svg .k0, figure:not([data-live]) svg .k1')) {
			if (/[c]\d/.test(l.getAttribute('class'))) bad.push('a kind has a hue');
		}
		return bad.join('\n');
	})()`)
	if bad != "" {
		b.Errorf("%s: %s", problem, bad)
	}
}

// columns: the table of algorithms has a column for guarantees only if there is one, the page's title names the
// workload, and the objective is explained.
func (b *tab) columns(problem string, guarantee bool) {
	b.Helper()
	got := value[string](b, `[document.title, [...document.querySelectorAll('.algorithms thead th')].map((e) => e.innerText).join(), document.querySelector('.legend').innerText].join('\n')`)
	if strings.Contains(got, ",guarantee") != guarantee || !guarantee && !strings.Contains(got, "nightly-etl") ||
		!strings.Contains(got, problem+": ") || !strings.Contains(got, "how far the objective lies") {
		b.Errorf("%s, guarantee %v: %s", problem, guarantee, got)
	}
}

// problems opens pages of all problems, of one result and of several, one of them recorded.
func problems(b *tab) {
	for _, p := range problemsShown {
		b.width(1280)
		b.show(nightly(p.name, "best"))
		b.marks(p)
		b.columns(p.name, false)
		b.fits(p.name)
		ran, other := nightly(p.name, "best-of-the-application_1538416563558_0014"), nightly(p.name, "greedy")
		ran.Recorded, ran.Instance.Name = &Recorded{Tasks: ran.Tasks, Note: "what ran"}, ran.Algorithm
		ran.Guarantee = &model.Guarantee{Factor: "3", Additive: "0", Source: "x", Verdict: model.VerdictProven}
		b.show(ran, other)
		b.columns(p.name, true)
		b.fits(p.name + ", two results")
		b.colours(p.name)
		b.oneUnit(p.name)
	}
	b.quiet()
	b.show(msjoResult("mars", "a", "b"))
	b.chart()
	if all := value[string](b, texts); strings.Contains(all, "0:00:") || !strings.Contains(all, "time (s)") {
		b.Errorf("a page of seconds has clocks")
	}
}

// manyJobs: of 100 jobs all are grey except the selected one. Each job of five users has its user's colour; the lines
// of many jobs would cover the rows.
func manyJobs(b *tab) {
	const hue = `(() => {` + colour + `
		const c = document.querySelector('.result.on canvas');
		const [red, green, blue] = colour('c0');
		const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
		let n = 0;
		for (let i = 0; i < d.length; i += 4) if (d[i] === red && d[i + 1] === green && d[i + 2] === blue) n++;
		return n;
	})()`
	r := largeResult("x", 5000, 50)
	b.show(r)
	if s := b.chart(); s.Mode != "bars" || value[int](b, hue) != 0 {
		b.Errorf("%s, %d pixels of a colour", s.Mode, value[int](b, hue))
	}
	b.click(`.result.on .jobs button`)
	b.chart()
	if n := value[int](b, hue); n < 100 {
		b.Errorf("the chosen job has %d pixels of the colour", n)
	}
	r.of(5)
	b.show(r)
	b.chart()
	chips := value[string](b, `[...document.querySelectorAll('.result.on .jobs button')].map((e) => e.innerText).join()`)
	if n := value[int](b, hue); n < 1000 || chips != "u0,u1,u2,u3,u4" {
		b.Errorf("%d pixels of the first user; the legend is %s", n, chips)
	}
	b.click(`.result.on .jobs button`)
	b.chart()
	if got := value[string](b, `(({ releases, lines }) => releases + ',' + lines)(document.querySelector('.result.on canvas').dataset)`); got != "100,0" {
		b.Errorf("releases, and lines of the chosen user's 20 jobs: %s, want 100,0", got)
	}
}
