package main

import (
	"fmt"
	"math/rand/v2"
	"os"

	"mrsched/instances"
	"mrsched/io/workload"
)

func main() {
	r := rand.New(rand.NewPCG(11, 11))
	for k := range 120 {
		w, err := instances.SmallCluster(r, k)
		if err != nil {
			panic(err)
		}
		f, _ := os.Create(fmt.Sprintf("/tmp/h/sc/%03d.json", k))
		if err := workload.WriteJSON(f, w); err != nil {
			panic(err)
		}
		f.Close()
	}
}
