package run

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"sync"
)

// Begun is the kind of log that says which runs are under way. It exists while a process works on the shard, and after
// a process that died.
const Begun = "begun"

// Deaths notes each run of a shard before it begins. If the process dies, by a crash of C code or for lack of memory,
// the log shows which runs may have caused it. Intended ends do not count: see Release.
//
// The log has one line per event: a run is begun, a run has ended with a row, or processes died during a run. Runs that
// were begun and did not end when the next process opens the log were under way at a death. Lines survive the end of
// the process at once, and a crash of the machine after syncEvery.
type Deaths struct {
	mu       sync.Mutex
	log      *Log
	of       map[string]int // by the id of the run
	released bool
	err      error // of the release
}

// The events of the log. Earlier versions wrote others, too; none of these says that a run is under way.
const (
	eventBegun = "begun"
	eventEnded = "ended"
	eventDied  = "died"
)

// event is a line of the log.
type event struct {
	Event string `json:"event"`
	ID    string `json:"id,omitempty"`
	Times int    `json:"times,omitempty"` // of eventDied
}

// maxEvent bounds the length of an event in bytes; a typical event has about a hundred.
const maxEvent = 64 << 10

// OpenBegun opens the log of a shard, and forgets what it says about other runs than those that are left. The caller
// must hold the log of the shard's rows, so that no other process appends to them. Errors: *LockedError, or those of
// the file system.
func OpenBegun(path string, left []Run) (*Deaths, error) {
	log, err := OpenLog(path)
	if err != nil {
		return nil, err
	}
	d := &Deaths{log: log, of: map[string]int{}}
	_, err = log.f.Seek(0, io.SeekStart)
	under := map[string]bool{}
	if err == nil {
		err = eachLine(log.f, maxEvent, func(text []byte, _ int64) {
			var e event
			if !whole(text) || json.Unmarshal(text, &e) != nil {
				return // damaged
			}
			switch delete(under, e.ID); e.Event {
			case eventBegun:
				under[e.ID] = true
			case eventEnded:
				delete(d.of, e.ID)
			case eventDied:
				d.of[e.ID] = e.Times
			}
		})
	}
	for id := range under {
		d.of[id]++
	}
	known := d.of
	d.of = map[string]int{}
	for _, run := range left {
		if known[run.ID] > 0 {
			d.of[run.ID] = known[run.ID]
		}
	}
	if err == nil {
		err = d.rewrite()
	}
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	return d, nil
}

// rewrite makes the log say nothing but the deaths. There is room for that even on a full disk.
func (d *Deaths) rewrite() error {
	var text []byte
	for _, id := range slices.Sorted(maps.Keys(d.of)) {
		one, err := line(event{eventDied, id, d.of[id]})
		if err != nil {
			return err
		}
		text = append(text, one...)
	}
	if err := d.log.f.Truncate(0); err != nil {
		return err
	}
	_, err := d.log.f.Write(text)
	return err
}

// Deaths says how often processes died during a run.
func (d *Deaths) Deaths(id string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.of[id]
}

// Begin notes that a run begins. If it fails, the run must not begin.
func (d *Deaths) Begin(id string) error { return d.note(event{Event: eventBegun, ID: id}) }

// End notes that a run has a row, and forgets what was noted about it.
func (d *Deaths) End(id string) error { return d.note(event{Event: eventEnded, ID: id}) }

func (d *Deaths) note(e event) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.released {
		return nil
	}
	if e.Event == eventEnded {
		delete(d.of, e.ID)
	}
	return d.log.Append(e)
}

// Release says that the process is about to end on purpose, so that runs under way are not blamed. It removes the log
// if nothing in it is needed any more.
func (d *Deaths) Release() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.released {
		return d.err
	}
	d.released = true
	if len(d.of) > 0 || d.log.Unlocked { // an unlocked log may be another process's
		d.err = d.rewrite()
	} else if err := os.Remove(d.log.f.Name()); !errors.Is(err, os.ErrNotExist) {
		d.err = err
	}
	return d.err
}

// Close unlocks the log.
func (d *Deaths) Close() error { return errors.Join(d.Release(), d.log.Close()) }
