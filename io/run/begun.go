package run

import (
	"errors"
	"maps"
	"slices"
	"sync"

	"mrsched/model"
)

// Statuses of lines of a log that are no rows: marks of what runs are under way.
const (
	statusBegun    model.Status = "begun"
	statusReleased model.Status = "released" // the process was told to end during the run
)

// mark is a line of a log that notes a run before it begins. If the process dies, by a crash of C code or for lack of
// memory, the log shows which runs may have caused it: those that were begun and have neither a row nor a release.
type mark struct {
	ID     string       `json:"id"`
	Status model.Status `json:"status"`
}

// underWay are the runs of a process that have begun and have no row yet.
type underWay struct {
	log *Log

	mu       sync.Mutex
	runs     map[string]bool
	released bool
}

// begin marks a run. If it fails, the run must not begin.
func (u *underWay) begin(id string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.released {
		return nil
	}
	u.runs[id] = true
	return u.log.Append(mark{id, statusBegun})
}

// end forgets a run that has a row.
func (u *underWay) end(id string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.runs, id)
}

// release says that the process is about to end on purpose, so that runs under way are not blamed.
func (u *underWay) release() (err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.released = true
	for _, id := range slices.Sorted(maps.Keys(u.runs)) {
		err = errors.Join(err, u.log.Append(mark{id, statusReleased}))
	}
	clear(u.runs)
	return err
}
