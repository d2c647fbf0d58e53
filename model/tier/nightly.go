//go:build nightly

package tier

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
)

// Nightly says that tests try all they can.
const Nightly = true

// scale multiplies the numbers of cases.
var scale = func() float64 {
	x, err := strconv.ParseFloat(cmp.Or(os.Getenv("CAMPAIGN_SCALE"), "1"), 64)
	if err != nil || x <= 0 {
		panic(fmt.Sprintf("CAMPAIGN_SCALE is %q; expected a number above 0, such as 0.1 or 8", os.Getenv("CAMPAIGN_SCALE")))
	}
	return x
}()
