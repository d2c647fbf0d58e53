package workload

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

const largeDir = "/tmp/hb/large"

func makeLarge(order string) {
	dir := largeDir + order
	if _, err := os.Stat(dir); err == nil {
		return
	}
	os.MkdirAll(dir, 0o777)
	w := func(name string, f func(w *bufio.Writer)) {
		o, _ := os.Create(filepath.Join(dir, name))
		b := bufio.NewWriterSize(o, 1<<20)
		f(b)
		b.Flush()
		o.Close()
	}
	w("workload.json", func(w *bufio.Writer) { fmt.Fprintln(w, `{"format":"mrsched-workload/1","name":"large","problem":"hta"}`) })
	w("jobs.csv", func(w *bufio.Writer) {
		fmt.Fprintln(w, "id,release,weight")
		for j := 0; j < 1; j++ {
			fmt.Fprintf(w, "j%d,0,1\n", j)
		}
	})
	w("topology.csv", func(w *bufio.Writer) {
		fmt.Fprintln(w, "id,parent,kind,map_slots,reduce_slots\nroot,,root,,")
		for r := 0; r < 250; r++ {
			fmt.Fprintf(w, "rack%d,root,rack,,\n", r)
		}
		for n := 0; n < 10000; n++ {
			fmt.Fprintf(w, "node%d,rack%d,node,1,1\n", n, n/40)
		}
	})
	w("tasks.csv", func(w *bufio.Writer) {
		fmt.Fprintln(w, "id,job,kind,processing_time,block")
		for i := 0; i < 1000000; i++ {
			fmt.Fprintf(w, "t%d,j0,map,,b%d\n", i, i)
		}
	})
	w("placements.csv", func(w *bufio.Writer) {
		fmt.Fprintln(w, "block,node")
		x := uint64(88172645463325252)
		for i := 0; i < 3000000; i++ {
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
			b := i / 3
			if order == "shuffled" {
				b = int(uint64(i) * 1299709 % 3000000 / 3)
			}
			fmt.Fprintf(w, "b%d,node%d\n", b, x%10000)
		}
	})
}

func TestZZLarge(t *testing.T) {
	order := os.Getenv("ORDER")
	makeLarge(order)
	for range 3 {
		runtime.GC()
		start := time.Now()
		var m0, m1 runtime.MemStats
		runtime.ReadMemStats(&m0)
		w, err := Read(largeDir+order, nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		d := time.Since(start)
		runtime.ReadMemStats(&m1)
		runtime.GC()
		var m2 runtime.MemStats
		runtime.ReadMemStats(&m2)
		fmt.Printf("%s %.2fs tasks %d placements %d alloc %d MB live %d MB sys %d MB\n", order, d.Seconds(), len(w.Tasks), len(w.Placements), (m1.TotalAlloc-m0.TotalAlloc)>>20, (m2.HeapAlloc-m0.HeapAlloc)>>20, m1.Sys>>20)
		runtime.KeepAlive(w)
	}
}
