package page

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"

	"mrsched/io/report/chart"
	"mrsched/io/textpos"
)

// packed is the part of the page that its script reads: schedules as columns. Numbers in results refer to blobs.
type packed struct {
	Blobs   []string        `json:"blobs"` // base64 of zlib
	Results []*packedResult `json:"results"`
	// SVG is the style that pictures need outside of the page.
	SVG string `json:"svg"`
	// Unit is that of all times: its size in microseconds and its name; size 0: that of clocks.
	Unit packedUnit `json:"unit"`

	index map[string]int // of blobs
	size  int            // of all blobs together
}

// packedResult is a schedule. Without Whole only the sizes are there, and the page shows its still picture.
type packedResult struct {
	Name     string      `json:"name"`
	Tasks    int         `json:"tasks"`
	Machines int         `json:"machines"` // of the instance
	Whole    bool        `json:"whole"`
	ID       int         `json:"id"`      // names of tasks
	Jobs     int         `json:"jobs"`    // names, by job
	Names    int         `json:"names"`   // of machines with tasks, by machine
	Job      int         `json:"job"`     // numbers, by task, as all that follow
	Machine  int         `json:"machine"` //
	Reduce   int         `json:"reduce"`  // 1: a reduce
	Start    int         `json:"start"`   // microseconds
	Length   int         `json:"length"`  // microseconds
	Own      []packedOwn `json:"own"`
	Looks    []string    `json:"looks"`   // of jobs: classes; null: they have no hues
	Key      int         `json:"key"`     // what hues stand for at first: 0: jobs; else one of Own, from 1 on
	Levels   []int       `json:"levels"`  // names, by machine: the parts of its name
	Release  int         `json:"release"` // microseconds, by job; −1: unknown
	Due      int         `json:"due"`     // microseconds, by job; −1: none
	Until    int64       `json:"until"`   // where the axis ends, microseconds
}

// packedUnit is a unit of time.
type packedUnit struct {
	Size float64 `json:"size"`
	Name string  `json:"name"`
}

// packedOwn is one of the problem's own columns.
type packedOwn struct {
	Name   string   `json:"name"`
	Values int      `json:"values"` // texts
	Index  int      `json:"index"`  // by task: which of them
	Looks  []string `json:"looks"`  // by value: its class; null: all are alike
}

// add packs a schedule if the blobs then stay within a number of bytes; else what stands for it says that it is not
// whole.
func (p *packed) add(x *Result, s *schedule, limit int) *packedResult {
	r := &packedResult{Name: textpos.Visible(x.Name)}
	p.Results = append(p.Results, r)
	if s == nil {
		return r
	}
	r.Tasks, r.Machines = len(s.id), s.size
	if r.Tasks > wholeTasks {
		return r
	}
	blobs, size := len(p.Blobs), p.size
	r.ID, r.Jobs, r.Names = p.names(s.id), p.names(s.jobs), p.names(s.machines)
	r.Job, r.Machine = p.numbers(s.job), p.numbers(s.machine)
	reduce, length := make([]int64, len(s.id)), make([]int64, len(s.id))
	for u := range s.id {
		length[u] = int64(s.end[u] - s.start[u])
		if s.reduce[u] {
			reduce[u] = 1
		}
	}
	r.Reduce, r.Start, r.Length = p.numbers64(reduce), pack(p, s.start), p.numbers64(length)
	r.Own = []packedOwn{}
	for i := range s.own {
		c := &s.own[i]
		looks := c.looks()
		if c.name == s.key.what {
			r.Key, looks = i+1, s.key.looks
		}
		r.Own = append(r.Own, packedOwn{textpos.Visible(c.name), p.names(x.shownTexts(c)), p.numbers(c.index), looks})
	}
	if len(s.jobs) <= chart.Hues {
		r.Looks = s.ofJobs
	}
	for level := range s.depth() {
		parts := make([]string, len(s.levels))
		for m := range parts {
			parts[m] = s.levels[m][level]
		}
		r.Levels = append(r.Levels, p.names(parts))
	}
	r.Release, r.Due, r.Until = pack(p, s.release), pack(p, s.due), int64(s.until())
	if p.size <= limit {
		r.Whole = true
		return r
	}
	for _, b := range p.Blobs[blobs:] {
		delete(p.index, b)
	}
	p.Blobs, p.size = p.Blobs[:blobs], size
	*r = packedResult{Name: r.Name, Tasks: r.Tasks, Machines: r.Machines}
	return r
}

// wholeTasks is the largest schedule that the page holds task by task: beyond it, browsers take seconds to read it.
const wholeTasks = 400_000

// names packs texts: of each, how many bytes it shares with the one before, how many follow, and these.
func (p *packed) names(list []string) int {
	var b []byte
	before := ""
	for _, s := range list {
		s = textpos.Visible(s)
		same := 0
		for same < min(len(s), len(before)) && s[same] == before[same] {
			same++
		}
		b = binary.AppendUvarint(b, uint64(same))
		b = binary.AppendUvarint(b, uint64(len(s)-same))
		b = append(b, s[same:]...)
		before = s
	}
	return p.blob(b)
}

func (p *packed) numbers(list []int32) int   { return pack(p, list) }
func (p *packed) numbers64(list []int64) int { return pack(p, list) }

// pack packs numbers: of each its difference from the one before, with the sign in the lowest bit.
func pack[T ~int32 | ~int64](p *packed, list []T) int {
	var b []byte
	before := int64(0)
	for _, v := range list {
		b = binary.AppendVarint(b, int64(v)-before)
		before = int64(v)
	}
	return p.blob(b)
}

// blob is the number of the blob of some bytes.
func (p *packed) blob(content []byte) int {
	var b bytes.Buffer
	z, err := zlib.NewWriterLevel(&b, zlib.BestCompression)
	if err != nil {
		panic(err) // the level is one
	}
	_, _ = z.Write(content) // a buffer takes all
	_ = z.Close()
	text := base64.StdEncoding.EncodeToString(b.Bytes())
	if k, ok := p.index[text]; ok {
		return k
	}
	if p.index == nil {
		p.index = map[string]int{}
	}
	k := len(p.Blobs)
	p.index[text] = k
	p.Blobs = append(p.Blobs, text)
	p.size += len(text)
	return k
}
