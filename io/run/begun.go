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

// Suspicion says how often processes died while a run was under way.
type Suspicion struct {
	Times int
	Alone bool // at least once no other run was under way: only this one, or something outside, can be the cause
}

// Attempts notes each run of a shard before it begins. If the process dies, by a crash of C code or for lack of memory,
// the log shows which runs may have caused it. Intended ends do not count as deaths: see Release.
//
// The log has one line per event: a process opens it, a run is begun, a run has ended with a row, or a run is left to
// be begun again. Runs that were begun and neither ended nor left when the next process opens the log were under way at
// a death. Lines survive the end of the process at once, and a crash of the machine after syncEvery.
type Attempts struct {
	mu       sync.Mutex
	log      *Log
	base     int64 // bytes of the log before this process
	suspects map[string]Suspicion
	under    map[string]bool // ids of runs that this process has begun
	released bool
	err      error // of the release
}

// The events of the log.
const (
	eventOpen  = "open"
	eventBegun = "begun"
	eventEnded = "ended"
	eventLeft  = "left"
)

// event is a line of the log.
type event struct {
	Event string `json:"event"`
	ID    string `json:"id,omitempty"` // of the run; none of eventOpen
}

// OpenAttempts opens the log of a shard. The caller must hold the log of its rows, so that no other process appends to
// them. It forgets what is noted about finished runs. Errors: *LockedError, or those of the file system.
func OpenAttempts(dir string, shard, of int, done func(id string) bool) (*Attempts, error) {
	log, err := OpenLog(logFile(dir, Begun, shard, of))
	if err != nil {
		return nil, err
	}
	a := &Attempts{log: log, under: map[string]bool{}}
	if a.suspects, a.base, err = readEvents(log.f); err == nil {
		err = log.Append(event{Event: eventOpen})
	}
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	for id := range a.suspects {
		if done(id) {
			delete(a.suspects, id)
		}
	}
	return a, nil
}

// maxEvent bounds the length of an event in bytes; a typical event has about a hundred.
const maxEvent = 64 << 10

// readEvents sums up a log and returns its length in bytes. It ignores damaged lines.
func readEvents(f *os.File) (map[string]Suspicion, int64, error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, 0, err
	}
	suspects, under := map[string]Suspicion{}, map[string]bool{}
	died := func() {
		for id := range under {
			s := suspects[id]
			suspects[id] = Suspicion{s.Times + 1, s.Alone || len(under) == 1}
		}
		clear(under)
	}
	err := eachLine(f, maxEvent, func(text []byte, _ int64) {
		var e event
		if !whole(text) || json.Unmarshal(text, &e) != nil {
			return
		}
		switch e.Event {
		case eventOpen:
			died()
		case eventBegun:
			under[e.ID] = true
		case eventEnded:
			delete(under, e.ID)
			delete(suspects, e.ID)
		case eventLeft:
			delete(under, e.ID)
		}
	})
	if err != nil {
		return nil, 0, err
	}
	died()
	size, err := f.Seek(0, io.SeekEnd)
	return suspects, size, err
}

// Suspicion says how often processes died during a run.
func (a *Attempts) Suspicion(id string) Suspicion {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.suspects[id]
}

// Begin notes that a run begins. If it fails, the run must not begin.
func (a *Attempts) Begin(id string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.released {
		return nil
	}
	a.under[id] = true
	return a.log.Append(event{eventBegun, id})
}

// End notes that a run has a row, and forgets what was noted about it.
func (a *Attempts) End(id string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.released {
		return nil
	}
	delete(a.under, id)
	delete(a.suspects, id)
	return a.log.Append(event{eventEnded, id})
}

// Release says that the process is about to end on purpose, so that runs under way are not blamed. It removes the log
// if nothing in it is needed any more.
func (a *Attempts) Release() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.released {
		a.released = true
		a.err = a.release()
	}
	return a.err
}

func (a *Attempts) release() error {
	if len(a.suspects) == 0 && !a.log.Unlocked { // an unlocked log may be another process's
		if err := os.Remove(a.log.f.Name()); !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(a.under)) {
		if a.log.Append(event{eventLeft, id}) != nil { // as on a full disk, where a file can be made shorter
			return a.log.f.Truncate(a.base)
		}
	}
	return nil
}

// Close unlocks the log.
func (a *Attempts) Close() error {
	return errors.Join(a.Release(), a.log.Close())
}
