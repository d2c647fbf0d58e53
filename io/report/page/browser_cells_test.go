package page

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/chromedp/chromedp"

	"mrsched/model"
	"mrsched/model/tier"
)

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
