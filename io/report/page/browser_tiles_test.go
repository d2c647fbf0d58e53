package page

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"mrsched/model"
)

// TestBrowserTiles: no key figure wraps or leaves its tile, in wide and in narrow windows.
func TestBrowserTiles(t *testing.T) {
	var d Document
	for _, value := range []model.Number{"32", "290952796590.91", "286480127215.845", "12624712885877.804",
		"101659413715597.456", model.Number("1" + strings.Repeat("0", 35))} {
		r := msjoResult("mars", "a", "b")
		r.Objective, r.LowerBound.Value = &model.Objective{Name: "twjct", Value: value}, value
		d.Results = append(d.Results, r)
	}
	b := open(t, written(t, &d))
	for _, width := range []int64{1280, 800, 390} {
		b.do(chromedp.Do(b.ctx, chromedp.EmulateViewport(width, 1000)))
		bad := value[string](b, `(() => {
			document.querySelectorAll('.result').forEach((a) => a.classList.add('on'));
			return [...document.querySelectorAll('.facts .number bdi')].filter((e) => {
				const r = e.getClientRects();
				return r.length !== 1 || r[0].right > e.closest('div').getBoundingClientRect().right || parseFloat(getComputedStyle(e).fontSize) < 7;
			}).map((e) => e.textContent + ' ' + getComputedStyle(e).fontSize).join();
		})()`)
		if bad != "" {
			t.Errorf("in a window of %d pixels these are broken, too wide or too small: %s", width, bad)
		}
	}
	if n := value[int](b, `document.querySelectorAll('.facts .number').length`); n < 4*len(d.Results) {
		t.Errorf("%d numbers", n)
	}
}
