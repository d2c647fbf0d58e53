package command

import (
	"math"
	"strconv"
	"strings"
)

// shard is one of several equal parts of a sweep.
type shard struct{ index, of int } // index counts from 1

// maxShards is how many shards a sweep may have.
const maxShards = 1_000_000

// Environment variables that say which shard a process is.
const (
	slurmID    = "SLURM_ARRAY_TASK_ID"
	slurmCount = "SLURM_ARRAY_TASK_COUNT"
	slurmMin   = "SLURM_ARRAY_TASK_MIN"
	slurmStep  = "SLURM_ARRAY_TASK_STEP" // 1 if it is not set

	kubernetesIndex = "JOB_COMPLETION_INDEX" // from 0; Kubernetes sets it, but not how many there are
	kubernetesCount = "JOB_COMPLETIONS"      // the manifest may set it
)

// askedShard is what the command line says of shards.
type askedShard struct {
	index   string // I/N
	of      int
	named   bool // index is given
	counted bool // of is given
	dryRun  bool
}

// shardOf says which shard to run: --shard, else that of the environment, else all. Contradictions are usage errors.
func shardOf(a askedShard, env func(string) string) (shard, error) {
	if n := a.of; a.counted && (n < 1 || n > maxShards) {
		return shard{}, usagef("--shards %d: expected from 1 to %d", n, maxShards)
	}
	if a.named {
		s, err := parseShard(a.index)
		if err == nil && a.counted && a.of != s.of {
			return shard{}, usagef("--shard %s contradicts --shards %d", a.index, a.of)
		}
		return s, err
	}
	slurm, kubernetes := env(slurmID) != "", env(kubernetesIndex) != ""
	switch {
	case slurm && kubernetes:
		return shard{}, usagef("%s and %s are both set; say --shard I/N", slurmID, kubernetesIndex)
	case slurm:
		return slurmShard(a, env)
	case kubernetes:
		return kubernetesShard(a, env)
	case a.dryRun && a.counted:
		return shard{1, a.of}, nil
	case a.counted && a.of > 1:
		return shard{}, usagef("there are %d shards, and nothing says which one this is: neither --shard I/N, nor %s, nor %s",
			a.of, slurmID, kubernetesIndex)
	}
	return shard{1, 1}, nil
}

func parseShard(text string) (shard, error) {
	first, second, ok := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(first)
	n, err2 := strconv.Atoi(second)
	if !ok || err1 != nil || err2 != nil || n < 1 || n > maxShards || i < 1 || i > n {
		return shard{}, usagef("--shard %q: expected I/N with 1 ≤ I ≤ N ≤ %d, such as 3/16", text, maxShards)
	}
	return shard{i, n}, nil
}

// environmentNumber reads an environment variable.
func environmentNumber(env func(string) string, name string) (int, error) {
	text := env(name)
	n, err := strconv.Atoi(text)
	switch {
	case text == "":
		return 0, usagef("%s is not set; say --shard I/N", name)
	case err != nil:
		return 0, usagef("%s is %q: expected a whole number", name, text)
	// Slurm counts in 32 bits; differences of larger numbers could overflow
	case n < -math.MaxUint32 || n > math.MaxUint32:
		return 0, usagef("%s is %d: expected a number of 32 bits", name, n)
	}
	return n, nil
}

// slurmShard is the place of an array task among those of its array: (ID − MIN) / STEP + 1 of COUNT.
func slurmShard(a askedShard, env func(string) string) (shard, error) {
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
		return shard{}, usagef("%s=%d is none of the %d tasks from %s=%d in steps of %d; use an array such as 1-%d, or "+
			"say --shard I/N", slurmID, id, count, slurmMin, least, step, max(1, count))
	}
	if a.counted && a.of != count {
		return shard{}, usagef("%s=%d contradicts --shards %d", slurmCount, count, a.of)
	}
	return shard{(id-least)/step + 1, count}, nil
}

// kubernetesShard is the place of a pod among those of an Indexed Job.
func kubernetesShard(a askedShard, env func(string) string) (shard, error) {
	index, err := environmentNumber(env, kubernetesIndex)
	if err != nil {
		return shard{}, err
	}
	n := a.of
	if env(kubernetesCount) != "" || !a.counted {
		count, err := environmentNumber(env, kubernetesCount)
		switch {
		case !a.counted && env(kubernetesCount) == "":
			return shard{}, usagef("%s is set, and nothing says how many shards there are: say --shards N, or set %s or %s",
				kubernetesIndex, variable("sweep shards"), kubernetesCount)
		case err != nil:
			return shard{}, err
		case a.counted && count != n:
			return shard{}, usagef("%s=%d contradicts --shards %d", kubernetesCount, count, n)
		}
		n = count
	}
	if n < 1 || n > maxShards || index < 0 || index >= n {
		return shard{}, usagef("%s=%d is none of %d shards, which count from 0", kubernetesIndex, index, n)
	}
	return shard{index + 1, n}, nil
}
