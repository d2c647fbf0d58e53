package chart

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed svg.css
var rules string

// Style is the style sheet of all drawings; its colours are the variables that Themes declares.
var Style = rules + fills()

// fills are the rules of every colour that things have, as a fill, and of the pure hues as a stroke.
func fills() string {
	var b strings.Builder
	for _, c := range theme[slices.IndexFunc(theme, func(c colour) bool { return c.name == "k0" }):] {
		fmt.Fprintf(&b, ".%s{fill:var(--%s)}", c.name, c.name)
	}
	for i := range Hues {
		fmt.Fprintf(&b, ".s%d{stroke:var(--c%d)}", i, i)
	}
	return b.String() + ".srest{stroke:var(--rest)}\n"
}

// theme holds the colours by name, for light and dark backgrounds. What has no hue is neutral: k0 and k1 are the kinds
// of tasks, and rest is what no hue is left for. The farther a task is from its data, the more its colour stands out of
// n0, n1 and n2. On these, on rest and on all hues white text has a contrast of 4.5 at least, and so has all text on
// paper.
var theme = append([]colour{
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
	{"k0", "#a9b0b9", "#59616b"},
	{"k1", "#5c636c", "#a0a8b2"},
	{"rest", "#6a7079", "#6a7079"},
	{"n0", "#0e8078", "#0a3f49"},
	{"n1", "#0c6064", "#0c6064"},
	{"n2", "#0a3f49", "#0e8078"},
}, hues()...)

type colour struct{ name, light, dark string }

// Hues tell things of one kind apart. There are Colours times Shades of them, c0, c1 and so on, on any background the
// same.
const (
	Colours = 8
	Shades  = 3
	Hues    = Colours * Shades
)

// hues are all of them: pure, then darker, then greyish.
func hues() (list []colour) {
	pure := [Colours]uint32{0x0b6cb0, 0xb45309, 0x117a4f, 0xb8327f, 0x6d4fd0, 0x7d6608, 0xc0322f, 0x5b6f12}
	const grey = 0x6a7079
	for i := range Hues {
		mixed := uint32(0)
		for shift := 0; shift <= 16; shift += 8 {
			v, g := pure[i%Colours]>>shift&0xff, uint32(grey>>shift&0xff)
			switch i / Colours {
			case 1:
				v = v * 72 / 100
			case 2:
				v = (v*45 + g*55) / 100
			}
			mixed |= v << shift
		}
		text := fmt.Sprintf("#%06x", mixed)
		list = append(list, colour{Hue(i), text, text})
	}
	return list
}

// Hue is the class of a hue; beyond Hues they repeat.
func Hue(i int) string { return fmt.Sprintf("c%d", i%Hues) }

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
