package page

import (
	"cmp"
	"slices"
	"strings"

	"mrsched/io/report/chart"
	"mrsched/model"
)

// nameLocalities brings a column of localities into the page's words and their order; values that are none of them come
// last.
func (c *column) nameLocalities() {
	rank := func(value string) int {
		for k, l := range localities {
			if l.value == value {
				return k
			}
		}
		return len(localities)
	}
	c.sortValues(func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	for i, value := range c.values {
		if k := rank(value); k < len(localities) {
			c.values[i] = localities[k].name
		}
	}
}

// sortValues brings a column's values into an order.
func (c *column) sortValues(order func(a, b string) int) {
	by := make([]int32, len(c.values))
	for i := range by {
		by[i] = int32(i)
	}
	slices.SortStableFunc(by, func(a, b int32) int { return order(c.values[a], c.values[b]) })
	names, to := make([]string, len(by)), make([]int32, len(by))
	for k, i := range by {
		names[k], to[i] = c.values[i], int32(k)
	}
	c.values = names
	for u := range c.index {
		c.index[u] = to[c.index[u]]
	}
}

// looks are the looks of a column's values; nil: there are more values than hues.
func (c *column) looks() []string {
	if c.role != model.RoleLocality {
		if len(c.values) > chart.Hues {
			return nil
		}
		list := make([]string, len(c.values))
		for i := range list {
			list[i] = chart.Hue(i)
		}
		return list
	}
	list := make([]string, len(c.values))
	for i, v := range c.values {
		list[i] = restLook
		for _, l := range localities {
			if l.name == v {
				list[i] = l.look
			}
		}
	}
	return list
}

// words writes the names of metrics as the page's words.
var words = strings.NewReplacer("node_local", "node-local", "rack_local", "rack-local", "off_rack",
	"off-rack", "_", " ")

// spaced writes a name with spaces.
func spaced(name string) string { return words.Replace(name) }
