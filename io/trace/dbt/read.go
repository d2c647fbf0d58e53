package dbt

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"mrsched/io/textpos"
	"mrsched/io/trace"
	"mrsched/model"
)

// kind is a kind of artifact, with the versions of its schema that an import reads.
type kind struct {
	name, file  string
	first, last int
}

var kinds = [...]kind{{"run-results", "run_results.json", 4, 6}, {"manifest", "manifest.json", 8, 12}}

// Files are the names of the artifacts.
func Files() []string { return []string{kinds[0].file, kinds[1].file} }

// Commands are those whose artifacts are imported.
var Commands = []string{"run", "build", "seed", "snapshot", "test"}

// raw is what is read of either artifact.
type raw struct {
	Metadata struct {
		Schema  trace.Value `json:"dbt_schema_version"`
		Project trace.Value `json:"project_name"`
	} `json:"metadata"`
	Args struct {
		Which trace.Value `json:"which"`
	} `json:"args"`
	Results []trace.Placed[struct {
		ID     trace.Value `json:"unique_id"`
		Status trace.Value `json:"status"`
		Thread trace.Value `json:"thread_id"`
		Took   trace.Value `json:"execution_time"`
		Timing []struct {
			Started   trace.Value `json:"started_at"`
			Completed trace.Value `json:"completed_at"`
		} `json:"timing"`
	}] `json:"results"`
	Parents map[string][]trace.Value `json:"parent_map"`
}

// node is something that ran.
type node struct {
	id      textpos.Ident
	thread  string
	took    model.Time
	started time.Time // if begun
	begun   bool
	start   model.Time // of the record, after the origin
}

// read takes the artifacts, in any order.
func (im *importer) read(files []File) {
	found := &im.b.Findings
	seen := map[string]bool{}
	for _, f := range files {
		var x trace.Placed[raw]
		doc, ok := trace.ReadDocument(f, "an artifact of dbt", "the document", &x, found)
		if !ok {
			return
		}
		k := artifact(doc, &x)
		switch {
		case k == nil:
			return
		case seen[k.name]:
			found.Add(model.Finding{Code: model.CodeTwice, Pos: doc.In.Position(x.At), What: "this is another " + k.file,
				Expected: "one run_results.json and one manifest.json"})
		case k.name == kinds[0].name:
			im.results(f, doc, &x.Of)
		default:
			im.project = doc.Text(x.Of.Metadata.Project, "project_name")
			im.parents = make(map[string][]string, len(x.Of.Parents))
			for id, list := range x.Of.Parents {
				for _, p := range list {
					im.parents[id] = append(im.parents[id], doc.Text(p, "a parent"))
				}
				im.parents[id] = im.parents[id][:len(list):len(list)]
			}
		}
		seen[k.name] = true
	}
	for _, k := range kinds {
		if !seen[k.name] && found.Empty() {
			trace.NothingLeft(found, files, "there is no "+k.file, "run_results.json and manifest.json of one run")
		}
	}
}

// artifact is what kind of artifact a document is; nil after a finding.
func artifact(doc *trace.Document, x *trace.Placed[raw]) *kind {
	schema := doc.Text(x.Of.Metadata.Schema, "dbt_schema_version")
	at := doc.In.Position(x.At)
	if schema != "" {
		at = doc.Position(x.Of.Metadata.Schema)
	}
	for i, k := range kinds {
		_, version, is := strings.Cut(strings.TrimSuffix(schema, ".json"), "/"+k.name+"/v")
		if !is {
			continue
		}
		n, err := strconv.Atoi(version)
		if err == nil && k.first <= n && n <= k.last {
			return &kinds[i]
		}
		doc.Report(at, fmt.Sprintf("%s has version %.20s", k.file, version),
			fmt.Sprintf("versions %d to %d", k.first, k.last))
		return nil
	}
	doc.Report(at, "this is neither run_results.json nor manifest.json", `"dbt_schema_version" that says so`)
	return nil
}

// results takes what ran.
func (im *importer) results(from File, doc *trace.Document, x *raw) {
	which := doc.Text(x.Args.Which, "which")
	if !slices.Contains(Commands, which) {
		f := model.Finding{Code: model.CodeTraceObject, Pos: doc.Position(x.Args.Which),
			What:     fmt.Sprintf("these are the results of dbt %.40s, which runs nothing of a night", which),
			Expected: "results of dbt " + strings.Join(Commands, ", "),
			Hint: "each dbt command overwrites target/run_results.json, dbt docs generate and compile too: copy it after " +
				"the build"}
		if which == "" {
			f.Pos, f.What = doc.In.Position(0), "args.which, the command that ran, is missing"
		}
		doc.Found.Add(f)
		return
	}
	im.build = which == "build"
	im.which = which
	for i := range x.Results {
		r := &x.Results[i].Of
		if status := doc.Text(r.Status, "status"); status == "skipped" {
			im.count[skipped]++
			continue
		} else if !slices.Contains([]string{"success", "pass", "warn"}, status) {
			im.count[failed]++
		}
		n := node{id: doc.ID(r.ID, "unique_id", "the result", x.Results[i].At), thread: doc.Text(r.Thread, "thread_id"),
			took: trace.Number(doc, r.Took, "execution_time", trace.Seconds, model.ParseTime).Or(0)}
		for _, t := range r.Timing {
			if text := doc.Text(t.Started, "started_at"); text != "" && !n.begun {
				if n.started, n.begun = im.clock.Parse(text); !n.begun {
					doc.Report(doc.Position(t.Started), fmt.Sprintf("started_at is %.40q", text), "a time in ISO 8601")
				}
			}
		}
		im.countIf(unstarted, !n.begun)
		im.nodes = append(im.nodes, n)
	}
	if len(im.nodes) == 0 && doc.Found.Empty() {
		trace.NothingLeft(doc.Found, []File{from}, "nothing ran", "results that are not skipped")
	}
}
