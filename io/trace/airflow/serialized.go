package airflow

import (
	"strings"

	"github.com/go-json-experiment/json"
)

// serialized is a DAG as the scheduler stores it.
type serialized struct {
	DAG struct {
		Tasks []struct {
			serializedTask
			Wrapped *serializedTask `json:"__var"` // since Airflow 2.10
		} `json:"tasks"`
		Waits []struct {
			Type   string `json:"dependency_type"`
			Source string `json:"source"`
			Target string `json:"target"`
			Task   string `json:"dependency_id"`
		} `json:"dag_dependencies"`
	} `json:"dag"`
}

type serializedTask struct {
	ID     string   `json:"task_id"`
	Sensor bool     `json:"_is_sensor"`
	Down   []string `json:"downstream_task_ids"`
}

// addStored takes a row of serialized_dag. Of several versions of a DAG the last counts.
func (im *importer) addStored(r record) {
	updated, _ := r.first("last_updated", "created_at")
	dag := im.id(r, "dag_id")
	if old := im.stored[dag]; updated >= old[0] {
		im.stored[dag] = [2]string{strings.Clone(updated), strings.Clone(r.cell("data"))}
	}
}

// unpack takes the edges and the dependencies of a stored DAG.
func (im *importer) unpack(dag, data string) {
	var s serialized
	if json.Unmarshal([]byte(data), &s) != nil {
		im.mark(unread, dag)
		return
	}
	for _, t := range s.DAG.Tasks {
		task := t.serializedTask
		if t.Wrapped != nil {
			task = *t.Wrapped
		}
		from := stageKey{dag, task.ID}
		if x := im.stageOf(from); task.Sensor {
			im.stages[x].sensor = true
		}
		for _, to := range task.Down {
			im.edges = append(im.edges, edge{from: from, to: stageKey{dag, to}})
		}
	}
	for _, w := range s.DAG.Waits {
		if w.Type == "sensor" || w.Type == "trigger" {
			im.waits = append(im.waits, wait{trigger: w.Type == "trigger", source: w.Source, dag: w.Target, task: w.Task})
		}
	}
}
