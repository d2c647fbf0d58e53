package workload

import "mrsched/model"

// This file holds the tables that only problem realtime reads.

// Rows that need more than the model's row, because references are still ids.
type (
	partEntry struct {
		model.Part
		job string
	}
	keyEntry struct {
		model.KeyData
		job string
	}
	timeEntry struct {
		model.GivenTime
		job, worker string
	}
)

var partitionsTable = &table[partitionRow, partEntry]{
	name: model.TablePartitions, columns: columnsOf[partitionRow](), marks: [2]string{"job", "partition"},
	toModel: func(v *values, r *partitionRow) partEntry {
		return partEntry{job: v.common(v.need("job", r.Job)), Part: model.Part{
			Map: v.common(r.Map), Partition: v.common(v.need("partition", r.Partition)),
			Bytes: v.bytes("bytes", v.need("bytes", r.Bytes)).Or(0),
		}}
	},
	add:   func(b *model.Builder, p *partEntry, at model.Locus) { b.Part(p.Part, p.job, at) },
	count: func(w *model.Workload) int { return len(w.Parts) },
	toText: func(w *model.Workload, row int, r *partitionRow) {
		p := &w.Parts[row]
		*r = partitionRow{w.Jobs[p.Job].ID, p.Map, p.Partition, p.Bytes.String()}
	},
}

var keysTable = &table[keyRow, keyEntry]{
	name: model.TableKeys, columns: columnsOf[keyRow](), marks: [2]string{"job", "key"},
	toModel: func(v *values, r *keyRow) keyEntry {
		return keyEntry{job: v.common(v.need("job", r.Job)), KeyData: model.KeyData{
			Map: v.common(r.Map), Key: v.common(v.need("key", r.Key)),
			Bytes: v.bytes("bytes", v.need("bytes", r.Bytes)).Or(0),
		}}
	},
	add:   func(b *model.Builder, k *keyEntry, at model.Locus) { b.KeyData(k.KeyData, k.job, at) },
	count: func(w *model.Workload) int { return len(w.Keys) },
	toText: func(w *model.Workload, row int, r *keyRow) {
		k := &w.Keys[row]
		*r = keyRow{w.Jobs[k.Job].ID, k.Map, k.Key, k.Bytes.String()}
	},
}

var timesTable = &table[timeRow, timeEntry]{
	name: model.TableTimes, columns: columnsOf[timeRow](), marks: [2]string{"job", "worker"},
	toModel: func(v *values, r *timeRow) timeEntry {
		return timeEntry{job: v.common(v.need("job", r.Job)), worker: v.common(v.need("worker", r.Worker)),
			GivenTime: model.GivenTime{
				Task: v.common(v.need("task", r.Task)), Time: v.time("seconds", v.need("seconds", r.Seconds)).Or(0),
			}}
	},
	add:   func(b *model.Builder, t *timeEntry, at model.Locus) { b.GivenTime(t.GivenTime, t.job, t.worker, at) },
	count: func(w *model.Workload) int { return len(w.Times) },
	toText: func(w *model.Workload, row int, r *timeRow) {
		t := &w.Times[row]
		*r = timeRow{w.Jobs[t.Job].ID, t.Task, w.Topology[t.Worker].ID, t.Time.String()}
	},
}

var historyTable = &table[historyRow, model.PastRun]{
	name: model.TableHistory, columns: columnsOf[historyRow](), marks: [2]string{"class", "worker"},
	toModel: func(v *values, r *historyRow) model.PastRun {
		return model.PastRun{
			Class: v.common(v.need("class", r.Class)), Worker: v.common(v.need("worker", r.Worker)),
			Kind:        model.TaskKind(v.word("kind", r.Kind)),
			Bytes:       v.bytes("bytes", v.need("bytes", r.Bytes)).Or(0),
			CPU:         v.ratio("cpu", r.CPU),
			MemoryBytes: v.bytes("memory_bytes", r.MemoryBytes),
			Time:        v.time("seconds", v.need("seconds", r.Seconds)).Or(0),
		}
	},
	add:   func(b *model.Builder, r *model.PastRun, at model.Locus) { b.PastRun(*r, at) },
	count: func(w *model.Workload) int { return len(w.History) },
	toText: func(w *model.Workload, row int, r *historyRow) {
		h := &w.History[row]
		*r = historyRow{h.Class, h.Worker, h.Kind.String(), h.Bytes.String(), floatText(h.CPU), text(h.MemoryBytes),
			h.Time.String()}
	},
}
