#!/bin/bash
# Submits a sweep as an array job and the merge that follows it; prints the two job ids.

set -euo pipefail
usage() {
	cat <<-'END'
		usage: submit.sh SPEC DIR SHARDS[%RUNNING] [SBATCH OPTION ...]

		SPEC     what to run, as mrsched sweep reads it
		DIR      where rows, sweep.csv and summary.csv go: a file system that all nodes share
		SHARDS   how many array tasks; 16%4 lets 4 of 16 run at a time
		OPTION   --partition, --account, --time, --mem, --cpus-per-task, … of both jobs

		MRSCHED names the program if it is not in the PATH. To go on after a failure, submit the same again, with the same
		SHARDS: finished runs are kept.
	END
}
case ${1-} in -h | --help) usage; exit 0 ;; esac
(($# >= 3)) || { usage >&2; exit 2; }
spec=$1 dir=$2 shards=$3
shift 3
[[ $shards =~ ^[1-9][0-9]*(%[1-9][0-9]*)?$ ]] || { usage >&2; exit 2; }
[ -r "$spec" ] || { echo "submit.sh: cannot read $spec" >&2; exit 2; }
for option; do
	case $option in
	--array* | -a* | --dependency* | -d*) echo "submit.sh: $option is set here; SHARDS says how many tasks" >&2; exit 2 ;;
	esac
done
program=$(command -v "${MRSCHED:-mrsched}") || { echo "submit.sh: no ${MRSCHED:-mrsched}; set MRSCHED" >&2; exit 2; }

# Jobs start in a folder of their node: all paths are absolute.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
MRSCHED=$(realpath -- "$program")
export MRSCHED
spec=$(realpath -- "$spec")
dir=$(realpath -m -- "$dir")
mkdir -p "$dir.logs"

array=$(sbatch --parsable "$@" --array="1-$shards" --output="$dir.logs/shard-%a.log" "$here/sweep.sbatch" "$spec" "$dir")
array=${array%%;*} # ID;CLUSTER where there are several
echo "array $array"
# Without --kill-on-invalid-dep the merge would wait forever for a shard that failed.
merge=$(sbatch --parsable "$@" --job-name=mrsched-merge --dependency="afterok:$array" --kill-on-invalid-dep=yes \
	--output="$dir.logs/merge.log" --wrap="$(printf 'exec %q sweep merge %q' "$MRSCHED" "$dir")")
echo "merge ${merge%%;*}"
