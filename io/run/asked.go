package run

import (
	"math"
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
	if n := a.Of; a.Counted && (n < 1 || n > maxShards) {
		return shard{}, engine.Usagef("--shards %d: expected from 1 to %d", n, maxShards)
	}
	if a.Named {
		s, err := parseShard(a.Index)
		if err == nil && a.Counted && a.Of != s.of {
			return shard{}, engine.Usagef("--shard %s contradicts --shards %d", a.Index, a.Of)
		}
		return s, err
	}
	slurm, kubernetes := env(slurmID) != "", env(kubernetesIndex) != ""
	switch {
	case slurm && kubernetes:
		return shard{}, engine.Usagef("%s and %s are both set; say --shard I/N", slurmID, kubernetesIndex)
	case slurm:
		return slurmShard(a, env)
	case kubernetes:
		return kubernetesShard(a, env)
	case a.DryRun && a.Counted:
		return shard{1, a.Of}, nil
	case a.Counted && a.Of > 1:
		return shard{}, engine.Usagef("there are %d shards, and nothing says which one this is: "+
			"neither --shard I/N, nor %s, nor %s",
			a.Of, slurmID, kubernetesIndex)
	}
	return shard{1, 1}, nil
}

func parseShard(text string) (shard, error) {
	first, second, ok := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(first)
	n, err2 := strconv.Atoi(second)
	if !ok || err1 != nil || err2 != nil || n < 1 || n > maxShards || i < 1 || i > n {
		return shard{}, engine.Usagef("--shard %q: expected I/N with 1 ≤ I ≤ N ≤ %d, such as 3/16", text, maxShards)
	}
	return shard{i, n}, nil
}

func environmentNumber(env func(string) string, name string) (int, error) {
	text := env(name)
	n, err := strconv.Atoi(text)
	switch {
	case text == "":
		return 0, engine.Usagef("%s is not set; say --shard I/N", name)
	case err != nil:
		return 0, engine.Usagef("%s is %q: expected a whole number", name, text)
	// Slurm counts in 32 bits; differences of larger numbers could overflow
	case n < -math.MaxUint32 || n > math.MaxUint32:
		return 0, engine.Usagef("%s is %d: expected a number of 32 bits", name, n)
	}
	return n, nil
}

// slurmShard is the position of an array task in its array: (ID − MIN) / STEP + 1 of COUNT.
func slurmShard(a Asked, env func(string) string) (shard, error) {
	var values [4]int
	for i, name := range []string{slurmID, slurmCount, slurmMin, slurmStep} {
		if values[i] = 1; name == slurmStep && env(name) == "" {
			continue
		}
		var err error
		if values[i], err = environmentNumber(env, name); err != nil {
			return shard{}, err
		}
	}
	id, count, least, step := values[0], values[1], values[2], values[3]
	if step < 1 || count < 1 || count > maxShards || id < least || (id-least)%step != 0 || (id-least)/step >= count {
		return shard{}, engine.Usagef("%s=%d is not one of the %d tasks from %s=%d in steps of %d; "+
			"use an array such as 1-%d, or "+
			"say --shard I/N", slurmID, id, count, slurmMin, least, step, max(1, count))
	}
	if a.Counted && a.Of != count {
		return shard{}, engine.Usagef("%s=%d contradicts --shards %d", slurmCount, count, a.Of)
	}
	return shard{(id-least)/step + 1, count}, nil
}

// kubernetesShard is the position of a pod in an Indexed Job.
func kubernetesShard(a Asked, env func(string) string) (shard, error) {
	index, err := environmentNumber(env, kubernetesIndex)
	if err != nil {
		return shard{}, err
	}
	n := a.Of
	if env(kubernetesCount) != "" || !a.Counted {
		count, err := environmentNumber(env, kubernetesCount)
		switch {
		case !a.Counted && env(kubernetesCount) == "":
			return shard{}, engine.Usagef("%s is set, and nothing says how many shards there are: "+
				"say --shards N, or set %s or %s",
				kubernetesIndex, shardsVariable, kubernetesCount)
		case err != nil:
			return shard{}, err
		case a.Counted && count != n:
			return shard{}, engine.Usagef("%s=%d contradicts --shards %d", kubernetesCount, count, n)
		}
		n = count
	}
	if n < 1 || n > maxShards || index < 0 || index >= n {
		return shard{}, engine.Usagef("%s=%d is not one of %d shards, which count from 0", kubernetesIndex, index, n)
	}
	return shard{index + 1, n}, nil
}
