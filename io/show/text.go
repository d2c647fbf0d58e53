package show

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"mrsched/model"
)

// Heading is how a table writes a name.
func Heading(name string) string { return strings.ToUpper(strings.ReplaceAll(name, "_", " ")) }

// Counted prints a number and what it counts.
func Counted(n int, what string) string { return model.Counted(n, what) }

// GuaranteeText is a result's guarantee in a few characters.
func GuaranteeText(r *model.Result) string {
	if r.Guarantee == nil {
		return "–"
	}
	return PromiseText(r.Guarantee.Factor, r.Guarantee.Additive, r.Guarantee.Verdict)
}

// PromiseText is a guarantee in a few characters; without a factor there is none.
func PromiseText(factor, additive model.Number, verdict string) string {
	if factor == "" {
		return "–"
	}
	text := string(factor)
	if additive != "0" {
		text = strings.TrimPrefix(text+" ", "1 ") + "OPT + " + Value(additive, model.UnitNone, model.RoundUp)
	}
	return "≤ " + text + " " + verdict
}

// Metric is the exact value of a metric; empty if it is unknown.
func Metric(metrics map[string]any, name string) string {
	if v, ok := metrics[name]; ok {
		return fmt.Sprint(v)
	}
	return ""
}

// Dash is the text, or a dash if there is none.
func Dash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

// WriteJSON writes a document with indented lines.
func WriteJSON(w io.Writer, document any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(document)
}

// WriteLines writes rows as JSON, one per line.
func WriteLines[T any](w io.Writer, rows []T) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, r := range rows {
		if err := e.Encode(r); err != nil {
			return err
		}
	}
	return nil
}
