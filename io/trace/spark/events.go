package spark

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mrsched/io/textpos"
	"mrsched/io/trace"
	"mrsched/model"
)

// event is what is read of an event of any kind: keys mean the same in all of them.
type event struct {
	Event     string
	Version   text   `json:"Spark Version"`
	App       text   `json:"App ID"`
	User      text   `json:"User"`
	Timestamp number `json:"Timestamp"`

	Job        id      `json:"Job ID"`
	Submitted  number  `json:"Submission Time"`
	Completed  number  `json:"Completion Time"`
	Stages     []info  `json:"Stage Infos"`
	StageIDs   []id    `json:"Stage IDs"`
	Execution  id      `json:"executionId"`
	About      summary `json:"description"`
	Properties struct {
		Description summary `json:"spark.job.description"`
		Site        summary `json:"callSite.short"`
		Execution   text    `json:"spark.sql.execution.id"`
	}
	Result struct {
		Result text
	} `json:"Job Result"`

	StageInfo info     `json:"Stage Info"`
	Stage     id       `json:"Stage ID"`
	Attempt   id       `json:"Stage Attempt ID"`
	Kind      text     `json:"Task Type"`
	Task      taskInfo `json:"Task Info"`
	Metrics   metrics  `json:"Task Metrics"`
	End       struct {
		Reason text
	} `json:"Task End Reason"`

	Executor     text `json:"Executor ID"`
	ExecutorInfo struct {
		Host    text
		Cores   number `json:"Total Cores"`
		Profile id     `json:"Resource Profile Id"`
	} `json:"Executor Info"`
	Profile   id `json:"Resource Profile Id"`
	Requested struct {
		Memory amount `json:"memory"`
	} `json:"Executor Resource Requests"`
	Takes struct {
		CPUs amount `json:"cpus"`
	} `json:"Task Resource Requests"`
	Spark struct { // the other properties may be secrets and stay where they are
		CPUs   trace.Value `json:"spark.task.cpus"`
		Memory trace.Value `json:"spark.executor.memory"`
	} `json:"Spark Properties"`
}

// info is what an event says about an attempt of a stage.
type info struct {
	ID        id             `json:"Stage ID"`
	Attempt   id             `json:"Stage Attempt ID"`
	Name      summary        `json:"Stage Name"`
	Tasks     number         `json:"Number of Tasks"`
	Failure   jsontext.Value `json:"Failure Reason"`
	Parents   []id           `json:"Parent IDs"`
	Submitted number         `json:"Submission Time"`
	Completed number         `json:"Completion Time"`
	Profile   id             `json:"Resource Profile Id"`
	RDDs      []struct {
		ID number `json:"RDD ID"`
	} `json:"RDD Info"`
}

type taskInfo struct {
	Index     id
	Partition number `json:"Partition ID"`
	Launch    id     `json:"Launch Time"`
	Finish    number `json:"Finish Time"`
	Executor  text   `json:"Executor ID"`
	Host      text
}

// metrics are those of an attempt of a task; versions of Spark differ in what they state.
type metrics struct {
	Run         number `json:"Executor Run Time"`
	Deserialize number `json:"Executor Deserialize Time"`
	Serialize   number `json:"Result Serialization Time"`
	Input       struct {
		Read number `json:"Bytes Read"`
	} `json:"Input Metrics"`
	Output struct {
		Written number `json:"Bytes Written"`
	} `json:"Output Metrics"`
	Fetched struct {
		Remote number `json:"Remote Bytes Read"`
		Local  number `json:"Local Bytes Read"`
	} `json:"Shuffle Read Metrics"`
	Shuffled struct {
		Written number `json:"Shuffle Bytes Written"`
	} `json:"Shuffle Write Metrics"`
}

// largest bounds ids and times.
const largest = trace.MaxMillis

// number is a number that the import can do without. Spark measures by clocks that may be set back, and its counters
// overflow: a number that cannot be is not stated, and counted. See importer.number.
type number struct {
	value             int64
	known, impossible bool
}

// UnmarshalJSONFrom reads a number; null is none.
func (n *number) UnmarshalJSONFrom(dec *jsontext.Decoder) error { return n.read(dec, false) }

// read reads a number, which may have to be one that can be.
func (n *number) read(dec *jsontext.Decoder, strict bool) error {
	raw, err := dec.ReadValue()
	if err != nil || raw.Kind() == jsontext.KindNull {
		return err
	}
	n.value, err = strconv.ParseInt(string(raw), 10, 64)
	n.known = err == nil && n.value >= 0 && n.value <= largest
	if n.impossible = !n.known; n.impossible && (strict || raw.Kind() != jsontext.KindNumber) {
		return wrong(dec, raw, "a whole number")
	}
	return nil
}

// id is a number that must be one, if it is stated.
type id struct{ number }

// UnmarshalJSONFrom reads an id; null is none.
func (n *id) UnmarshalJSONFrom(dec *jsontext.Decoder) error { return n.read(dec, true) }

// or is the id, or what stands for one that is not stated.
func (n *id) or(other int64) int64 {
	if n.known {
		return n.value
	}
	return other
}

// amount is a number that may be a fraction; 0 is unknown.
type amount struct {
	Amount float64
}

// value is the amount, at most so large, or 0.
func (a *amount) value(most float64) float64 { return min(max(a.Amount, 0), most) }

// text is a name or the like; null is empty.
type text string

// UnmarshalJSONFrom reads a text.
func (t *text) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	switch {
	case err != nil || raw.Kind() == jsontext.KindNull:
		return err
	case raw.Kind() != jsontext.KindString:
		return wrong(dec, raw, "a text")
	case len(raw) > trace.MaxID:
		return wrong(dec, raw, fmt.Sprintf("at most %d bytes", trace.MaxID))
	}
	*t = text(textpos.Unquote(raw))
	return nil
}

// summary is the beginning of a text that may be long, such as an SQL query, on one line.
type summary string

// UnmarshalJSONFrom reads a summary; what is no text is empty.
func (s *summary) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	if err != nil || raw.Kind() != jsontext.KindString {
		return err
	}
	const most = 1 << 10
	words := strings.Join(strings.Fields(textpos.Unquote(raw)), " ")
	if len(words) > most {
		words = strings.ToValidUTF8(words[:most], "") + "…"
	}
	*s = summary(words)
	return nil
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

// wrongValue is a value of another type than it should have.
type wrongValue struct {
	offset         int64
	what, expected string
}

func (e *wrongValue) Error() string { return e.what }

// wrong says that the value that was just read is wrong.
func wrong(dec *jsontext.Decoder, raw jsontext.Value, expected string) error {
	shown := string(raw)
	if raw.Kind() == jsontext.KindString {
		shown = textpos.Quoted(textpos.Unquote(raw))
	} else if len(shown) > textpos.MaxQuoted {
		shown = strings.ToValidUTF8(shown[:textpos.MaxQuoted], "") + "…"
	}
	what := fmt.Sprintf("%q is %s", dec.StackPointer().LastToken(), shown)
	return &wrongValue{dec.InputOffset() - int64(len(raw)), what, expected}
}
