package result

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mrsched/model"
	"mrsched/model/hta"
	"mrsched/model/multitenant"
	"mrsched/model/realtime"
	"mrsched/model/reduceplace"
	"mrsched/model/shop"
)

// known describes all problems.
var known = []*model.Description{shop.DescribeMSJO(), hta.Describe(), reduceplace.Describe(), realtime.Describe(),
	multitenant.Describe()}

// TestReadSide reads a result in each of its forms.
func TestReadSide(t *testing.T) {
	_, _, b := bundle(t)
	dir := directory(t, b)
	schedule, err := os.ReadFile(filepath.Join(dir, ScheduleFile))
	try(t, err)
	table := func(columns string) string {
		return write(t, "s.csv", []byte("task,job,kind,machine,start,end"+columns))
	}
	problemMSJO := shop.DescribeMSJO().Problem
	whole, err := ReadSide(dir, "whole", known)
	try(t, err)
	for _, c := range []struct {
		name, path, problem string
		partial, bare       bool
		same                bool
	}{
		{"directory", dir, problemMSJO, false, false, true},
		{"document", write(t, "r.json", oneLine(t, b)), problemMSJO, false, false, true},
		{"result.json", filepath.Join(dir, ResultFile), problemMSJO, true, false, true},
		{"schedule.csv", filepath.Join(dir, ScheduleFile), problemMSJO, false, true, true},
		{"lines of Windows", write(t, "s.csv", bytes.ReplaceAll(schedule, []byte("\n"), []byte("\r\n"))), problemMSJO, false,
			true, true},
		{"header", table("\n"), problemMSJO, false, true, false},
		{"clock times", table(",start_time,end_time\n"), problemMSJO, false, true, false},
		{"hta", table(",start_time,end_time,block,locality\n"), hta.Describe().Problem, false, true, false},
		{"reduceplace", table(",node,arrival,slot_cost,cost\n"), reduceplace.Describe().Problem, false, true, false},
		{"realtime", table(",bytes,due\n"), realtime.Describe().Problem, false, true, false},
		{"multitenant", table(",rack,locality,read_across\n"), multitenant.Describe().Problem, false, true, false},
		{"unknown columns", table(",x\n"), "", false, true, false},
		{"nothing", write(t, "nothing", nil), "", false, false, false},
	} {
		s, err := ReadSide(c.path, c.name, known)
		if err != nil {
			t.Error(c.name, err)
			continue
		}
		if s.Problem != c.problem || s.Partial != c.partial || s.Bare() != c.bare || len(s.Warnings) > 0 {
			t.Errorf("%s: %+v", c.name, s)
		}
		if c.same != (s.Schedule == whole.Schedule) {
			t.Errorf("%s: %+v", c.name, s)
		}
	}
	for path, code := range map[string]string{
		filepath.Join(dir, "nowhere"): "F101", write(t, "x", []byte("no,header\n")): "K620",
		write(t, "x.json", []byte("{}{")): "K620", write(t, "x.gz", []byte("\x1f\x8b\x08")): "K620",
		table("\na,b\n"): "K620",
	} {
		if _, err := ReadSide(path, "it", known); err == nil || !strings.HasPrefix(err.Error(), code+" it: ") {
			t.Error(path, err)
		}
	}
}
