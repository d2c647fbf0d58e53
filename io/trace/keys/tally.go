package keys

import (
	"math"

	"mrsched/io/trace"
	"mrsched/model"
)

// tally adds up the counts of each map and key.
type tally struct {
	bytesPerValue int64
	maps, keys    trace.Numbering
	rows          []row
	at            map[[2]int32]int32 // rows by map and key
	read          int
}

// row is what a map puts out for a key.
type row struct {
	mapper, key int32
	bytes       model.Bytes
	at          model.Position // of the first count
}

// add adds a count; false if the bytes are more than can be kept.
func (t *tally) add(mapper, key string, count int64, at model.Position) bool {
	t.read++
	if count > math.MaxInt64/t.bytesPerValue {
		return false
	}
	bytes := model.Bytes(count * t.bytesPerValue)
	pair := [2]int32{t.maps.Of(mapper), t.keys.Of(key)}
	i, ok := t.at[pair]
	if !ok {
		t.at[pair] = int32(len(t.rows))
		t.rows = append(t.rows, row{pair[0], pair[1], bytes, at})
		return true
	}
	if t.rows[i].bytes > math.MaxInt64-bytes {
		return false
	}
	t.rows[i].bytes += bytes
	return true
}
