// Command mrsched schedules MapReduce workloads offline and certifies what it prints.
package main

import (
	"os"

	"mrsched/io/cli"
)

func main() {
	cli.Exit(cli.Main(os.Args, os.Stdin, os.Stdout, os.Stderr))
}
