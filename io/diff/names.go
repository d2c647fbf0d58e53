package diff

import (
	"strconv"
	"strings"

	"mrsched/io/textpos"
)

// maxName is how many characters of a name are shown.
const maxName = 60

// plainName prints a name in one line of a terminal; unprintable characters are escaped as in Go.
func plainName(name string) string { return escaped(name, "") }

// wholeName is plainName however long the name is.
func wholeName(name string) string { return escapedWhole(name, "") }

// codeName prints a name as code in Markdown. It can end neither the code nor a table cell, and code contains no links,
// markup or mentions.
func codeName(name string) string { return "`" + escaped(name, notInCode) + "`" }

// codeText is codeName however long the text is.
func codeText(text string) string { return "`" + escapedWhole(text, notInCode) + "`" }

const notInCode = "`|\\"

func escaped(name, more string) string {
	if long := []rune(name); len(long) > maxName {
		return escapedWhole(string(long[:maxName-1]), more) + "…"
	}
	return escapedWhole(name, more)
}

// escapedWhole escapes what is not printable, and some characters more.
func escapedWhole(name, more string) string {
	if name == "" {
		return `""`
	}
	var b strings.Builder
	for _, c := range name {
		switch {
		case strings.ContainsRune(more, c):
			b.WriteString("\\u" + strconv.FormatInt(0x10000+int64(c), 16)[1:])
		default:
			b.WriteString(textpos.Visible(string(c)))
		}
	}
	return b.String()
}
