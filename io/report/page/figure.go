package page

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"

	"mrsched/io/report/chart"
	"mrsched/io/show"
	"mrsched/model"
)

// figure is a picture with what belongs to it.
type figure struct {
	ID      string // unique in the page
	File    string // what the picture shows, in a word
	Name    string // of the picture as a file
	Title   string
	Caption string
	Wide    bool
	Live    bool // the script puts a Gantt chart in its place
	SVG     template.HTML
	Table   *data
	file    string // the picture as a file
}

// data is the table behind a picture.
type data struct {
	Columns []string
	Rows    [][]string
	Numeric []bool // by column
	Note    string // what is not in it
}

// dataRows is how many rows of a table the page shows.
const dataRows = 200

// newData starts a table; names that begin with # are columns of numbers.
func newData(columns ...string) *data {
	d := &data{}
	for _, c := range columns {
		numeric := c[0] == '#'
		if numeric {
			c = c[1:]
		}
		d.Columns, d.Numeric = append(d.Columns, c), append(d.Numeric, numeric)
	}
	return d
}

func (d *data) row(cells ...string) { d.Rows = append(d.Rows, cells) }

// cut keeps as many rows as the page shows; all says what there was before.
func (d *data) cut(all string) *data {
	if len(d.Rows) > dataRows {
		d.Rows = d.Rows[:dataRows]
		d.Note = fmt.Sprintf("The first %d of %s.", dataRows, all)
	}
	return d
}

// Widths of the drawings of a figure, in pixels: that which fits is shown. Wide figures have all of them.
var drawingWidths = []float64{chart.Wide, chart.Narrow, chart.Slim}

// drawn completes a figure with its picture, drawn for each width.
func (f figure) drawn(draw func(id string, width float64) *chart.Drawing) *figure {
	var b strings.Builder
	for k, width := range drawingWidths {
		if width == chart.Wide && !f.Wide {
			continue
		}
		d := draw(fmt.Sprintf("%s-%d", f.ID, k), width)
		b.WriteString(d.Inline(fmt.Sprintf("w%d", k), f.Title+". "+f.Caption))
		if f.file == "" {
			f.file = d.Standalone(f.Title)
		}
	}
	f.SVG = template.HTML(b.String()) // every text in it is escaped
	return &f
}

// size is about how many bytes of the page the figure takes.
func (f *figure) size() int {
	n := len(f.SVG)
	for _, row := range f.Table.Rows {
		for _, cell := range row {
			n += len(cell) + len("<td class=\"n\"></td>")
		}
	}
	return n
}

// percent writes a share.
func percent(v float64) string {
	return show.Value(model.Number(strconv.FormatFloat(v, 'f', 6, 64)), model.UnitShare, model.RoundDown)
}
