package instances

import "gonum.org/v1/gonum/stat"

// MeasuredJob is a row of Table I of Tan et al., INFOCOM 2013: a Grep over 10 GB on 7 nodes.
type MeasuredJob struct {
	Expression   string
	Intermediate float64 // megabytes
	Output       float64 // megabytes
	Seconds      float64 // processing time of the job
}

// MeasuredBlock is a block of the table: expressions of one form.
type MeasuredBlock []MeasuredJob

// MeasuredBlocks are the three blocks of Table I.
func MeasuredBlocks() []MeasuredBlock {
	return []MeasuredBlock{
		{
			{"[1-2]*", 184.41, 0.01, 1110}, {"[1-3]*", 189.22, 0.27, 1129}, {"[1-4]*", 195.23, 3.02, 1165},
			{"[0-4]*", 210.80, 17.51, 1208},
			{"[1-5]*", 194.96, 20.49, 1178}, {"[0-5]*", 675.90, 86.57, 1235}, {"[1-6]*", 243.45, 99.23, 1249},
			{"[0-6]*", 2092.84, 336.68, 1315},
			{"[1-7]*", 2221.29, 380.42, 1337}, {"[0-7]*", 5495.84, 1098.06, 1490}, {"[1-8]*", 5641.22, 1225.81, 1533},
		},
		{
			{"[1-3][1-8]*", 3157.23, 463.57, 795}, {"[1-4][1-8]*", 3606.56, 616.84, 884}, {"[1-5][1-8]*", 4950.25, 769.78, 1005},
			{"[1-6][1-8]*", 5584.79, 922.49, 1083}, {"[1-7][1-8]*", 5914.40, 1074.76, 1138},
		},
		{
			{"^[0-2][0-2][0-9]*", 1621.28, 501.03, 295}, {"^[0-3][5-6][0-9]*", 1564.35, 501.07, 295},
			{"^[0-4][1-2][0-9]*", 2442.98, 667.95, 325},
			{"^1[0-9]*", 2787.25, 835.00, 371}, {"^[0-1][0-7][0-9]*", 5727.24, 1336.03, 525},
			{"^[0-1][0-8][0-9]*", 5891.73, 1502.99, 558},
			{"^[0-2][0-9]*", 6939.92, 1670.02, 615},
		},
	}
}

func (b MeasuredBlock) columns() (data, seconds []float64) {
	for _, j := range b {
		data, seconds = append(data, j.Intermediate), append(seconds, j.Seconds)
	}
	return data, seconds
}

// Line is the least-squares line seconds = intercept + slope·megabytes of intermediate data, and its coefficient of
// determination.
func (b MeasuredBlock) Line() (intercept, slope, r2 float64) {
	data, seconds := b.columns()
	intercept, slope = stat.LinearRegression(data, seconds, nil, false)
	return intercept, slope, stat.RSquared(data, seconds, nil, intercept, slope)
}

// MeanData is the mean of the intermediate data, in megabytes.
func (b MeasuredBlock) MeanData() float64 {
	data, _ := b.columns()
	return stat.Mean(data, nil)
}
