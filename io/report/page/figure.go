package page

import (
	"fmt"
	"html/template"
	"strconv"

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
	Small   template.HTML // the picture of a wide figure for narrow screens
	Zoom    bool          // there are buttons that make it larger
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

// narrow is the width of pictures, in pixels, which a telephone shows with letters that can be read.
const narrow = 480

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

// drawn completes a figure with its picture.
func (f figure) drawn(draw func(id string, width float64) *chart.Drawing) *figure {
	inline := func(d *chart.Drawing) template.HTML {
		return template.HTML(d.Inline(f.Title + ". " + f.Caption)) // every text in it is escaped
	}
	width := float64(narrow)
	if f.Wide {
		f.Small, width = inline(draw(f.ID+"-small", narrow)), chart.Wide
	}
	d := draw(f.ID+"-picture", width)
	f.SVG = inline(d)
	f.file = d.Standalone(f.Title)
	return &f
}

// percent writes a share.
func percent(v float64) string {
	return show.Value(model.Number(strconv.FormatFloat(v, 'f', 6, 64)), model.UnitShare, model.RoundDown)
}
