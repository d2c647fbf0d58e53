#!/bin/bash
# Solves every instance of a folder, checks every result, compares it with the last night's, and keeps the last nights.
#
# usage: nightly.sh CONFIG. nightly.conf lists the settings; README.md lists what is written and the exit codes.

set -u
export LC_ALL=C # the order of names

log() { echo "nightly: $*" >&2; }

# --- settings -------------------------------------------------------------------------------------------------------------

usage() {
	cat <<-'END'
		usage: nightly.sh CONFIG

		Solves every instance of a folder with mrsched, checks every result, compares it with the last night's, and keeps the last nights.
		CONFIG sets INSTANCES, RESULTS and, if need be, KEEP, TIME_LIMIT, OPTIONS, MRSCHED, NOTIFY and NOTIFY_WHEN: see nightly.conf.
	END
}

INSTANCES='' RESULTS='' MRSCHED=${MRSCHED:-mrsched} TIME_LIMIT=5m KEEP=14 NOTIFY='' NOTIFY_WHEN=problem
OPTIONS=()
known='INSTANCES RESULTS KEEP TIME_LIMIT OPTIONS MRSCHED NOTIFY NOTIFY_WHEN'

# refuse_unknown FILE NAME ends the script if the file, which was read and is called so, has set what is no setting. Names in small letters are its own, unless they are
# a setting's in small letters; variables that were there before are the system's.
refuse_unknown() {
	local line number=0 name bad=
	while IFS= read -r line || [ -n "$line" ]; do
		number=$((number + 1))
		[[ $line =~ ^[[:blank:]]*(export[[:blank:]]+|readonly[[:blank:]]+)?([A-Za-z_][A-Za-z0-9_]*)(\[[^]]*\])?\+?= ]] || continue
		name=${BASH_REMATCH[2]}
		[[ " $known " != *" $name "* && " $before " != *" $name "* ]] || continue
		[ -n "${!name+set}" ] || continue # inside of a text, or not carried out
		if [[ $name != *[[:upper:]]* && " $known " != *" ${name^^} "* ]]; then continue; fi
		log "$2:$number: unknown setting $name; expected one of ${known// /, }"
		bad=yes
	done <"$1"
	[ -z "$bad" ] || exit 2
}

case ${1-} in
-h | --help) usage; exit 0 ;;
esac
if (($# != 1)); then
	usage >&2
	exit 2
fi
config=$1
[[ $config == */* ]] || config=./$config # else the shell looks in the PATH
[[ -f $config && -r $config ]] || { log "cannot read $1"; exit 2; }
bash -n "$config" || { log "$1 is no list of settings in the shell's syntax"; exit 2; }
before=$(compgen -v | tr '\n' ' ')
wrong=
trap 'if [ "${BASH_SOURCE[0]}" = "$config" ]; then wrong=${wrong:-$LINENO}; fi' ERR
# shellcheck source=/dev/null
. "$config"
trap - ERR
[ -z "$wrong" ] || { log "$1:$wrong: this is no setting, or it fails; expected NAME=VALUE without blanks around ="; exit 2; }
refuse_unknown "$config" "$1"
[ -d "$INSTANCES" ] || { log "INSTANCES is no folder: '$INSTANCES'"; exit 2; }
[ -n "$RESULTS" ] || { log "RESULTS is not set"; exit 2; }
[[ $KEEP =~ ^[1-9][0-9]*$ ]] || { log "KEEP is '$KEEP'; expected how many nights to keep"; exit 2; }
[[ $NOTIFY_WHEN =~ ^(problem|change|always)$ ]] || { log "NOTIFY_WHEN is '$NOTIFY_WHEN'; expected problem, change or always"; exit 2; }
program=$(command -v "$MRSCHED") || { log "no program '$MRSCHED'; set MRSCHED"; exit 2; }
MRSCHED=$(realpath -- "$program")
INSTANCES=$(realpath -- "$INSTANCES")
mkdir -p "$RESULTS" || exit 2
RESULTS=$(cd "$RESULTS" && pwd) || exit 2

# One night at a time. mrsched inherits the lock: it holds even if this script is killed and mrsched goes on.
exec 9>"$RESULTS/.lock" || exit 2
flock --nonblock 9 || { log "another night is running in $RESULTS"; exit 75; }

# --- exit codes -----------------------------------------------------------------------------------------------------------

code=0 # of the night: the gravest of all

# rank CODE prints how grave a code is; as mrsched ranks those of several instances. 0 is the gravest.
rank() {
	case $1 in
	130) echo 0 ;; 5) echo 2 ;; 4) echo 3 ;; 2) echo 4 ;; 3) echo 5 ;; 6) echo 6 ;; 0) echo 7 ;;
	*) echo 1 ;; # 1, and what mrsched does not end with by itself: 137 when the kernel killed it, 127 …
	esac
}
graver() { if (($(rank "$1") < $(rank "$code"))); then code=$1; fi; }

meaning() {
	case $1 in
	0) echo "all solved" ;;
	1) echo "internal error" ;;
	2) echo "bad input" ;;
	3) echo "proven infeasible" ;;
	4) echo "a result violates what it claims" ;;
	5) echo "the LP solver failed" ;;
	6) echo "a limit stopped a search" ;;
	130) echo "interrupted" ;;
	*) echo "mrsched ended with code $1" ;;
	esac
}

# --- running mrsched ------------------------------------------------------------------------------------------------------

child='' stopped=
# shellcheck disable=SC2317 # the traps call it
stop() {
	stopped=yes
	if [ -n "$child" ]; then kill -TERM "$child" 2>/dev/null; fi
}
trap stop TERM INT HUP

# run COMMAND… is its exit code. A signal to this script ends the command first: solve then writes what it has.
run() {
	local status
	[ -z "$stopped" ] || return 130
	"$@" &
	child=$!
	if [ -n "$stopped" ]; then kill -TERM "$child" 2>/dev/null; fi
	wait "$child"
	status=$?
	while ((status > 128)) && kill -0 "$child" 2>/dev/null; do # a trapped signal ends wait, not the command
		wait "$child"
		status=$?
	done
	child=
	if [ -n "$stopped" ] && ((status > 128)); then status=130; fi
	return "$status"
}

# --- the night ------------------------------------------------------------------------------------------------------------

is_night() { [[ ${1##*/} =~ ^[0-9]{4}-[0-9]{2}-[0-9]{2}(\.[0-9]+)?$ ]]; }

# nights prints the folders of finished nights, the newest first.
nights() {
	local dir
	for dir in "$RESULTS"/*/; do
		dir=${dir%/}
		if is_night "$dir"; then echo "${dir##*/}"; fi
	done | sort --version-sort --reverse
}

stem() {
	local name=${1##*/}
	name=${name%.gz}
	echo "${name%.json}"
}

# below FOLDER prints the results in it, relative to it: an instance each, or an instance and an algorithm.
below() { (cd "$1" 2>/dev/null && find . -type f -name result.json | sed 's|^\./||; s|/result\.json$||' | sort); }

quote() { # for CSV
	if [[ $1 == *[\",$'\n']* ]]; then
		echo "\"${1//\"/\"\"}\""
	else
		echo "$1"
	fi
}

solve() {
	local out=results
	if ((${#instances[@]} == 1)); then # then the result is -o itself
		mkdir "$out"
		out=$out/$(stem "${instances[0]}")
	fi
	local flags=(-o "$out" --json --quiet)
	if [ -n "$TIME_LIMIT" ]; then flags+=(--time-limit "$TIME_LIMIT"); fi
	run "$MRSCHED" solve "${instances[@]}" "${flags[@]}" ${OPTIONS[@]+"${OPTIONS[@]}"} >solve.jsonl 2>solve.log
}

# compare RESULT sets change: against the newest night that has this result.
compare() {
	local night status
	change=new
	for night in "${earlier[@]}"; do
		[ -e "$RESULTS/$night/results/$1/result.json" ] || continue
		run "$MRSCHED" diff --exit-code "$RESULTS/$night/results/$1" "results/$1" >diff.tmp 2>&1
		status=$?
		case $status in
		0) change=same ;;
		1) change=different ;;
		2) change=incomparable ;; # the instance itself has changed
		*) change=failed; graver $((status == 130 ? 130 : 1)) ;;
		esac
		if ((status)); then
			echo "$1: $change since $night"
			sed 's/^/    /' diff.tmp
			echo
		fi >>changes.txt
		rm -f diff.tmp
		return
	done
}

# judge RESULT INSTANCE adds the line of one result.
judge() {
	local verdict status
	run "$MRSCHED" check "$2" "results/$1" >>check.txt 2>&1
	status=$?
	case $status in
	0) verdict=ok ;;
	4) verdict=violation ;;
	*) verdict=failed ;;
	esac
	graver "$status"
	compare "$1"
	echo "$(quote "$1"),$verdict,$change" >>nightly.csv
}

# judge_all checks and compares everything; an instance without a result, and a result that there is no more, have lines too.
judge_all() {
	local instance name path results
	echo "result,check,change" >nightly.csv
	for instance in "${instances[@]}"; do
		name=$(stem "$instance")
		mapfile -t results < <(below "results/$name")
		((${#results[@]})) || echo "$(quote "$name"),none," >>nightly.csv
		for path in "${results[@]}"; do
			if [ "$path" = result.json ]; then path=$name; else path=$name/$path; fi
			[ -z "$stopped" ] || return
			judge "$path" "$instance"
		done
	done
	((${#earlier[@]})) || return
	while IFS= read -r path; do
		[ -e "results/$path/result.json" ] || echo "$(quote "$path"),none,gone" >>nightly.csv
	done < <(below "$RESULTS/${earlier[0]}/results")
}

count() { grep -cE "$1" nightly.csv; }

report() {
	echo "$(meaning "$code"): $name"
	echo "instances: ${#instances[@]}; results: $(count ',(ok|violation|failed),'), of which $(count ',(violation|failed),') fail the check"
	echo "since last time: $(count ',same$') same, $(count ',different$') different, $(count ',new$') new, $(count ',incomparable$') of a changed instance, $(count ',gone$') gone"
	echo "mrsched solve: $solved ($(meaning "$solved"))"
	grep -E ',(violation|failed|none),|,(different|incomparable|failed)$' nightly.csv
	if [ -s solve.log ]; then
		echo
		head -n 50 solve.log
	fi
}

notify() {
	local subject
	[ -n "$NOTIFY" ] || return 0
	case $NOTIFY_WHEN in
	problem) ((code)) || return 0 ;;
	change) ((code)) || grep -qE ',(different|new|incomparable|gone)$' nightly.csv || return 0 ;;
	esac
	subject="mrsched $name: $(meaning "$code")"
	if ! NIGHTLY_SUBJECT=$subject NIGHTLY_CODE=$code NIGHTLY_DIR=$night bash -c "$NOTIFY" <report.txt 9>&-; then
		log "NOTIFY failed"
		graver 1
	fi
}

# publish renames the finished night into its place and removes what is older than the last KEEP.
publish() {
	local old
	mv -T "$tmp" "$night" || { log "cannot rename $tmp to $night"; return 1; }
	tmp=$night
	for old in $(nights | tail -n +$((KEEP + 1))); do
		mv -T "$RESULTS/$old" "$RESULTS/.old-$old" && rm -rf "$RESULTS/.old-$old" # so that no reader sees half of one
	done
}

shopt -s nullglob
instances=()
for path in "$INSTANCES"/*; do
	case $path in
	*.json | *.json.gz) instances+=("$path") ;;
	*) for table in "$path"/jobs.csv "$path"/jobs.csv.gz; do [ ! -e "$table" ] || { instances+=("$path"); break; }; done ;;
	esac
done
((${#instances[@]})) || { log "no instances in $INSTANCES"; exit 2; }

rm -rf "$RESULTS"/.tonight-* "$RESULTS"/.old-* # of nights that were killed
mapfile -t earlier < <(nights)
name=$(date +%F)
for old in "${earlier[@]}"; do # the newest first: a further night on one day counts on from the last, also if others were pruned
	case $old in
	"$name") name=$name.2; break ;;
	"$name".*) name=$name.$((10#${old##*.} + 1)); break ;;
	esac
done
night=$RESULTS/$name
tmp=$RESULTS/.tonight-$name
mkdir "$tmp" && cd "$tmp" || exit 2 # all that is written names results relative to the night

solve
solved=$?
graver "$solved"
judge_all
if [ -n "$stopped" ]; then graver 130; fi
report >report.txt
cat report.txt
if [ -n "$(below results)" ]; then
	publish || graver 1
else
	log "no results: the night is not kept"
	((code)) || code=1
fi
notify
[ -n "$(below results)" ] || rm -rf "$tmp"
exit "$code"
