package chart

import (
	_ "embed"
	"fmt"
	"strings"
)

// Style is the style sheet of all drawings; its colours are the variables that Themes declares.
//
//go:embed svg.css
var Style string

// theme holds the colours by name, for light and dark backgrounds. c0 to c6 can be told apart with any colour vision
// (Okabe and Ito 2008); on a dark background their contrast is that of the light ones on white.
var theme = []struct{ name, light, dark string }{
	{"paper", "#ffffff", "#14171c"},
	{"raised", "#f5f7f9", "#1d2229"},
	{"ink", "#1a1d21", "#e8eaed"},
	{"muted", "#565d66", "#a6aeb8"},
	{"grid", "#e3e6ea", "#2c333c"},
	{"axis", "#8b929b", "#6d7681"},
	{"edge", "#3b4148", "#0b0d10"},
	{"link", "#0060a0", "#7cc0f5"},
	{"good", "#00694c", "#4cc9a0"},
	{"bad", "#a63a00", "#ff9b66"},
	{"alarm", "#fdeee5", "#3a2114"},
	{"c0", "#0072b2", "#3b9ddb"},
	{"c1", "#d55e00", "#e8792b"},
	{"c2", "#009e73", "#1fb68c"},
	{"c3", "#cc79a7", "#d68db6"},
	{"c4", "#e69f00", "#eab13a"},
	{"c5", "#56b4e9", "#7cc7f0"},
	{"c6", "#5c6066", "#b3b9c0"},
}

// Colours is how many colours c0, c1, … there are.
const Colours = 7

// declarations are the theme as CSS variables.
func declarations(dark bool) string {
	var b strings.Builder
	for _, c := range theme {
		value := c.light
		if dark {
			value = c.dark
		}
		fmt.Fprintf(&b, "--%s:%s;", c.name, value)
	}
	return b.String()
}

// Themes declares the colours: light or dark as the system says unless the page overrides it, and light when printed.
func Themes() string {
	dark := "{color-scheme:dark;" + declarations(true) + "}"
	return ":root{color-scheme:light;" + declarations(false) + "}\n@media screen and " +
		"(prefers-color-scheme:dark){:root:not([data-theme=light])" + dark +
		"}\n@media screen{:root[data-theme=dark]" + dark + "}\n"
}

// LightStyle is the style sheet with the light colours in the place of variables, which many SVG programs do not know.
func LightStyle() string {
	var pairs []string
	for _, c := range theme {
		pairs = append(pairs, "var(--"+c.name+")", c.light)
	}
	return strings.NewReplacer(pairs...).Replace(Style)
}
