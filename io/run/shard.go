package run

import (
	"strconv"
	"strings"

	"mrsched/io/engine"
)

// shard is one of several equal parts of a sweep.
type shard struct{ index, of int } // index counts from 1

const maxShards = 1_000_000

// Environment variables that say which shard a process is.
const (
	slurmID    = "SLURM_ARRAY_TASK_ID"
	slurmCount = "SLURM_ARRAY_TASK_COUNT"
	slurmMin   = "SLURM_ARRAY_TASK_MIN"
	slurmStep  = "SLURM_ARRAY_TASK_STEP" // 1 if it is not set

	kubernetesIndex = "JOB_COMPLETION_INDEX" // from 0; Kubernetes sets it, but not how many there are
	kubernetesCount = "JOB_COMPLETIONS"      // the manifest may set it

	shardsVariable = "MRSCHED_SWEEP_SHARDS" // sets --shards
)

// Asked is what the command line says about shards.
type Asked struct {
	Index   string // I/N
	Of      int
	Named   bool // index is given
	Counted bool // of is given
	DryRun  bool
}

// ShardOf says which shard to run: --shard, else that of the environment, else all. Contradictions are usage errors.
func ShardOf(a Asked, env func(string) string) (shard, error) {
	slurm, kubernetes := env(slurmID) != "", env(kubernetesIndex) != ""
	switch {
	case a.Counted && (a.Of < 1 || a.Of > maxShards):
		return shard{}, engine.Usagef("--shards %d: expected from 1 to %d", a.Of, maxShards)
	case a.Named:
		first, second, _ := strings.Cut(a.Index, "/")
		i, err1 := strconv.Atoi(first)
		n, err2 := strconv.Atoi(second)
		if err1 != nil || err2 != nil || n > maxShards || i < 1 || i > n {
			return shard{}, engine.Usagef("--shard %q: expected I/N with 1 ≤ I ≤ N ≤ %d, such as 3/16", a.Index, maxShards)
		}
		return a.counted("--shard "+a.Index, shard{i, n})
	case slurm && kubernetes:
		return shard{}, engine.Usagef("%s and %s are both set; say --shard I/N", slurmID, kubernetesIndex)
	case slurm:
		return a.slurm(env)
	case kubernetes:
		return a.kubernetes(env)
	case a.Counted && a.Of > 1 && !a.DryRun:
		return shard{}, engine.Usagef("there are %d shards, and nothing says which one this is: "+
			"neither --shard I/N, nor %s, nor %s", a.Of, slurmID, kubernetesIndex)
	}
	return shard{1, max(1, a.Of)}, nil
}

// counted refuses a shard that contradicts --shards; what it follows from is in the message.
func (a Asked) counted(from string, s shard) (shard, error) {
	if a.Counted && a.Of != s.of {
		return shard{}, engine.Usagef("%s contradicts --shards %d", from, a.Of)
	}
	return s, nil
}

// numbers reads environment variables.
func numbers(env func(string) string, names ...string) (list []int, err error) {
	for _, name := range names {
		text := env(name)
		if text == "" && name == slurmStep {
			text = "1"
		}
		n, err := strconv.ParseInt(text, 10, 32)
		switch {
		case text == "":
			return nil, engine.Usagef("%s is not set; say --shard I/N", name)
		case err != nil:
			return nil, engine.Usagef("%s is %q: expected a whole number of 32 bits", name, text)
		}
		list = append(list, int(n))
	}
	return list, nil
}

// slurm is the position of an array task in its array: (ID − MIN) / STEP + 1 of COUNT.
func (a Asked) slurm(env func(string) string) (shard, error) {
	n, err := numbers(env, slurmID, slurmCount, slurmMin, slurmStep)
	if err != nil {
		return shard{}, err
	}
	id, count, least, step := n[0], n[1], n[2], n[3]
	if step < 1 || count < 1 || count > maxShards || id < least || (id-least)%step != 0 || (id-least)/step >= count {
		return shard{}, engine.Usagef("%s=%d is not one of the %d tasks from %s=%d in steps of %d; "+
			"use an array such as 1-%d, or say --shard I/N", slurmID, id, count, slurmMin, least, step, max(1, count))
	}
	return a.counted(slurmCount+"="+env(slurmCount), shard{(id-least)/step + 1, count})
}

// kubernetes is the position of a pod in an Indexed Job.
func (a Asked) kubernetes(env func(string) string) (shard, error) {
	names := []string{kubernetesIndex, kubernetesCount}
	if env(kubernetesCount) == "" {
		if !a.Counted {
			return shard{}, engine.Usagef("%s is set, and nothing says how many shards there are: "+
				"say --shards N, or set %s or %s", kubernetesIndex, shardsVariable, kubernetesCount)
		}
		names = names[:1]
	}
	n, err := numbers(env, names...)
	if err != nil {
		return shard{}, err
	}
	s := shard{n[0] + 1, a.Of}
	if len(n) > 1 {
		if s, err = a.counted(kubernetesCount+"="+env(kubernetesCount), shard{n[0] + 1, n[1]}); err != nil {
			return shard{}, err
		}
	}
	if s.of < 1 || s.of > maxShards || s.index < 1 || s.index > s.of {
		return shard{}, engine.Usagef("%s=%d is not one of %d shards, which count from 0", kubernetesIndex, s.index-1, s.of)
	}
	return s, nil
}
