#!/bin/bash
# Solves every instance of a folder, checks every result, compares it with the last night's, and keeps the last nights.
#
# usage: nightly.sh CONFIG. nightly.conf lists the settings; README.md lists what is written and the exit codes.

set -u
set -m # mrsched is a process group of its own: a signal to that of this script (timeout, Ctrl-C) must not reach it twice, which ends it at once
export LC_ALL=C # the order of names
export GOTRACEBACK=crash # so that a crash, or memory that ended, is 134, not the 2 of bad input
ulimit -c 0

log() { echo "nightly: $*" >&2; }

# --- settings -------------------------------------------------------------------------------------------------------------

usage() {
	cat <<-'END'
		usage: nightly.sh CONFIG

		Solves every instance of a folder with mrsched, checks every result, compares it with the last night's, and keeps the last nights.
		CONFIG sets INSTANCES, RESULTS and, if need be, KEEP, KEEP_INPUTS, TIME_LIMIT, REPLAN, OPTIONS, MRSCHED, NOTIFY
		and NOTIFY_WHEN, and variables of mrsched such as MRSCHED_MAX_INPUT: see nightly.conf.
	END
}

INSTANCES='' RESULTS='' MRSCHED=${MRSCHED:-mrsched} TIME_LIMIT=5m KEEP=14 KEEP_INPUTS=100M REPLAN=no NOTIFY='' NOTIFY_WHEN=problem
unset OPTIONS # an array would stay one if CONFIG sets a text
grace=240 # seconds that mrsched has to end after a signal; less than TimeoutStopSec of the unit
known='INSTANCES RESULTS KEEP KEEP_INPUTS TIME_LIMIT REPLAN OPTIONS MRSCHED NOTIFY NOTIFY_WHEN'

# refuse_unknown FILE NAME ends the script if the file, which was read and is called so, has set what is no setting. Names in small letters are its own, unless they are
# a setting's in small letters; variables that were there before are the system's; those that begin with MRSCHED_ are mrsched's, which refuses what it does not know.
refuse_unknown() {
	local line number=0 name bad=
	while IFS= read -r line || [ -n "$line" ]; do
		number=$((number + 1))
		[[ $line =~ ^[[:blank:]]*(export[[:blank:]]+|readonly[[:blank:]]+)?([A-Za-z_][A-Za-z0-9_]*)(\[[^]]*\])?\+?= ]] || continue
		name=${BASH_REMATCH[2]}
		[[ " $known " != *" $name "* && " $before " != *" $name "* && $name != MRSCHED_* ]] || continue
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
for setting in "${!MRSCHED_@}"; do export "${setting?}"; done
[ -d "$INSTANCES" ] || { log "INSTANCES is no folder: '$INSTANCES'"; exit 2; }
for part in jobs.csv tasks.csv workload.json; do
	[[ ! -e $INSTANCES/$part && ! -e $INSTANCES/$part.gz ]] || { log "INSTANCES is a workload itself; name the folder above it: '$INSTANCES' holds $part"; exit 2; }
done
[[ ! -v OPTIONS || $(declare -p OPTIONS) == 'declare -a'* ]] || { log "OPTIONS must be an array: OPTIONS=($OPTIONS)"; exit 2; }
for option in ${OPTIONS[@]+"${OPTIONS[@]}"}; do
	[[ ! $option =~ ^-[^=]*[[:blank:]] ]] || { log "OPTIONS has '$option' as one word; leave the quotes out: OPTIONS=($option)"; exit 2; }
done
[ -n "$RESULTS" ] || { log "RESULTS is not set"; exit 2; }
[[ $KEEP =~ ^[1-9][0-9]*$ ]] || { log "KEEP is '$KEEP'; expected how many nights to keep"; exit 2; }
[[ $KEEP_INPUTS =~ ^[0-9]+[KMG]?$ ]] || { log "KEEP_INPUTS is '$KEEP_INPUTS'; expected a size in bytes, such as 100M, or 0 for none"; exit 2; }
keep_bytes=$(numfmt --from=iec "$KEEP_INPUTS") || exit 2
[[ $NOTIFY_WHEN =~ ^(problem|late|change|always)$ ]] || { log "NOTIFY_WHEN is '$NOTIFY_WHEN'; expected problem, late, change or always"; exit 2; }
[[ $REPLAN =~ ^(yes|no)$ ]] || { log "REPLAN is '$REPLAN'; expected yes or no"; exit 2; }
program=$(command -v "$MRSCHED") || { log "no program '$MRSCHED'; set MRSCHED"; exit 2; }
MRSCHED=$(realpath -- "$program")
INSTANCES=$(realpath -- "$INSTANCES")
mkdir -p "$RESULTS" || exit 2
RESULTS=$(cd "$RESULTS" && pwd) || exit 2

# One night at a time. mrsched inherits the lock: it holds even if this script is killed and mrsched goes on.
exec 9>"$RESULTS/.lock" || exit 2
flock --nonblock 9 || { log "another night is running in $RESULTS"; exit 75; }

# --- exit codes -----------------------------------------------------------------------------------------------------------

code=0 # of the night: the most serious of all

# rank CODE prints the rank of a code in the order in which mrsched ranks the codes of several instances. 0 is the most serious.
rank() {
	case $1 in
	130) echo 0 ;; 5) echo 2 ;; 4) echo 3 ;; 2) echo 4 ;; 6) echo 5 ;; 0) echo 6 ;;
	*) echo 1 ;; # 1, and what mrsched does not end with by itself: 137 when the kernel killed it, 127 …
	esac
}
worsen() { if (($(rank "$1") < $(rank "$code"))); then code=$1; fi; }

meaning() {
	case $1 in
	0) echo "all solved" ;;
	1) echo "internal error" ;;
	2) echo "bad input" ;;
	4) echo "a result violates what it claims" ;;
	5) echo "the LP solver failed" ;;
	6) echo "a limit stopped a search" ;;
	130) echo "interrupted" ;;
	*) echo "mrsched ended with code $1" ;;
	esac
}

# --- running mrsched ------------------------------------------------------------------------------------------------------

child='' stopped='' killer=''
# shellcheck disable=SC2317 # the traps call it
stop() {
	stopped=yes
	if [ -n "$child" ]; then end "$child"; fi
}
# end PROCESS tells mrsched to end, and ends it if it does not: it may wait for a file that never comes.
# shellcheck disable=SC2317
end() {
	kill -TERM "$1" 2>/dev/null
	[ -z "$killer" ] || return
	(sleep "$grace"; kill -KILL "$1") </dev/null >/dev/null 2>&1 9>&- &
	killer=$!
	disown "$killer" # no message of its end
}
trap stop TERM INT HUP

# run COMMAND… is its exit code. A signal to this script ends the command first: solve then writes what it has.
run() {
	local status
	[ -z "$stopped" ] || return 130
	"$@" </dev/null &
	child=$!
	if [ -n "$stopped" ]; then end "$child"; fi
	wait "$child"
	status=$?
	while ((status > 128)) && kill -0 "$child" 2>/dev/null; do # a trapped signal ends wait, not the command
		wait "$child"
		status=$?
	done
	child=
	if [ -n "$killer" ]; then kill -KILL -- "-$killer" 2>/dev/null; fi
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
	printf '%s\n' "${name%.json}" # echo would take -n for a flag
}

# below FOLDER prints the results in it, relative to it: an instance each, or an instance and an algorithm.
below() { (cd "$1" 2>/dev/null && find . -type f -name result.json | sed 's|^\./||; s|/result\.json$||' | sort); }

quote() { # for CSV
	if [[ $1 == *[\",$'\n']* ]]; then
		printf '"%s"\n' "${1//\"/\"\"}"
	else
		printf '%s\n' "$1"
	fi
}

# run_solve FOLDER INSTANCE… [FLAG…] solves with the settings, into the folder.
run_solve() {
	local flags=(-o "$1" --json --quiet)
	shift
	if [ -n "$TIME_LIMIT" ]; then flags+=(--time-limit "$TIME_LIMIT"); fi
	run "$MRSCHED" solve "$@" "${flags[@]}" ${OPTIONS[@]+"${OPTIONS[@]}"} >>solve.jsonl
}

solve() {
	local out=results
	((${#instances[@]})) || return 2
	if [ "$REPLAN" = yes ]; then
		solve_again
		return 0 # the codes are counted
	fi
	if ((${#instances[@]} == 1)); then # then the result is -o itself
		mkdir "$out"
		out=$out/$(stem "${instances[0]}")
	fi
	run_solve "$out" "${instances[@]}" 2>>solve.log
}

# solve_again solves each instance in a process of its own, from the newest earlier night's plan if there is one. A plan that cannot be the start, because its problem
# is another one, or cannot plan again, or because it is damaged, costs a line in solve.log.
solve_again() {
	local instance name night from status
	for instance in "${instances[@]}"; do
		[ -z "$stopped" ] || return
		name=$(stem "$instance") from=
		for night in ${earlier[@]+"${earlier[@]}"}; do
			[ ! -e "$RESULTS/$night/results/$name/result.json" ] || { from=$RESULTS/$night/results/$name; break; }
		done
		status=2
		if [ -n "$from" ]; then
			run_solve "results/$name" "$instance" --from "$from" 2>rest.log
			status=$?
			((status != 2)) || printf '%s: not planned from the last night: %s\n' "$name" "$(head -n 1 rest.log)" >>solve.log
		fi
		if ((status == 2)); then
			run_solve "results/$name" "$instance" 2>rest.log
			status=$?
		fi
		worsen "$status"
		cat rest.log >>solve.log
		rm -f rest.log
	done
}

# solve_rest solves what is left, each instance in a process of its own, after one that solved all of them died: one that takes more memory than there is, or
# crashes, must not take the others with it.
solve_rest() {
	local told i out status
	told=$(sed -nE 's/^\{"instance":("([^"\\]|\\.)*").*\}$/\1/p' solve.jsonl | uniq | wc -l) # in the order of the instances
	echo >>solve.log
	for ((i = told; i < ${#instances[@]}; i++)); do
		out=results/$(stem "${instances[i]}")
		[ ! -e "$out/result.json" ] || continue
		run_solve "$out" "${instances[i]}" --force 2>rest.log
		status=$?
		worsen "$status"
		((status <= 125)) || printf '%s: mrsched ended with code %d\n' "${instances[i]}" "$status" >>solve.log
		{ cat rest.log; ((status <= 125)) || echo; } >>solve.log # an empty line ends a stack
		rm -f rest.log
	done
}

# row RESULT CHECK CHANGE adds a line.
row() { echo "$(quote "$1"),$2,$3" >>nightly.csv || unwritten=yes; } 2>/dev/null # the report says it once

# keep_input INSTANCE keeps a copy, so that a later night can tell what changed. If it is that of an earlier night, it takes no room of its own.
keep_input() {
	local name to size night files=()
	name=$(stem "$1") to=instances/$(stem "$1")
	((keep_bytes)) || return
	if [ -d "$1" ]; then
		mapfile -d '' -t files < <(find -L "$1/" -maxdepth 1 -type f \( -name '*.csv' -o -name '*.csv.gz' -o -name 'workload.json*' \) -print0)
		to+=/${1##*/}
	elif [ -f "$1" ]; then
		files=("$1")
	fi
	((${#files[@]})) || return
	size=$(du -cbL -- "${files[@]}" 2>/dev/null | tail -n 1 | cut -f 1)
	if ((${size:-0} > keep_bytes)) || ! mkdir -p "$to" 2>/dev/null || ! run cp -L -- "${files[@]}" "$to/" 2>/dev/null; then
		rm -rf "instances/$name"
		unkept+=("$name")
		return
	fi
	for night in "${earlier[@]}"; do
		[ -d "$RESULTS/$night/instances/$name" ] || continue
		if run diff -rq "$RESULTS/$night/instances/$name" "instances/$name" >/dev/null 2>&1 &&
			cp -al "$RESULTS/$night/instances/$name" instances/.linked 2>/dev/null; then
			rm -rf "instances/$name"
			mv -T instances/.linked "instances/$name"
		fi
		rm -rf instances/.linked
		return
	done
}

# compare RESULT INSTANCE sets change: against the newest night that has this result.
compare() {
	local night status inputs=() kept
	change=new
	for night in "${earlier[@]}"; do
		[ -e "$RESULTS/$night/results/$1/result.json" ] || continue
		kept=("$RESULTS/$night/instances/${1%%/*}"/*)
		if ((${#kept[@]} == 1)); then inputs=(--old-input "${kept[0]}" --new-input "$2"); fi
		run "$MRSCHED" diff --exit-code ${inputs[@]+"${inputs[@]}"} "$RESULTS/$night/results/$1" "results/$1" >diff.tmp 2>&1
		status=$?
		if ((status == 2 && ${#inputs[@]})) && [ -z "$stopped" ]; then # the copy or the instance is not what was solved
			inputs=()
			run "$MRSCHED" diff --exit-code "$RESULTS/$night/results/$1" "results/$1" >diff.tmp 2>&1
			status=$?
		fi
		[ -z "$stopped" ] || break
		case $status in
		0) change=same ;;
		1) if grep -q '^input:' diff.tmp; then change=input; else change=different; fi ;;
		2) change=incomparable ;; # another problem, or an earlier result that cannot be read
		*) change=failed; worsen $((status == 130 ? 130 : 1)) ;;
		esac
		if ((status)); then
			echo "$1: $change since $night"
			sed 's/^/    /' diff.tmp
			echo
		fi >>changes.txt
		if ((status == 1)); then
			run "$MRSCHED" diff --brief --quiet ${inputs[@]+"${inputs[@]}"} "$RESULTS/$night/results/$1" "results/$1" >diff.tmp 2>/dev/null &&
				names+=("$1") briefs+=("$1: $(cat diff.tmp)")
		fi
		rm -f diff.tmp
		return
	done
	[ -z "$stopped" ] || change=
	rm -f diff.tmp
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
	[ -z "$stopped" ] || verdict=unchecked
	worsen "$status"
	compare "$1" "$2"
	row "$1" "$verdict" "$change"
}

# judge_all checks and compares everything; an instance without a result, and a result that there is no more, have lines too.
judge_all() {
	local instance name path results
	{ echo "result,check,change" >nightly.csv || unwritten=yes; } 2>/dev/null
	for name in ${refused[@]+"${refused[@]}"}; do row "$name" none ''; done
	for instance in ${instances[@]+"${instances[@]}"}; do
		name=$(stem "$instance")
		mapfile -t results < <(below "results/$name")
		((${#results[@]})) || row "$name" none ''
		for path in "${results[@]}"; do
			if [ "$path" = result.json ]; then path=$name; else path=$name/$path; fi
			if [ -n "$stopped" ]; then row "$path" unchecked ''; else judge "$path" "$instance"; fi
		done
		if ((${#results[@]})) && [ -z "$stopped" ]; then keep_input "$instance"; fi
	done
	if [ -n "$stopped" ] || ((!${#earlier[@]})); then return; fi
	while IFS= read -r path; do
		[ -e "results/$path/result.json" ] || row "$path" none gone
	done < <(below "$RESULTS/${earlier[0]}/results")
}

# warn keeps what mrsched lint says of each instance, up to ten warnings of each.
warn() {
	local instance line
	for instance in ${instances[@]+"${instances[@]}"}; do
		run "$MRSCHED" lint "$instance" >lint.tmp
		sed -n 's/^warning //p' lint.tmp | head -n 10 | while IFS= read -r line; do
			printf '%s\n' "${line//"$INSTANCES/"/}"
		done
	done >warnings.txt
	rm -f lint.tmp
}

# late keeps the jobs that end after their deadlines, the latest first. A comma in a job's name does not matter: the columns are counted
# from the last.
late() {
	local path
	below results | while IFS= read -r path; do
		[ ! -f "results/$path/jobs.csv" ] || awk -F, -v result="$path" '
			NR == 1 { for (i = 1; i <= NF; i++) if ($i == "tardiness" || $i == "late_by") back = NF - i + 1; next }
			back && $(NF - back + 1) > 0 {
				match($0, /^("([^"]|"")*"|[^,]*)/)
				s = int($(NF - back + 1) + 0.999999)
				printf "%d\t%s: job %s is %d:%02d:%02d late\n", s, result, substr($0, 1, RLENGTH), s / 3600, s / 60 % 60, s % 60
			}' "results/$path/jobs.csv"
	done | sort -t "$(printf '\t')" -k1,1nr -k2 | cut -f2- | tr -d '\000-\011\013-\037' >late.txt
}

# late_jobs counts them; a job that several algorithms leave late counts once.
late_jobs() { sed -E 's/^([^/:]*)[^:]*: (job .*) is [0-9:]+ late$/\1 \2/' late.txt | sort -u | grep -c .; }

count() { grep -cE "$1" nightly.csv; }

# verdict is the first line of the report, and the subject of the mail.
verdict() {
	local text n what
	text="$(meaning "$code"): $name"
	while read -r n what; do
		((!n)) || text+="; $n $what"
	done <<-END
		$(count ',(violation|failed),[a-z]*$') of the results fail the check
		$(count ',none,$') without a result
		$(late_jobs) late
		$(count ',input$') of a changed input
		$(brief_class worse | grep -c .) worse
		$(brief_class better | grep -c .) better
	END
	echo "$text"
}

# brief_class VERDICT… prints the numbers of the results for which mrsched diff has one of these verdicts.
brief_class() {
	local i want
	for want; do
		for i in ${briefs[@]+"${!briefs[@]}"}; do
			[[ ${briefs[i]%%$'\n'*} != "${names[i]}: $want"* ]] || echo "$i"
		done
	done
}

# changes prints what changed, the most important first, up to a number of results.
changes() {
	local i shown=0
	for i in $(brief_class worse 'another input' different better 'the same'); do
		((shown++ < max_briefs)) || { echo "... and $((${#briefs[@]} - max_briefs)) more: see changes.txt"; return; }
		printf '%s\n' "${briefs[i]}"
	done
}

# report is a mail: the verdict, what changed, the counts, and what is wrong.
report() {
	verdict
	if ((${#briefs[@]})); then
		echo
		changes
	fi
	echo
	echo "instances: $((${#instances[@]} + ${#refused[@]})); results: $(count ',(ok|violation|failed|unchecked),[a-z]*$'), of which $(count ',(violation|failed),[a-z]*$') fail the check"
	echo "since last time: $(count ',same$') same, $(count ',different$') different, $(count ',new$') new, $(count ',input$') of a changed input, $(count ',gone$') gone"
	echo "mrsched solve: $solved ($(meaning "$solved"))"
	[ -z "$died" ] || echo "mrsched solve died: what was left was solved again, each instance by itself"
	[ -z "$unwritten" ] || echo "not all of the night could be written: is the disk full?"
	((!${#others[@]})) || printf 'not looked at: %s\n' "${others[@]}"
	((!${#unkept[@]})) || printf 'no copy of the input is kept, see KEEP_INPUTS: %s\n' "${unkept[@]}"
	sed -nE '
		s/,none,gone$/: gone since last time/p; t
		s/,none,.*/: no result/p; t
		s/,violation,.*/: fails the check/p; t
		s/,failed,.*/: cannot be checked/p; t
		s/,unchecked,.*/: not checked/p; t
		s/,ok,incomparable$/: cannot be compared with the last time; see changes.txt/p; t
		s/,ok,failed$/: mrsched diff failed; see changes.txt/p' nightly.csv
	if [ -s late.txt ]; then
		echo
		echo "jobs that end after their deadlines, see late.txt:"
		head -n 20 late.txt
	fi
	if [ -s warnings.txt ]; then
		echo
		echo "warnings of mrsched lint, see warnings.txt:"
		head -n 20 warnings.txt
	fi
	if [ -s solve.log ]; then
		echo
		excerpt | head -n 100
	fi
}

# wrapped breaks lines at blanks to fit a mail.
wrapped() {
	awk -v width=78 '{
		match($0, /^ */)
		indent = line = substr($0, 1, RLENGTH)
		n = split($0, words, " ")
		for (i = 1; i <= n; i++) {
			if (i > 2 && length(line) + 1 + length(words[i]) > width && length(indent words[i]) + 4 <= width) { print line; line = indent "    " words[i] }
			else line = line (i > 1 ? " " : "") words[i]
		}
		print line
	}'
}

# excerpt is solve.log with three findings a file, so that all files are in the report, and without the stacks of a crash.
excerpt() {
	awk '
		function more() { if (n > 3) print "  ... and of " file " " n - 3 " more" }
		/^$/ { stack = 0; next }
		/^goroutine |^rax +0x/ { stack = 1 }
		stack { next }
		/^[A-Z][0-9]+ / { name = $0; sub(/^[A-Z][0-9]+ /, "", name); sub(/(:[0-9]+:[0-9]+)?: .*/, "", name)
			if (name != file) { more(); n = 0; file = name }
			if (++n <= 3) print
			next }
		{ more(); n = 0; file = ""; print }
		END { more() }' solve.log
}

notify() {
	local subject
	[ -n "$NOTIFY" ] || return 0
	case $NOTIFY_WHEN in
	problem) ((code)) || return 0 ;;
	late) ((code)) || [ -s late.txt ] || return 0 ;;
	change) ((code)) || grep -qE ',(different|input|new|incomparable|gone)$' nightly.csv || return 0 ;;
	esac
	subject="mrsched $(verdict)"
	if ! printf '%s\n' "$text" | NIGHTLY_SUBJECT=$subject NIGHTLY_CODE=$code NIGHTLY_DIR=$night bash -c "$NOTIFY" 9>&-; then
		log "NOTIFY failed"
		worsen 1
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

# refuse NAME WHY leaves an instance out, which counts as bad input.
refuse() {
	refused+=("${1//[[:cntrl:]]/?}")
	reasons+="nightly: $INSTANCES/${1//[[:cntrl:]]/?}: $2"$'\n'
	worsen 2
}

# list sets instances, refused and others. What mrsched would refuse a whole call for, or wait for without end, is refused alone.
list() {
	local path name entry entries=()
	local -A paths=()
	shopt -s nullglob
	for path in "$INSTANCES"/*; do
		name=${path##*/}
		if [[ ! -d $path && $name != *.json && $name != *.json.gz ]]; then
			others+=("${name//[[:cntrl:]]/?}")
		else
			entries+=("$path")
			paths["= $(stem "$path")"]+=" $name" # a name may be @
		fi
	done
	for path in ${entries[@]+"${entries[@]}"}; do
		name=${path##*/} entry=$(stem "$path")
		if [[ $name == *[[:cntrl:]]* ]]; then
			refuse "$name" "a name with control characters"
		elif [[ $entry == *.json || $entry == *.json.gz || $entry == summary.csv ]]; then
			refuse "$name" "its results cannot be in a folder $entry; give it another name"
		elif [ "${paths["= $entry"]}" != " $name" ]; then
			refuse "$name" "the results of all these would be in $entry; give them different names:${paths["= $entry"]}"
		elif [[ ! -d $path && ! -f $path ]]; then
			refuse "$name" "neither a file nor a folder, but a pipe, a device or a link to nowhere"
		else
			instances+=("$path")
		fi
	done
}

instances=() refused=() others=() unkept=() names=() briefs=() reasons='' died='' unwritten=''
max_briefs=20
list
((${#instances[@]} + ${#refused[@]})) || { log "no instances in $INSTANCES"; exit 2; }

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

{ printf %s "$reasons" >solve.log || unwritten=yes; } 2>/dev/null
solve
solved=$?
worsen "$solved"
[ "$REPLAN" = no ] || solved=$code
if ((solved > 125 && solved != 130 && ${#instances[@]} > 1)) && [ -z "$stopped" ]; then
	died=yes
	solve_rest
fi
judge_all
late 2>/dev/null
warn 2>/dev/null
if [ -n "$stopped" ]; then worsen 130; fi
[ -z "$unwritten" ] || worsen 1
text=$(report | wrapped)
printf '%s\n' "$text"
printf '%s\n' "$text" >report.txt || worsen 1
if [ -n "$(below results)" ]; then
	publish || worsen 1
else
	log "no results: the night is not kept"
	((code)) || code=1
fi
notify
[ -n "$(below results)" ] || rm -rf "$tmp"
exit "$code"
