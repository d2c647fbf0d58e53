package airflow

import (
	"errors"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

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
	ID     string         `json:"task_id"`
	Sensor bool           `json:"_is_sensor"`
	Down   []string       `json:"downstream_task_ids"`
	DAG    jsontext.Value `json:"external_dag_id"` // that a sensor waits for
	Task   jsontext.Value `json:"external_task_id"`
	Tasks  jsontext.Value `json:"external_task_ids"`
	Group  jsontext.Value `json:"external_task_group_id"`
	Delta  jsontext.Value `json:"execution_delta"`
}

// texts are a text, or several; what is neither is none.
func texts(list ...jsontext.Value) (all []string) {
	for _, v := range list {
		var one string
		var more []string
		if json.Unmarshal(v, &more) != nil && json.Unmarshal(v, &one) == nil && one != "" {
			more = []string{one}
		}
		all = append(all, more...)
	}
	return all
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
	if updated >= im.stored[dag].updated {
		im.stored[dag] = stored{strings.Clone(updated), strings.Clone(r.cell("data")), r.at("dag_id")}
	}
}

// unpack takes the edges and the dependencies of a stored DAG.
func (im *importer) unpack(dag string, row stored) {
	var s serialized
	if json.Unmarshal([]byte(row.data), &s) != nil {
		im.mark(unread, dag)
		return
	}
	for _, t := range s.DAG.Tasks {
		task := t.serializedTask
		if t.Wrapped != nil {
			task = *t.Wrapped
		}
		if x := im.stageOf(stageKey{dag, task.ID}); task.Sensor {
			im.stages[x].sensor = true
		}
		for _, to := range task.Down {
			im.join(dag, task.ID, to, row.at)
		}
		var seconds float64
		var boxed struct {
			Seconds float64 `json:"__var"`
		}
		_ = errors.Join(json.Unmarshal(task.Delta, &seconds), json.Unmarshal(task.Delta, &boxed)) // either, if at all
		for _, source := range texts(task.DAG) {
			im.await(wait{false, source, dag, task.ID}, int64(seconds+boxed.Seconds), row.at,
				texts(task.Task, task.Tasks, task.Group)...)
		}
	}
	for _, w := range s.DAG.Waits {
		if w.Type == "sensor" || w.Type == "trigger" {
			im.await(wait{w.Type == "trigger", w.Source, w.Target, w.Task}, 0, row.at)
		}
	}
}
