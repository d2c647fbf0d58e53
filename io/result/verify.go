package result

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"mrsched/io/show"
	"mrsched/model"
)

// violations are found one after another.
type violations []model.Violation

func (v *violations) add(code model.Code, format string, args ...any) {
	*v = append(*v, model.Violation{Code: code, What: fmt.Sprintf(format, args...)})
}

// malformed adds that a file cannot be read as what it should be.
func (v *violations) malformed(name string, err error) { *v = append(*v, malformed(name, err)) }

// about reports whether some file was found malformed.
func (v violations) about(name string) bool {
	return slices.ContainsFunc(v, func(x model.Violation) bool {
		return x.Code == model.CodeResultMalformed && strings.HasPrefix(x.What, name+":")
	})
}

// digests compares the files with the SHA-256 sums that result.json states. read is what was found when they were read.
func (b *Bundle) digests(read violations) []model.Violation {
	var found violations
	differ := func(code model.Code, name, stated, is string) {
		switch {
		case stated == is:
		case is == "" && !read.about(name):
			found.add(code, "%s is missing", name)
		case is == "":
			found.add(code, "%s cannot be read, so it cannot be compared with what solve wrote", name)
		case stated == "" && code == model.CodeFileDigest:
			found.add(code, "%s is there, and result.json states none", name)
		default:
			found.add(code, "%s", Changed(name))
		}
	}
	certificate := ""
	if b.Certificate != nil {
		sum := sha256.Sum256(b.Certificate)
		certificate = hex.EncodeToString(sum[:])
	}
	differ(model.CodeFileDigest, ScheduleFile, b.Result.SHA256.Schedule, b.schedule)
	if stated := b.Result.SHA256.Certificate; certificate != stated && digestOfLF(b.Certificate) == stated {
		found.notCanonical(CertificateFile, b.Certificate)
	} else {
		differ(model.CodeFileDigest, CertificateFile, stated, certificate)
	}
	tables, err := b.tableDigests()
	if err != nil {
		return append(found, malformed(ResultFile, err))
	}
	for _, name := range AllKeys(tables, b.Result.SHA256.Tables) {
		differ(model.CodeFileDigest, name, b.Result.SHA256.Tables[name], tables[name])
	}
	own, err := Digest(b.Result)
	if err != nil {
		return append(found, malformed(ResultFile, err))
	}
	differ(model.CodeDocumentDigest, ResultFile, b.Result.Digest, own)
	return found
}

// digestOfLF is the digest of a text with LF instead of CRLF; empty if it has no such line ends.
func digestOfLF(text []byte) string {
	if _, err := lineEnds(text); err == nil {
		return ""
	}
	sum := sha256.Sum256(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
	return hex.EncodeToString(sum[:])
}

// Partial says that there are claims about a schedule or a proof, and neither of these.
func (b *Bundle) Partial() bool {
	stated := b.Result.SHA256
	return stated.Schedule != "" && b.schedule != stated.Schedule && b.Rows == nil ||
		stated.Schedule == "" && stated.Certificate != "" && b.Certificate == nil
}

// AllKeys are the keys of two maps, sorted.
func AllKeys[V any](a, b map[string]V) []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(names)
	return slices.Compact(names)
}

// Summary identifies an instance: the workload, by its digest, and the view's problem and parameters.
func Summary(w *model.Workload, digest string, view model.View) model.InstanceSummary {
	return model.InstanceSummary{Name: w.Name, SHA256: digest, Jobs: len(w.Jobs), Tasks: view.TaskCount(),
		Machines: view.Size(), Origin: w.Origin.String()}
}

// Promise is what an algorithm promises on an instance.
type Promise struct {
	Guarantee *model.Guarantee // without a verdict; nil: nothing is promised
	// Exhaustive algorithms may claim an optimum that their certificate does not show.
	Exhaustive bool
	// Inputs is the run's statement about the workload's columns.
	Inputs *model.Inputs
}

// Derive fills in everything that follows from the workload, the schedule and the certificate: objective, metrics,
// lower bound, ratio, the guarantee's verdict, and the status, which is optimal if the numbers prove it or an
// exhaustive search claims it. theorem says whether the guarantee is proven against this bound.
func Derive(r *model.Result, view model.View, s *model.Schedule, proof *model.Certified, p Promise,
	theorem bool) error {
	g := p.Guarantee
	var objective, total *big.Rat // total: with the penalty of changes, which is never negative
	if s != nil {
		if proven := r.Status == model.StatusOptimal && p.Exhaustive; !proven && r.Status != model.StatusLimit {
			r.Status = model.StatusFeasible
		}
		e := view.Evaluate(s)
		objective, total = e.Value, e.Total()
		r.Objective = &model.Objective{Name: e.Name, Value: model.ExactNumber(e.Value)}
		if r.Metrics == nil {
			r.Metrics = map[string]any{}
		}
		maps.Copy(r.Metrics, e.Metrics)
	}
	if proof == nil {
		return nil
	}
	r.LowerBound = &model.LowerBound{Value: model.LowerNumber(proof.Value), Method: proof.Method, Verified: true}
	if objective == nil {
		return nil
	}
	if objective.Cmp(proof.Value) < 0 {
		return fmt.Errorf("the schedule costs %s, less than the lower bound %s", objective.FloatString(6),
			proof.Value.FloatString(6))
	}
	if total.Cmp(proof.Value) == 0 {
		r.Status = model.StatusOptimal
	}
	r.Ratio = model.Ratio(objective, proof.Value)
	if g == nil {
		return nil
	}
	r.Guarantee = g
	return g.Judge(objective, proof.Value, theorem || r.Status == model.StatusOptimal)
}

// Verify derives a result again from the workload alone and lists the contradictions. digest is that of the workload; p
// is the promise of the result's algorithm on this instance.
func (b *Bundle) Verify(w *model.Workload, digest string, view model.View, p Promise) []model.Violation {
	r := b.Result
	var found violations
	want := Summary(w, digest, view)
	if r.Instance.Name == "" { // an older version wrote it
		want.Name = ""
	}
	for _, k := range []struct {
		key          string
		stated, want any
	}{{"name", r.Instance.Name, want.Name}, {"sha256", r.Instance.SHA256, want.SHA256},
		{"jobs", r.Instance.Jobs, want.Jobs}, {"tasks", r.Instance.Tasks, want.Tasks},
		{"machines", r.Instance.Machines, want.Machines}, {"origin", r.Instance.Origin, want.Origin}} {
		if k.stated != k.want {
			found.add(model.CodeOtherInstance, "instance.%s is stated as %#v and derived as %#v", k.key, k.stated, k.want)
		}
	}
	if len(found) > 0 { // whatever else differs follows from it
		return found
	}
	var s *model.Schedule
	if b.Rows != nil {
		var unknown []model.Violation
		var all model.Violations
		s, unknown = Schedule(view, b.Rows.judged(w.Origin, &all))
		all.AddAll(unknown)
		all.AddAll(view.Check(s))
		found = all.List()
	}
	var proof *model.Certified
	if b.Certificate != nil {
		p, err := view.Certify(b.Certificate)
		switch {
		case errors.Is(err, model.ErrKind): // whatever else differs may follow from it
			return append(found, model.Violation{Code: model.CodeCertificate, What: err.Error()})
		case err != nil:
			found.add(model.CodeCertificate, "%v", err)
		default:
			proof = &p
		}
	}
	// The theorem flag only distinguishes "violated" from "unknown"; a violated guarantee is never written.
	again := &model.Result{Status: r.Status}
	if s == nil && r.Status != model.StatusLimit { // no certificate proves that there is no schedule
		again.Status = model.StatusBound
	}
	if err := Derive(again, view, s, proof, p, false); err != nil {
		found.add(model.CodeBound, "%v", err)
		return found
	}
	if stated, derived := inputsText(r.Inputs), inputsText(p.Inputs); stated != derived {
		found.add(model.CodeInputs, "the unused columns are stated as %s and derived as %s", stated, derived)
	}
	return append(append(found, compare(r, again)...), b.verifyTables(view, s)...)
}

// inputsText lists unused columns.
func inputsText(in *model.Inputs) string {
	if in == nil {
		return "none"
	}
	return strings.Join(in.Unused, ", ")
}

// compare lists the differences between a stated result and the one derived again.
func compare(r, again *model.Result) []model.Violation {
	var found violations
	differ := func(code model.Code, what, stated, derived string) {
		if stated != derived {
			found.add(code, "the %s is stated as %s and derived as %s", what, stated, derived)
		}
	}
	differ(model.CodeObjective, "objective", objectiveText(r.Objective), objectiveText(again.Objective))
	differ(model.CodeBound, "lower bound", boundText(r.LowerBound), boundText(again.LowerBound))
	differ(model.CodeRatio, "ratio", cmp.Or(string(r.Ratio), absent), cmp.Or(string(again.Ratio), absent))
	differ(model.CodeGuarantee, "guarantee", guaranteeText(r.Guarantee), guaranteeText(again.Guarantee))
	differ(model.CodeStatus, "status", string(r.Status), string(again.Status))
	return append(found, compareMetrics(r.Metrics, again)...)
}

// Metrics that do not follow from the schedule: the bounds that the algorithm proved (the certificate shows the best)
// and facts about the run.
const (
	MetricBounds = "bounds"
	MetricRun    = "run"
)

// compareMetrics lists the stated metrics that differ from the derived ones or have no source.
func compareMetrics(stated map[string]any, again *model.Result) []model.Violation {
	var found violations
	for _, name := range slices.Sorted(maps.Keys(again.Metrics)) {
		if is, ok := stated[name]; !ok {
			found.add(model.CodeMetrics, "%s is absent and derived as %v", name, again.Metrics[name])
		} else if show.JSONText(is) != show.JSONText(again.Metrics[name]) {
			found.add(model.CodeMetrics, "%s is stated as %s and derived as %v", name, show.JSONText(is), again.Metrics[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(stated)) {
		if _, ok := again.Metrics[name]; !ok && name != MetricBounds && name != MetricRun {
			found.add(model.CodeMetrics, "%s is stated as %s, but the instance and the schedule have no such "+
				"metric", name, show.JSONText(stated[name]))
		}
	}
	if bounds, ok := stated[MetricBounds]; ok && !backed(bounds, again.LowerBound) {
		found.add(model.CodeMetrics, "%s is stated as %s; the certificate proves %s", MetricBounds, show.JSONText(bounds),
			boundText(again.LowerBound))
	}
	return found
}

// backed says whether the stated bounds are nonnegative numbers up to the proven bound, each of another method.
func backed(stated any, proven *model.LowerBound) bool {
	list, ok := stated.([]any)
	if !ok || proven == nil {
		return false
	}
	limit, _ := proven.Value.Rat()
	seen := map[string]bool{}
	for _, x := range list {
		bound, _ := x.(map[string]any)
		text, isNumber := bound["value"].(json.Number)
		value, ok := model.Number(text).Rat()
		method, named := bound["method"].(string)
		if !named || seen[method] || !isNumber || !ok || len(bound) != 2 || value.Cmp(limit) > 0 || value.Sign() < 0 ||
			model.LowerNumber(value) != model.Number(text) {
			return false
		}
		seen[method] = true
	}
	return true
}

// The functions of this file print parts of results for messages. Different parts must print differently: compare
// relies on it.

// absent stands for a part that a result lacks.
const absent = "absent"

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
