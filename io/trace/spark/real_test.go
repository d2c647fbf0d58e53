package spark

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestTmp(t *testing.T) {
	list, _ := filepath.Glob("../../../../../shared/traces/spark/*")
	for _, p := range list {
		names := []string{p}
		if st, _ := os.Stat(p); st.IsDir() {
			es, _ := os.ReadDir(p)
			names = nil
			for _, e := range es {
				names = append(names, e.Name())
			}
			names = Parts(names)
			for i := range names {
				names[i] = filepath.Join(p, names[i])
			}
		}
		for _, mode := range []string{Recorded, Free} {
			var fs []File
			for _, n := range names {
				f, err := os.Open(n)
				if err != nil {
					t.Fatal(err)
				}
				fs = append(fs, File{Name: n, Text: f})
			}
			opt := DefaultOptions()
			opt.Jobs, opt.History = mode, true
			w, err := Import(fs, opt)
			fmt.Println("==", filepath.Base(p), mode, err)
			if err == nil {
				fmt.Println(len(w.Jobs), len(w.Tasks), "delays", len(w.Delays), "deps", len(w.Dependencies), "top", len(w.Topology), "un", len(w.Unavailable), "hist", len(w.History), w.Machines)
				for _, n := range w.Notes {
					fmt.Println("  -", n)
				}
			}
		}
	}
}
