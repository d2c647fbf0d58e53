package airflow

import (
	"cmp"
	"strings"

	"github.com/go-json-experiment/json"

	"mrsched/model"
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
	Type   string   `json:"task_type"`
	Before string   `json:"_task_type"` // the type before Airflow 2.10
	Sensor bool     `json:"_is_sensor"`
	Down   []string `json:"downstream_task_ids"`
}

// stored is a row of serialized_dag.
type stored struct {
	updated, data string
	at            model.Position
}

// addStored takes a row of serialized_dag. Of several versions of a DAG the last counts.
func (im *importer) addStored(r record) {
	updated, _ := r.first("last_updated", "created_at")
	dag := im.id(r, "dag_id")
	im.nameDag(dag)
	if old, twice := im.stored[dag]; !twice || updated >= old.updated {
		im.stored[dag] = stored{strings.Clone(updated), strings.Clone(r.cell("data")), r.at("data")}
	}
}

// unpack takes the edges and the dependencies of a stored DAG.
func (im *importer) unpack(dag string, row stored) {
	var s serialized
	if err := json.Unmarshal([]byte(row.data), &s); err != nil {
		im.mark(unread, dag)
		return
	}
	for _, t := range s.DAG.Tasks {
		task := t.serializedTask
		if t.Wrapped != nil {
			task = *t.Wrapped
		}
		from := stageKey{dag, task.ID}
		x := im.stageOf(from)
		im.operator(x, cmp.Or(task.Type, task.Before))
		im.stages[x].sensor = im.stages[x].sensor || task.Sensor
		for _, to := range task.Down {
			im.edges = append(im.edges, edge{from, stageKey{dag, to}, row.at})
		}
	}
	for _, w := range s.DAG.Waits {
		if w.Type == "sensor" || w.Type == "trigger" {
			im.waits = append(im.waits, wait{trigger: w.Type == "trigger", source: w.Source, dag: w.Target, task: w.Task,
				at: row.at})
		}
	}
}
