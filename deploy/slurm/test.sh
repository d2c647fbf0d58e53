#!/bin/bash
# make test-slurm: a sweep as a job array on a real Slurm, a cluster of one node on loopback, in a temporary folder.
#
# usage: test.sh MRSCHED. The rows of all shards together must give, byte for byte, what one process gives; also after a shard was
# killed, and after one was told that its time limit is near. Installs slurm-wlm and munge with apt-get if they are missing;
# leaves nothing else behind.

set -euo pipefail
(($# == 1)) || { echo "usage: test.sh MRSCHED" >&2; exit 2; }
MRSCHED=$(realpath -- "$1")
export MRSCHED
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
shards=4

die() {
	echo "test-slurm: $*" >&2
	exit 1
}
say() { echo "test-slurm: $*"; }

install_slurm() {
	local tool missing='' sudo='' policy=/usr/sbin/policy-rc.d ours=''
	for tool in slurmctld slurmd sbatch munged; do command -v "$tool" >/dev/null || missing=yes; done
	[ -n "$missing" ] || return 0
	command -v apt-get >/dev/null || die "please install Slurm and MUNGE; this machine has no apt-get"
	if [ "$(id -u)" != 0 ]; then
		command -v sudo >/dev/null || die "please run as root: apt-get install slurm-wlm munge"
		sudo=sudo
	fi
	$sudo apt-get update -qq
	# The packages would start daemons of their own, now and at every boot; the test brings its own.
	if [ ! -e "$policy" ]; then
		ours=yes
		printf '#!/bin/sh\nexit 101\n' | $sudo tee "$policy" >/dev/null
		$sudo chmod 755 "$policy"
	fi
	local code=0
	$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends slurm-wlm munge >/dev/null || code=$?
	if [ -n "$ours" ]; then $sudo rm -f "$policy"; fi
	((code == 0)) || die "apt-get failed"
	if command -v systemctl >/dev/null; then $sudo systemctl disable --quiet munge slurmctld slurmd 2>/dev/null || true; fi
	hash -r
}

PATH=$PATH:/usr/sbin:/sbin
install_slurm

tmp=$(mktemp -d "${TMPDIR:-/tmp}/mrsched-slurm.XXXXXX")
export SLURM_CONF=$tmp/slurm.conf
daemons=()
cleanup() {
	local code=$? pid
	trap - EXIT
	set +e
	if ((code)); then tail -n 20 "$tmp"/*.log "$tmp"/*.logs/* >&2 2>/dev/null; fi
	if ((${#daemons[@]})); then
		timeout 20 scancel --quiet --full --user="$(id -un)" 2>/dev/null
		for ((i = ${#daemons[@]} - 1; i >= 0; i--)); do
			pid=${daemons[i]}
			kill "$pid" 2>/dev/null
			for ((n = 0; n < 100; n++)); do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
			kill -KILL "$pid" 2>/dev/null
			wait "$pid" 2>/dev/null
		done
	fi
	# slurmstepd is a child of none of these; it ends with its job, which may take a moment.
	for ((n = 0; n < 100; n++)); do grep -qsF "$tmp" /proc/[0-9]*/cmdline || break; sleep 0.1; done
	rm -rf "$tmp"
	exit "$code"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# until_true SECONDS WHAT COMMAND… waits for a command to succeed.
until_true() {
	local end=$((SECONDS + $1)) what=$2
	shift 2
	until "$@" >/dev/null 2>&1; do
		((SECONDS < end)) || die "timed out: $what"
		sleep 0.2
	done
}

free_port() {
	local port
	for ((port = $1; port < $1 + 200; port++)); do
		(exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
	done
	die "no free port from $1"
}

node_is_idle() { [ "$(sinfo --noheader --format=%t)" = idle ]; }

start_cluster() {
	local name user
	name=$(hostname -s 2>/dev/null) || name=$(uname -n)
	user=$(id -un)
	mkdir -m 0755 "$tmp/munge" "$tmp/state" "$tmp/spool"
	(umask 077; head -c 128 /dev/urandom >"$tmp/munge/key")
	cat >"$SLURM_CONF" <<-END
		ClusterName=mrsched
		SlurmctldHost=$name(127.0.0.1)
		SlurmctldPort=$(free_port $((21000 + RANDOM % 4000)))
		SlurmdPort=$(free_port $((26000 + RANDOM % 4000)))
		SlurmUser=$user
		SlurmdUser=$user
		AuthType=auth/munge
		CredType=cred/munge
		AuthInfo=socket=$tmp/munge/socket,cred_expire=5
		StateSaveLocation=$tmp/state
		SlurmdSpoolDir=$tmp/spool
		SlurmctldPidFile=$tmp/slurmctld.pid
		SlurmdPidFile=$tmp/slurmd.pid
		SlurmctldLogFile=$tmp/slurmctld.log
		SlurmdLogFile=$tmp/slurmd.log
		SlurmdParameters=config_overrides
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		SwitchType=switch/none
		MpiDefault=none
		MailProg=/bin/true
		ReturnToService=2
		KillWait=5
		MinJobAge=3600
		SchedulerType=sched/builtin
		SchedulerParameters=sched_interval=1
		SelectType=select/cons_tres
		SelectTypeParameters=CR_Core
		NodeName=$name NodeAddr=127.0.0.1 CPUs=2
		PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE
	END
	munged --force --foreground --socket="$tmp/munge/socket" --key-file="$tmp/munge/key" --pid-file="$tmp/munge/pid" \
		--log-file="$tmp/munge.log" --seed-file="$tmp/munge/seed" >"$tmp/munged.log" 2>&1 &
	daemons+=($!)
	until_true 30 "munged" test -S "$tmp/munge/socket"
	slurmctld -D -i >"$tmp/slurmctld-out.log" 2>&1 &
	daemons+=($!)
	slurmd -D -N "$name" >"$tmp/slurmd-out.log" 2>&1 &
	daemons+=($!)
	until_true 60 "the node is not up" node_is_idle
}

# state JOB prints the states of a job, or of an array's tasks.
state() { scontrol --oneliner show job "$1" | grep -o ' JobState=[A-Z_]*' | cut -d= -f2 | sort -u; }
ended() { [[ ! $(state "$1") =~ PENDING|RUNNING|COMPLETING|CONFIGURING|REQUEUED|SUSPENDED|STOPPED ]]; }

# begun DIR sets victim: a shard with rows.
begun() {
	local rows
	for ((victim = 1; victim <= shards; victim++)); do
		rows=$1/rows-$victim-of-$shards.jsonl
		if [ -e "$rows" ] && (($(grep -c '"instance":' "$rows") >= 2)); then return; fi
	done
	return 1
}

submit() { # submit DIR: sets array and merge
	local out
	out=$("$here/submit.sh" "$tmp/spec.json" "$1" "$shards") || die "submit.sh failed"
	array=$(sed -n 's/^array //p' <<<"$out")
	merge=$(sed -n 's/^merge //p' <<<"$out")
	if [ -z "$array" ] || [ -z "$merge" ]; then die "submit.sh printed $out"; fi
}

finish() { # finish WHAT DIR: the merge must complete, and its files equal those of one process
	until_true 1200 "$1: the merge has not ended" ended "$merge"
	[ "$(state "$merge")" = COMPLETED ] || die "$1: the merge ended as $(state "$merge"), the array as $(state "$array" | xargs)"
	local file
	for file in sweep.csv summary.csv; do cmp "$tmp/local/$file" "$2/$file" || die "$1: $file differs"; done
	say "$1: sweep.csv ($(wc -l <"$2/sweep.csv") lines) and summary.csv equal those of one process"
}

# strike DIR SIGNAL OPTION: submits, and sends a signal to a shard that has rows.
strike() {
	submit "$1"
	until_true 600 "no shard has rows" begun "$1"
	cp "$1/rows-$victim-of-$shards.jsonl" "$tmp/rows-before"
	# Of some signals Slurm 22.05 says that it could not send them, having sent them, and tries again for a minute.
	timeout 3 scancel --signal="$2" "$3" "${array}_$victim" >/dev/null 2>&1 || true
}

# kept DIR: rows that were whole when the signal came still stand at the beginning of the file.
kept() {
	local whole
	whole=$(wc -l <"$tmp/rows-before")
	cmp <(head -n "$whole" "$tmp/rows-before") <(head -n "$whole" "$1/rows-$victim-of-$shards.jsonl") || die "finished runs of shard $victim were lost"
}

# All five problems, with as many alike in every shard; one instance is corrupt, which makes rows with an error and stops nothing.
# A shard takes several seconds.
echo '{"format":"mrsched-workload/1","jobs":[' >"$tmp/corrupt.json"
cat >"$tmp/spec.json" <<'END'
{"format":"mrsched-sweep/1",
"instances":[
 {"path":"corrupt.json","problem":"msjo"},
 {"generate":"msjo","preset":"mars","parameters":{"jobs":[2,4],"machines":10},"seeds":{"from":1,"to":40}},
 {"generate":"hta","parameters":{"tasks":60,"servers":12,"zipf":[0,1.2]},"seeds":{"from":1,"to":4}},
 {"generate":"reduceplace","parameters":{"jobs":[50,100]},"seeds":{"from":1,"to":4}},
 {"generate":"realtime","parameters":{"jobs":[10,20]},"seeds":{"from":1,"to":4}},
 {"generate":"multitenant","parameters":{"nodes":20,"racks":4,"hours":0.05},"seeds":{"from":1,"to":4}}],
"algorithms":["mars","best","flow","greedy","llf","fair"],
"iterations":100}
END
"$MRSCHED" sweep "$tmp/spec.json" -o "$tmp/local" --threads 1 --quiet
"$MRSCHED" sweep merge "$tmp/local" >/dev/null
start_cluster
say "$(sinfo --version) runs on loopback, in $tmp"

submit "$tmp/clean"
finish "array and merge" "$tmp/clean"

strike "$tmp/killed" KILL --full
until_true 1200 "the array with a killed task has not ended" ended "$array"
until_true 60 "the merge waits for a shard that failed" ended "$merge"
case $(state "$array") in *FAILED* | *CANCELLED* | *NODE_FAIL*) ;; *) die "the killed task ended before it was killed" ;; esac
[ "$(state "$merge")" = CANCELLED ] || die "the merge of an incomplete sweep ended as $(state "$merge")"
[ ! -e "$tmp/killed/sweep.csv" ] || die "an incomplete sweep was merged"
submit "$tmp/killed"
finish "killed and submitted again" "$tmp/killed"
kept "$tmp/killed"

strike "$tmp/limit" USR1 --batch # what --signal sends before the time limit
finish "requeued before the time limit" "$tmp/limit"
kept "$tmp/limit"
[[ $(scontrol --oneliner show job "$array") == *" Restarts=1 "* ]] || die "no task was requeued"
say "passed"
