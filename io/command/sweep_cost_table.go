package command

// Most of these tables is fitted, on a logarithmic scale, to what TestCostModel measures on one core: runs from less
// than a millisecond to some seconds. Where there are few runs to fit to, exponents are assumed: those of exact and
// stationary, and partitionCosts, are set by hand to between two and some ten runs.

// loadCosts are what reading or generating an instance takes, by problem.
var loadCosts = map[string]term{
	"msjo":        {picoseconds: 10710071, rows: 61},
	"hta":         {picoseconds: 334841, rows: 96},
	"reduceplace": {picoseconds: 1087133, rows: 91},
	"realtime":    {picoseconds: 690426, rows: 98},
	"multitenant": {picoseconds: 1489140, rows: 83},
}

// algorithmCosts are what a run takes on a loaded instance: the algorithm, its bounds, and their verification. The key
// is a problem, an algorithm and, where it has costs of its own, a mode of costsOf; nil: there the algorithm is left
// out.
var algorithmCosts = map[string][]term{
	"msjo best": {{picoseconds: 180895157, tasks: 150, jobs: -19, machines: -94},
		{picoseconds: 190830, tasks: 130, iterations: 81}},
	"msjo coge": {{picoseconds: 4122095, tasks: 100, jobs: 43, machines: -17}},
	"msjo exact": {{picoseconds: 180895157, tasks: 150, jobs: -19, machines: -94},
		{picoseconds: 190830, tasks: 130, iterations: 81}},
	"msjo h-mares":    {{picoseconds: 4084886, tasks: 150, jobs: 44, machines: -44}},
	"msjo hjwf":       {{picoseconds: 6192753, tasks: 76, jobs: 73, machines: -12}},
	"msjo htwf":       {{picoseconds: 8871675, tasks: 70, jobs: 79, machines: -14}},
	"msjo htwf-list":  {{picoseconds: 8871675, tasks: 70, jobs: 79, machines: -14}},
	"msjo huwf":       {{picoseconds: 8232631, tasks: 71, jobs: 77, machines: -14}},
	"msjo mares":      {{picoseconds: 3496286, tasks: 156, jobs: 37, machines: -46}},
	"msjo mars":       {{picoseconds: 5857532, tasks: 93, jobs: 49, machines: -18}},
	"msjo mars-list":  {{picoseconds: 7786034, tasks: 72, jobs: 75, machines: -12}},
	"msjo so-mars":    {{picoseconds: 24205688, tasks: 58, jobs: 97, machines: -6}},
	"msjo stf":        {{picoseconds: 7806263, tasks: 73, jobs: 75, machines: -13}},
	"msjo tmars":      {{picoseconds: 11787630, tasks: 146, jobs: -29, machines: -28}},
	"msjo tmars-list": {{picoseconds: 11067642, tasks: 149, jobs: -33, machines: -29}},
	"msjo wspt-list":  {{picoseconds: 7689029, tasks: 72, jobs: 77, machines: -12}},

	"hta best":       {{picoseconds: 132477, tasks: 104, machines: 13}},
	"hta best racks": {{picoseconds: 129190, tasks: 84, machines: 102}},
	"hta best skewed": {{picoseconds: 132477, tasks: 104, machines: 13},
		{picoseconds: 80401513, tasks: 41, machines: 15}},
	"hta exact":       {{picoseconds: 4112, tasks: 150, machines: 30}},
	"hta exact racks": {{picoseconds: 67005, tasks: 150, machines: 30}},
	"hta exact skewed": {{picoseconds: 4112, tasks: 150, machines: 30},
		{picoseconds: 970541482, tasks: 10, machines: -59}},
	"hta flow":       {{picoseconds: 158877, tasks: 102, machines: 12}},
	"hta flow racks": {{picoseconds: 233273, tasks: 83, machines: 93}},
	"hta flow skewed": {{picoseconds: 158877, tasks: 102, machines: 12},
		{picoseconds: 15381919, tasks: 70, machines: -20}},
	"hta flow-lp":           {{picoseconds: 154844, tasks: 246, machines: -10}},
	"hta flow-lp racks":     {{picoseconds: 331778, tasks: 238, machines: -19}},
	"hta flow-lp skewed":    {{picoseconds: 2247960, tasks: 182, machines: -12}},
	"hta round-robin":       {{picoseconds: 171572, tasks: 100, machines: 16}},
	"hta round-robin racks": {{picoseconds: 4447059, tasks: 79, machines: 30}},
	"hta round-robin skewed": {{picoseconds: 171572, tasks: 100, machines: 16},
		{picoseconds: 233676933, tasks: 39, machines: -19}},

	// two searches like clairvoyant's
	"reduceplace best": {{picoseconds: 435196, tasks: 49, machines: 78},
		{picoseconds: 598716, tasks: 114, machines: -14, iterations: 35}},
	"reduceplace clairvoyant": {{picoseconds: 217598, tasks: 49, machines: 78},
		{picoseconds: 299358, tasks: 114, machines: -14, iterations: 35}},
	"reduceplace exact":      {{picoseconds: 1760273, tasks: 88, machines: 96}},
	"reduceplace greedy":     {{picoseconds: 321436, tasks: 88, machines: 29}},
	"reduceplace lookahead":  {{picoseconds: 294752, tasks: 87, machines: 46}},
	"reduceplace random":     {{picoseconds: 377874, tasks: 88, machines: 27}},
	"reduceplace rhc":        {{picoseconds: 335349, tasks: 90, machines: 27}},
	"reduceplace stationary": {{picoseconds: 30000000, machines: 300}},
	"reduceplace threshold":  {{picoseconds: 419497, tasks: 79, machines: 53}},

	"realtime admit":            {{picoseconds: 288295, tasks: 98, machines: 81}, {picoseconds: 208169, rows: 114}},
	"realtime admit partitions": nil,
	"realtime best": {{picoseconds: 1119795, tasks: 105, machines: 49}, {picoseconds: 114166, rows: 120},
		{picoseconds: 1, tasks: 150, iterations: 100}},
	"realtime best partitions":      partitionCosts,
	"realtime dp":                   nil,
	"realtime dp partitions":        partitionCosts,
	"realtime dp-sketch":            nil,
	"realtime dp-sketch partitions": partitionCosts,
	"realtime edf":                  {{picoseconds: 255204, tasks: 103, machines: 66}, {picoseconds: 198845, rows: 114}},
	"realtime edf partitions":       nil,
	"realtime exact":                {{picoseconds: 1639306, tasks: 100, machines: 30}, {picoseconds: 526846, rows: 100}},
	"realtime exact partitions":     partitionCosts,
	"realtime fair":                 {{picoseconds: 295001, tasks: 113, machines: 45}, {picoseconds: 197300, rows: 114}},
	"realtime fair partitions":      nil,
	"realtime fifo":                 {{picoseconds: 246736, tasks: 101, machines: 72}, {picoseconds: 198758, rows: 114}},
	"realtime fifo partitions":      nil,
	"realtime hash":                 nil,
	"realtime hash partitions":      partitionCosts,
	"realtime lb":                   nil,
	"realtime lb partitions":        partitionCosts,
	"realtime lb-sketch":            nil,
	"realtime lb-sketch partitions": partitionCosts,
	"realtime llf":                  {{picoseconds: 291236, tasks: 102, machines: 68}, {picoseconds: 204675, rows: 114}},
	"realtime llf partitions":       nil,
	"realtime lst":                  nil,
	"realtime lst partitions":       partitionCosts,
	"realtime skewtune":             nil,
	"realtime skewtune partitions":  partitionCosts,

	"multitenant best": {{picoseconds: 1385852, tasks: 85, machines: 48, jobs: 28},
		{picoseconds: 4573622, tasks: 70, machines: -2, jobs: 10, iterations: 101}},
	"multitenant delay":          {{picoseconds: 16992005, tasks: 66, machines: 7, jobs: 23}},
	"multitenant drf":            {{picoseconds: 14474720, tasks: 64, machines: 17, jobs: 28}},
	"multitenant fair":           {{picoseconds: 11996241, tasks: 66, machines: 18, jobs: 28}},
	"multitenant shufflewatcher": {{picoseconds: 13833530, tasks: 62, machines: 19, jobs: 31}},
	"multitenant sw-drf":         {{picoseconds: 10714275, tasks: 65, machines: 21, jobs: 27}},
	"multitenant sw-relaxed":     {{picoseconds: 16570421, tasks: 66, machines: 11, jobs: 23}},
}

// treeCosts are what exhaustive searches add: the whole tree, or what the limit of iterations lets them see of it,
// whichever is less. The other searches that are called exact mostly end in the root of their trees.
var treeCosts = map[string]struct{ whole, limit term }{
	// 2000 nodes of some 4 µs an iteration
	"msjo exact": {term{picoseconds: 5, tasks: 800}, term{picoseconds: 8_000_000_000, iterations: 100}},
}

// partitionCosts are those of every algorithm of --goal partitions: next to its bound, an LP of configurations a job,
// the algorithms themselves hardly count.
var partitionCosts = []term{{picoseconds: 450000, jobs: 100, parts: 370}}

// unknownCosts are those of an algorithm that is not in the table.
var unknownCosts = []term{{picoseconds: 10_000_000_000, tasks: 100}}
