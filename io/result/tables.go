package result

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"mrsched/io/textpos"
	"mrsched/model"
)

// tableEnding is the file name extension of a problem's own tables.
const tableEnding = ".csv"

// tableFile matches the files that may hold a problem's own table.
var tableFile = regexp.MustCompile(`^[a-z][a-z0-9_]*\.csv$`)

// isTable says whether a file of a result may hold a problem's own table.
func isTable(name string) bool { return tableFile.MatchString(name) && name != ScheduleFile }

// tablesOf are a view's own tables about a schedule, derived on first use.
func tablesOf(view model.View, s *model.Schedule) func() []model.ResultTable {
	var list []model.ResultTable
	return func() []model.ResultTable {
		if list == nil && s != nil {
			list = view.Tables(s)
		}
		return list
	}
}

// listed are the tables of a bundle; a bundle that was not made by New or Read has none.
func (b *Bundle) listed() []model.ResultTable {
	if b.tables == nil {
		return nil
	}
	return b.tables()
}

// Tables are the problem's own tables, in the order of their files where they were read.
func (b *Bundle) Tables() []model.ResultTable { return b.listed() }

func writeTable(w io.Writer, t model.ResultTable) error {
	if name := t.Name + tableEnding; !isTable(name) {
		return fmt.Errorf("%q cannot be a table", name)
	}
	out := textpos.NewCSVWriter(w)
	if err := out.Write(t.Columns); err != nil {
		return err
	}
	for row := range t.Rows {
		if len(row) != len(t.Columns) {
			return fmt.Errorf("a row of table %s has %d fields, its header %d", t.Name, len(row), len(t.Columns))
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func tableDigest(t model.ResultTable) (string, error) {
	h := sha256.New()
	err := writeTable(h, t)
	return hex.EncodeToString(h.Sum(nil)), err
}

// tableDigests are the digests of all tables of a bundle, by file name; nil if there are none.
func (b *Bundle) tableDigests() (map[string]string, error) {
	var digests map[string]string
	for _, t := range b.listed() {
		sum, err := tableDigest(t)
		if err != nil {
			return nil, err
		}
		if digests == nil {
			digests = map[string]string{}
		}
		digests[t.Name+tableEnding] = sum
	}
	return digests, nil
}

// table is a table in a result as one document.
type table struct {
	Name    string     `json:"name"`
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`
}

// tablesRead converts the tables of a document to the form that views derive. Two of one name are an error: only one of
// them would be checked.
func tablesRead(list []table) (func() []model.ResultTable, error) {
	var tables []model.ResultTable
	named := map[string]bool{}
	for _, t := range list {
		if named[t.Name] {
			return nil, fmt.Errorf("two tables have the name %q", t.Name)
		}
		named[t.Name] = true
		for k, row := range t.Rows {
			if len(row) != len(t.Columns) {
				return nil, fmt.Errorf("row %d of table %s has %d fields, its header %d", k+1, t.Name, len(row), len(t.Columns))
			}
		}
		tables = append(tables, model.ResultTable{Name: t.Name, Columns: t.Columns, Rows: slices.Values(t.Rows)})
	}
	return func() []model.ResultTable { return tables }, nil
}

// readTables reads the tables that result.json states. An unreadable table is a violation, and so is a file that looks
// like a table but is not stated: people would take it for a part of the result.
func (b *Bundle) readTables(dir *os.Root) (found violations, err error) {
	var tables []model.ResultTable
	path := dir.Name()
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	for _, name := range slices.Sorted(maps.Keys(b.Result.SHA256.Tables)) {
		if !isTable(name) {
			found.malformed(ResultFile, fmt.Errorf("%q cannot be a table", name))
			continue
		}
		text, err := textpos.ReadIn(dir, name)
		if errors.Is(err, os.ErrNotExist) {
			continue // the digests report that
		} else if err != nil {
			return nil, unreadable(filepath.Join(path, name), err)
		}
		t, err := tableIn(strings.TrimSuffix(name, tableEnding), text)
		if errors.Is(err, errNotCanonical) {
			found.notCanonical(name, text) // the rows are read
		} else if err != nil {
			found.malformed(name, err)
			continue
		}
		tables = append(tables, t)
	}
	for _, e := range entries {
		if _, stated := b.Result.SHA256.Tables[e.Name()]; isTable(e.Name()) && !stated {
			found.add(model.CodeFileDigest, "%s is a table that result.json does not state", e.Name())
		}
	}
	b.tables = func() []model.ResultTable { return tables }
	return found, nil
}

// statedTables are the files of tables that the result.json of a directory states.
func statedTables(path string) []string {
	var r struct {
		SHA256 model.FileDigests `json:"sha256"`
	}
	if text, err := textpos.ReadBelow(path, ResultFile); err != nil || json.Unmarshal(text, &r) != nil {
		return nil
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(r.SHA256.Tables)), func(name string) bool { return !isTable(name) })
}

// tableIn reads a table, which must be written as mrsched writes it.
func tableIn(name string, text []byte) (model.ResultTable, error) {
	t := model.ResultTable{Name: name}
	var failed error
	read := func(yield func([]string) bool) {
		c := csv.NewReader(bytes.NewReader(text))
		c.ReuseRecord = true
		for k := 0; ; k++ {
			row, err := c.Read()
			if err != nil {
				if !errors.Is(err, io.EOF) || k == 0 {
					failed = err
				}
				return
			}
			textpos.Bare(row)
			if k == 0 {
				t.Columns = slices.Clone(row)
			} else if !yield(row) {
				return
			}
		}
	}
	for range read { // columns, and whether it can be read to its end
	}
	t.Rows = read
	if failed != nil {
		return t, failed
	}
	is := sha256.Sum256(text)
	if want, err := tableDigest(t); err != nil || want != hex.EncodeToString(is[:]) {
		return t, errNotCanonical
	}
	return t, nil
}

// verifyTables lists the tables that differ from those that the view derives from a schedule; a nil schedule has none.
func (b *Bundle) verifyTables(view model.View, s *model.Schedule) []model.Violation {
	var found violations
	stated := map[string]model.ResultTable{}
	for _, t := range b.listed() {
		stated[t.Name] = t
	}
	for _, t := range tablesOf(view, s)() {
		is, ok := stated[t.Name]
		delete(stated, t.Name)
		switch {
		case !ok:
			found.add(model.CodeTable, "the table %s is absent", t.Name)
		case !slices.Equal(is.Columns, t.Columns):
			found.add(model.CodeTable, "the table %s has the columns %s; derived are %s", t.Name,
				strings.Join(is.Columns, ","), strings.Join(t.Columns, ","))
		default:
			if k, a, b := firstDifference(is.Rows, t.Rows); k > 0 {
				found.add(model.CodeTable, "row %d of the table %s is stated as %s and derived as %s", k, t.Name, rowText(a),
					rowText(b))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(stated)) {
		found.add(model.CodeTable, "the result has a table %s, which does not follow from the schedule", name)
	}
	return found
}

// firstDifference is the number, from 1, of the first row in which two lists differ, with the two rows; 0 if they are
// equal.
func firstDifference(stated, derived iter.Seq[[]string]) (k int, a, b []string) {
	next, stop := iter.Pull(stated)
	defer stop()
	k = 1
	for b = range derived {
		var ok bool
		if a, ok = next(); !ok || !slices.Equal(a, b) {
			return k, a, b
		}
		k++
	}
	if a, ok := next(); ok {
		return k, a, nil
	}
	return 0, nil, nil
}

func rowText(row []string) string {
	if row == nil {
		return absent
	}
	return strings.Join(row, ",")
}
