package instances

import _ "embed"

//go:embed examples/fig1.json
var fig1 []byte

//go:embed examples/dag.json
var dag []byte

//go:embed examples/tree.json
var tree []byte

//go:embed examples/sorts.json
var sorts []byte

//go:embed examples/deadlines.json
var deadlines []byte

//go:embed examples/fig7.json
var fig7 []byte

// Examples lists the shipped instances: presets whose workload is a document.
func Examples() []Preset {
	return []Preset{
		{Problem: "msjo", Name: "fig1", Summary: "the MarS paper's first figure: 2 jobs on 3 machines",
			Source: "Ling et al., JPDC 2016, Fig. 1", Document: fig1},
		{Problem: "msjo", Name: "dag", Summary: "a stage graph, a map-reduce and a map-only job on 4 machines",
			Source: "mrsched", Document: dag},
		{Problem: "reduceplace", Name: "tree", Summary: "six jobs on the eight nodes of the reduce placement paper's " +
			"first figure",
			Source: "Tan, Meng, Meng, Zhang, INFOCOM 2013, Fig. 1; the jobs: mrsched", Document: tree},
		{Problem: "reduceplace", Name: "sorts", Summary: "the reduce placement paper's experiment: two sorts a minute " +
			"apart on 15 nodes",
			Source: "Tan, Meng, Meng, Zhang, INFOCOM 2013, §V-C", Document: sorts},
		{Problem: "realtime", Name: "deadlines", Summary: "four jobs with deadlines and skewed partitions on three " +
			"unequal workers",
			Source: "mrsched", Document: deadlines},
		{Problem: "multitenant", Name: "fig7", Summary: "two jobs that each have nine tenths of their input in one of two " +
			"racks",
			Source: "Ahmad et al., USENIX ATC 2014, Fig. 7", Document: fig7},
	}
}
