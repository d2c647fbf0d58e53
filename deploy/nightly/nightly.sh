#!/bin/bash
# Solves every instance of a folder, checks every result, compares it with the last good one, and keeps the last nights.
# nightly.conf lists the settings; README.md lists what is written and the exit codes.

set -u
set -m # mrsched is a process group of its own: a signal to that of this script must not reach it twice
shopt -s nullglob
export LC_ALL=C GOTRACEBACK=crash # the order of names; a crash, or memory that ended, is 134, not the 2 of bad input
ulimit -c 0

log() { echo "nightly: $*" >&2; }
die() { log "$@"; exit 2; }

known='INSTANCES, RESULTS, KEEP, TIME_LIMIT, REPLAN, OPTIONS, MRSCHED, FAIL_ON_LATE, NOTIFY, NOTIFY_WHEN'
usage="usage: nightly.sh CONFIG
CONFIG is a file of settings such as nightly.conf: $known, and variables of mrsched."
INSTANCES='' RESULTS='' MRSCHED=${MRSCHED:-mrsched} TIME_LIMIT=5m KEEP=14 REPLAN=no OPTIONS=()
NOTIFY='' NOTIFY_WHEN=problem FAIL_ON_LATE=no grace=240 # seconds that mrsched has to end after a signal; less than TimeoutStopSec

[[ ${1-} != -h && ${1-} != --help ]] || { echo "$usage"; exit; }
(($# == 1)) || { echo "$usage" >&2; exit 2; }
config=$1
[[ $config == */* ]] || config=./$config # else the shell looks in the PATH
[[ -f $config && -r $config ]] || die "cannot read $1"
errors=$(bash -e "$config" 2>&1 >/dev/null) || [ -z "$errors" ] || die "$errors; expected NAME=VALUE without blanks"
before=$(compgen -v)
# shellcheck source=/dev/null
. "$config"
# Names in small letters are the file's own; mrsched itself refuses MRSCHED_ ones that it does not know.
unknown=$(compgen -v | grep '[A-Z]' | grep -vxE 'MRSCHED_.*|BASH.*|PIPESTATUS|FUNCNAME' | grep -vxF "$before")
[ -z "$unknown" ] || die "$1: unknown setting" $unknown"; expected one of $known"
for setting in "${!MRSCHED_@}"; do export "${setting?}"; done
[[ -d $INSTANCES && -n $RESULTS ]] || die "INSTANCES is no folder, or RESULTS is not set: '$INSTANCES', '$RESULTS'"
[[ $KEEP =~ ^[1-9][0-9]*$ && $REPLAN =~ ^(yes|no)$ && $FAIL_ON_LATE =~ ^(yes|no)$ && $NOTIFY_WHEN =~ ^(problem|late|change|always)$ ]] ||
	die "expected KEEP=N, REPLAN=yes or no, FAIL_ON_LATE=yes or no, and NOTIFY_WHEN=problem, late, change or always"
program=$(realpath -- "$(command -v "$MRSCHED")") || die "no program '$MRSCHED'; set MRSCHED"
INSTANCES=$(realpath -- "$INSTANCES")
mkdir -p "$RESULTS" || exit 2
RESULTS=$(realpath -- "$RESULTS")

# One night at a time. mrsched inherits the lock: it holds even if this script is killed and mrsched goes on.
exec 9>"$RESULTS/.lock" || exit 2
flock --nonblock 9 || { log "another night is running in $RESULTS"; exit 75; }

code=0 child='' stopped='' # code: the most serious of the night
declare -A instances=() meaning=([0]="all solved" [1]="internal error" [2]="bad input" [8]="jobs are late" [4]="a result violates what it claims"
	[5]="the LP solver failed" [6]="a limit stopped a search" [130]="interrupted")
rank() { case $1 in 0) echo 0 ;; 8) echo 1 ;; 6) echo 2 ;; 2) echo 3 ;; 4) echo 4 ;; 5) echo 5 ;; 130) echo 7 ;; *) echo 6 ;; esac; }
worsen() { if (($(rank "$1") > $(rank "$code"))); then code=$1; fi; }

stop() { stopped=yes; [ -z "$child" ] || kill -TERM "$child" 2>/dev/null; } # solve then writes what it has
trap stop TERM INT HUP

# run COMMAND… is its exit code. timeout passes a signal on and, as a process may wait for a file, kills it in the end.
run() {
	local status
	[ -z "$stopped" ] || return 130
	timeout --foreground --kill-after="$grace" 0 "$@" </dev/null &
	child=$!
	[ -z "$stopped" ] || stop
	while wait "$child"; status=$?; ((status > 128)) && kill -0 "$child" 2>/dev/null; do :; done # a signal ends wait, too
	child=''
	[ -z "$stopped" ] || ((status <= 128)) || status=130
	return "$status"
}

# solve NAME INSTANCE… solves one instance into the folder of its name, or without a name all of them.
solve() {
	local flags=(-o "results/$1" --force --json --quiet) status
	[ -z "$TIME_LIMIT" ] || flags+=(--time-limit "$TIME_LIMIT")
	[[ $REPLAN == no || ! -e $last/results/$1 ]] || flags+=(--from "$last/results/$1")
	run "$program" solve "${@:2}" "${flags[@]}" "${OPTIONS[@]}" >>solve.jsonl 2>>solve.log
	status=$?
	((status <= 125)) || echo >>solve.log # ends the stack of a crash
	if [[ $status == 2 && -n $1 && ${flags[*]} == *' --from '* ]]; then # its last plan cannot be the start
		REPLAN=no solve "$@"
	else
		worsen "$status"
	fi
}

nights() { find "$RESULTS" -mindepth 1 -maxdepth 1 -type d -name '[0-9]*-*' -printf '%f\n' | sort -Vr; } # the newest
stem() { basename -- "$1" | sed -E 's/(\.json)?(\.gz)?$//'; }

# list sets the instances. What mrsched would refuse a whole call for, or wait for without end, is bad input by itself.
list() {
	local path name
	for path in "$INSTANCES"/*; do
		name=$(stem "$path")
		[[ -d $path || $path == *.json || $path == *.json.gz ]] || continue
		if [[ (-d $path || -f $path) && -z ${instances["= $name"]-} && ! $name =~ [[:cntrl:]]|^summary.csv$|\.json$ ]]; then
			instances["= $name"]=$path # a name may be @
		else
			echo "nightly: ${path//[[:cntrl:]]/?} is no file or folder, or cannot have results in a folder of its own name"
			worsen 2
		fi
	done >>solve.log
}

# late lists the jobs that end late, the latest first, and into why.txt what the ends of the first ones wait for. Columns
# are counted from the last: a job's name may have commas.
late() {
	local name id by reason left=20
	find results -name jobs.csv -exec awk -F, '
		FNR == 1 { back = 0; for (i = 1; i <= NF; i++) if ($i == "tardiness" || $i == "late_by") back = NF - i + 1; next }
		back && $(NF - back + 1) > 0 {
			match($0, /^("([^"]|"")*"|[^,]*)/)
			s = int($(NF - back + 1) + 0.999999)
			name = substr(FILENAME, 9, length(FILENAME) - 17)
			printf "%d\t%s\t%d:%02d:%02d\t%s\n", s, name, s / 3600, s / 60 % 60, s % 60, substr($0, 1, RLENGTH)
		}' {} + | sort -t $'\t' -k1,1nr -k2,2 -k4 | cut -f 2- | tr -d '\000-\010\013-\037' | while IFS=$'\t' read -r name by id; do
		echo "$name: job $id is $by late"
		((left-- > 0)) || continue
		[[ $id != \"*\" ]] || { id=${id:1:-1}; id=${id//\"\"/\"}; }
		reason=$("$program" explain "${instances["= ${name%%/*}"]}" "results/$name" "job:$id" </dev/null 2>/dev/null |
			sed -n '/^Why then$/{n;s/^ *[a-z]*: //p;q}')
		[ -z "$reason" ] || echo "$name: job $id: $reason" >>why.txt
	done
}

# keep makes tonight's results and their inputs the last good ones. What did not change shares its room, by hard links.
keep() {
	local path name input kept
	for path in results/*/; do
		name=$(basename "$path") && input=${instances["= $name"]} && kept=$last/instances/${input##*/}
		rm -rf "$last/new" && cp -al "$path" "$last/new" && rm -rf "$last/results/$name" &&
			mv -T "$last/new" "$last/results/$name"
		diff -rq "$input" "$kept" >/dev/null 2>&1 || rm -rf "$kept"
		[ -e "$kept" ] || run cp -rL -- "$input" "$kept"
		cp -al "$kept" instances/
	done
	for path in "$last"/results/*/; do
		name=$(basename "$path")
		[ -n "${instances["= $name"]-}" ] || rm -rf "$path" "$last/instances/$name"{,.json,.json.gz}
	done
}

report() { # what changed, and what is wrong
	tail -n +2 brief.txt
	echo
	grep -v ': ok: ' check.txt | head -n 40
	[ ! -s late.txt ] || printf '\njobs that end after their deadlines, see late.txt:\n%s\n' "$(head -n 20 late.txt)"
	[ ! -s why.txt ] || printf '\nwhat their ends wait for, see why.txt:\n%s\n' "$(cat why.txt)"
	[ ! -s warnings.txt ] || printf '\nwarnings of mrsched lint, see warnings.txt:\n%s\n' "$(head -n 20 warnings.txt)"
	[ ! -s solve.log ] || printf '\n%s\n' "$(sed '/^goroutine /,/^$/d' solve.log | head -n 60)"
}

notify() {
	[[ $code != 0 || $NOTIFY_WHEN == always || $NOTIFY_WHEN == late && -s late.txt || $NOTIFY_WHEN == change && -n $changed ]] || return
	NIGHTLY_SUBJECT="mrsched $verdict" NIGHTLY_CODE=$code NIGHTLY_DIR=$night bash -c "$NOTIFY" <<<"$text" 9>&- ||
		{ log "NOTIFY failed"; worsen 1; }
}

last=$RESULTS/last changed=''
rm -rf "$RESULTS"/.tonight-* "$RESULTS"/.old-* # of nights that were killed
night=$RESULTS/$(date +%F)
if old=$(nights | grep -m 1 "^${night##*/}"); then # counts on from the last, also if others were pruned
	old=${old#"${night##*/}"} old=${old#.}
	night+=.$((${old:-1} + 1))
fi
tmp=$RESULTS/.tonight-${night##*/}
mkdir -p "$tmp/instances" "$last/instances" "$last/results" && cd "$tmp" || exit 2 # paths of results are relative to it
list
((${#instances[@]} || code)) || die "no instances in $INSTANCES"
mapfile -t paths < <(printf '%s\n' "${instances[@]}" | sort)
((${#instances[@]} < 2)) || solve '' "${paths[@]}"
if ((${#instances[@]} == 1 || code > 125 && code != 130)); then # one that takes too much memory takes all with it
	for path in "${paths[@]}"; do
		[ -n "$(find "results/$(stem "$path")" -name result.json 2>/dev/null)" ] || solve "$(stem "$path")" "$path"
	done
fi
if ((${#instances[@]} == 1)); then out=results/$(stem "${paths[0]}"); else out=results; fi
run "$program" check "${paths[@]}" "$out" >check.txt 2>check.log
checked=$? && worsen "$checked"
against=(--old-input "$last/instances" --new-input "$INSTANCES" "$last/results" results)
run "$program" diff --brief "${against[@]}" >brief.txt 2>/dev/null
run "$program" diff --exit-code "${against[@]}" >changes.txt 2>/dev/null
case $? in 0 | 2) ;; 1) changed=yes ;; 130) worsen 130 ;; *) worsen 1 ;; esac
late >late.txt 2>/dev/null
[[ $FAIL_ON_LATE == no || ! -s late.txt ]] || worsen 8
run "$program" report results/*/ --instance "$INSTANCES" -o page.html --quiet 2>/dev/null
"$program" lint "${paths[@]}" </dev/null 2>/dev/null | sed -n 's/^warning //p' >warnings.txt
[[ -n $stopped || $checked != [02] ]] || keep
verdict="${meaning[$code]-mrsched ended with code $code}: ${night##*/}" # the report's first line, and the mail's subject
[ ! -s late.txt ] || verdict+="; $(wc -l <late.txt) late"
[ ! -s brief.txt ] || verdict+="; $(head -n 1 brief.txt)"
text=$(echo "$verdict"; report | fold -s -w 78)
echo "$text"
echo "$text" >report.txt || { log "cannot write the report: is the disk full?"; worsen 1; }
if [ -n "$(find results -name result.json 2>/dev/null)" ]; then
	mv -T "$tmp" "$night" || worsen 1
	for old in $(nights | tail -n +$((KEEP + 1))); do # renamed first, so that no reader sees half of one
		mv -T "$RESULTS/$old" "$RESULTS/.old-$old" && rm -rf "$RESULTS/.old-$old"
	done
else
	log "no results: the night is not kept"
	((code)) || code=1
fi
[ -z "$NOTIFY" ] || notify
exit "$code"
