package spark

import (
	"slices"
	"strconv"
	"strings"

	"mrsched/model"
)

// maxCores bounds the cores of an executor or task.
const maxCores = 1 << 20

// environment reads two of Spark's properties; the others may be secrets and stay where they are.
func (r *reader) environment() {
	r.each(r.line, func(key string, value []byte) {
		if key != "Spark Properties" {
			return
		}
		r.each(value, func(name string, value []byte) {
			switch name {
			case "spark.task.cpus":
				n, err := strconv.ParseFloat(strings.TrimSpace(r.text(value, name)), 64)
				if err != nil || !(n > 0) || n > maxCores {
					r.wrong(value, name, "a number of cores")
				} else {
					r.taskCPUs = n
				}
			case "spark.executor.memory":
				if n, ok := memory(r.text(value, name)); ok {
					r.memory = model.Some(n)
				} else {
					r.wrong(value, name, `a size, such as "4g"`)
				}
			}
		})
	})
}

// memory reads a size as Spark writes it, in mebibytes unless it has a unit.
func memory(text string) (model.Bytes, bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	digits := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyz")
	shift, known := map[string]int{"": 20, "b": 0, "k": 10, "kb": 10, "m": 20, "mb": 20, "g": 30, "gb": 30, "t": 40,
		"tb": 40, "p": 50, "pb": 50}[text[len(digits):]]
	n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
	if err != nil || !known || n < 0 || n > int64(1)<<(62-shift) {
		return 0, false
	}
	return model.Bytes(n << shift), true
}

func (r *reader) profileAdded() {
	id := int64(unknown)
	var p profile
	amountOf := func(value []byte, what string) (v float64) {
		r.each(value, func(key string, value []byte) {
			if key == "Amount" {
				v = r.amount(value, "the amount of "+what)
			}
		})
		return v
	}
	r.each(r.line, func(key string, value []byte) {
		switch key {
		case "Resource Profile Id":
			id = r.number(value, "the profile's id")
		case "Executor Resource Requests":
			r.each(value, func(name string, value []byte) {
				if name == "memory" {
					p.memory = model.Bytes(min(amountOf(value, name), 1<<42)) << 20
				}
			})
		case "Task Resource Requests":
			r.each(value, func(name string, value []byte) {
				if name == "cpus" {
					p.cpus = min(amountOf(value, name), maxCores)
				} else {
					p.custom = true
				}
			})
		}
	})
	if r.bad {
		return
	}
	r.profiles[id] = &p
}

func (r *reader) executorAdded() {
	id, at := "", int64(unknown)
	x := executor{cores: unknown}
	r.each(r.line, func(key string, value []byte) {
		switch key {
		case "Timestamp":
			at = r.moment(value, "the time")
		case "Executor ID":
			id = r.text(value, "the executor's id")
		case "Executor Info":
			r.each(value, func(key string, value []byte) {
				switch key {
				case "Host":
					x.host = r.text(value, "the host")
				case "Total Cores":
					x.cores = r.upTo(maxCores, value, "the number of cores")
				case "Resource Profile Id":
					x.profile = r.number(value, "the profile's id")
				}
			})
		}
	})
	if id == "" && !r.bad {
		r.missing("executor")
	}
	if r.bad {
		return
	}
	k := r.executor(id)
	x.up, x.lost = r.executors[k].up, r.executors[k].lost
	if n := len(x.up); n == 0 || x.up[n-1].until != unknown && x.up[n-1].until <= at {
		x.up = append(slices.Clone(x.up), interval{at, unknown})
	}
	if x.cores == 0 {
		x.cores = unknown
	}
	r.executors[k] = x
}

func (r *reader) executorRemoved() {
	id, at := "", int64(unknown)
	r.each(r.line, func(key string, value []byte) {
		switch key {
		case "Timestamp":
			at = r.moment(value, "the time")
		case "Executor ID":
			id = r.text(value, "the executor's id")
		}
	})
	if id == "" && !r.bad {
		r.missing("executor")
	}
	if r.bad || at == unknown {
		return
	}
	k := r.executor(id)
	r.lose(k, removed)
	x := &r.executors[k]
	if n := len(x.up); n > 0 && x.up[n-1].until == unknown {
		x.up[n-1].until = max(at, x.up[n-1].from)
	} else if n == 0 {
		x.up = append(x.up, interval{unknown, at})
	}
}
