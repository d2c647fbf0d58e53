package result

import (
	"fmt"
	"slices"
	"strings"

	"mrsched/model"
)

// Changed says that a file of a result is not the one that was written, and what to do.
func Changed(name string) string {
	return name + " was changed after solve wrote it; hint: solve again"
}

// isChanged says whether a violation is Changed, perhaps with more to do.
func isChanged(v model.Violation, name string) bool { return strings.HasPrefix(v.What, Changed(name)) }

// derived are the codes of values that follow from the schedule.
var derived = []model.Code{model.CodeObjective, model.CodeBound, model.CodeRatio, model.CodeGuarantee,
	model.CodeMetrics, model.CodeStatus, model.CodeTable}

// Told are violations as people want to read them: causes first, such as broken rules, then files that were changed,
// and last what follows, in one line if the schedule was changed.
func Told(found []model.Violation) []model.Violation {
	var causes, changed, follow []model.Violation
	for _, v := range found {
		switch {
		case slices.Contains(derived, v.Code):
			follow = append(follow, v)
		case v.Code == model.CodeFileDigest, v.Code == model.CodeDocumentDigest:
			changed = append(changed, v)
		default:
			causes = append(causes, v)
		}
	}
	edited := func(v model.Violation) bool { return isChanged(v, ScheduleFile) }
	if len(follow) > 1 && slices.ContainsFunc(changed, edited) {
		follow = []model.Violation{folded(follow)}
	}
	return slices.Concat(causes, changed, follow)
}

// folded is several violations in one.
func folded(list []model.Violation) model.Violation {
	var texts []string
	for k := 0; k < len(list); {
		code, n := list[k].Code, 0
		for ; k < len(list) && list[k].Code == code; k++ {
			n++
		}
		text := string(code)
		if n > 1 {
			text = fmt.Sprintf("%s ×%d", code, n)
		}
		texts = append(texts, text)
	}
	return model.Violation{Code: list[0].Code, What: fmt.Sprintf("%s follow from %s and no longer fit it: %s; "+
		"mrsched check --json lists them", model.Counted(len(list), "value"), ScheduleFile, strings.Join(texts, ", "))}
}
