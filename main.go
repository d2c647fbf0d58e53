// Command mrsched schedules MapReduce workloads offline and certifies what it prints.
package main

import (
	"os"

	"mrsched/io/command"
)

func main() {
	os.Exit(command.Main(os.Args, os.Stdin, os.Stdout, os.Stderr))
}
