package result

import (
	"encoding/json"
	"fmt"
	"strings"

	"mrsched/model"
)

// The functions of this file print parts of results for messages. Different parts must print differently: compare
// relies on it.

// absent stands for a part that a result lacks.
const absent = "absent"

func instanceText(i model.InstanceSummary) string {
	return fmt.Sprintf("instance %s (%s, %s, %s)", i.SHA256, model.Counted(i.Jobs, "job"), model.Counted(i.Tasks, "task"),
		model.Counted(i.Machines, "machine"))
}

func objectiveText(o *model.Objective) string {
	if o == nil {
		return absent
	}
	return fmt.Sprintf("%s %s", o.Name, o.Value)
}

func boundText(b *model.LowerBound) string {
	if b == nil {
		return absent
	}
	text := fmt.Sprintf("%s (%s)", b.Value, b.Method)
	if !b.Verified {
		text += ", not verified"
	}
	return text
}

func guaranteeText(g *model.Guarantee) string {
	if g == nil {
		return absent
	}
	met := "met"
	if !g.PreconditionsMet {
		met = "not met"
	}
	if g.Preconditions != "" {
		met += " (" + g.Preconditions + ")"
	}
	return fmt.Sprintf("≤ %s OPT + %s by %q, preconditions %s: %s", g.Factor, g.Additive, g.Source, met, g.Verdict)
}

// maxMessage is how many bytes of a message about a file are shown; ids and headers may be as long as the file.
const maxMessage = 2000

// brief shortens a message to a readable length.
func brief(text string) string {
	if len(text) <= maxMessage {
		return text
	}
	return strings.ToValidUTF8(text[:maxMessage], "") + "…"
}

func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}
