package cli

import (
	"fmt"
	"mrsched/io/engine"
	"mrsched/io/textpos"
	"mrsched/io/workload"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"
)

// Limits of what is read: files that nobody has looked at may be anything.
const (
	maxInputName = "max-input"
	maxCountName = "max-count"
)

// maxInputFlag is a flag of every command that reads files.
func maxInputFlag() cli.Flag {
	return &cli.StringFlag{Name: maxInputName, Usage: "refuse files of more bytes, unpacked, such as 500MB or 4GiB",
		DefaultText: fmt.Sprintf("%s, %s of those held in memory as text: results, plans", sizeText(textpos.MaxStream),
			sizeText(textpos.MaxHeld))}
}

// maxCountFlag is a flag of every command that reads an instance.
func maxCountFlag() cli.Flag {
	return &cli.Int64Flag{Name: maxCountName, Value: workload.DefaultMaxCount,
		Usage: "refuse instances whose counts add up to more machines, slots, reduces or partitions"}
}

func maxSearchFlag() cli.Flag {
	return &cli.IntFlag{Name: engine.MaxSearchName, Value: engine.DefaultMaxSearch,
		Usage: "make exhaustive searches again of up to " +
			"so many nodes; optima that larger ones claim are not proven"}
}

// readOptions are what the flags say about reading an instance.
func readOptions(c *cli.Context) workload.Options {
	return workload.Options{AllowUnknown: c.Bool(flagUnknown.Name), MaxCount: c.Int64(maxCountName)}
}

// limitInputs runs an action under the limits of its flags.
func limitInputs(action cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		if text := c.String(maxInputName); text != "" {
			n, ok := parseSize(text)
			if !ok {
				return engine.Usagef("--%s %q: expected a number of bytes, at least 1, such as 4000000000, 500MB or 4GiB",
					maxInputName, text)
			}
			defer textpos.SetMaxInput(n)()
		}
		if n := c.Int64(maxCountName); c.IsSet(maxCountName) && n < 1 {
			return engine.Usagef("--%s %d: expected at least 1", maxCountName, n)
		}
		return action(c)
	}
}

// units are those of sizes, the longest endings first.
var units = []struct {
	name  string
	bytes int64
}{
	{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10},
	{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"B", 1}, {"", 1},
}

// parseSize reads a whole number of bytes with or without a unit.
func parseSize(text string) (int64, bool) {
	for _, u := range units {
		if number, ok := strings.CutSuffix(text, u.name); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
			if err != nil || n < 1 || n > (1<<62)/u.bytes {
				return 0, false
			}
			return n * u.bytes, true
		}
	}
	return 0, false
}

// sizeText is a size with the largest unit of which it is a whole number.
func sizeText(bytes int64) string {
	for _, u := range units {
		if bytes%u.bytes == 0 {
			return fmt.Sprintf("%d %s", bytes/u.bytes, u.name)
		}
	}
	return fmt.Sprint(bytes)
}
