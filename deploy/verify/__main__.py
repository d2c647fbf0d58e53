"""Checks results of mrsched against their instance: python3 deploy/verify INSTANCE RESULT."""
import os
import sys

sys.dont_write_bytecode = True

from check import verdict            # noqa: E402

USAGE = """usage: python3 deploy/verify INSTANCE RESULT
Checks a result of mrsched, or those in a directory, against their instance. The exit code is 0 (all accepted), 1 (one
rejected) or 2 (no verdict on one)."""

def results(path):
    """The results at a path: those of a directory of results, or the one there."""
    names = sorted(os.listdir(path)) if os.path.isdir(path) else []
    some = [os.path.join(path, n) for n in names if os.path.isfile(os.path.join(path, n, 'result.json'))]
    return some if some and 'result.json' not in names else [path]

def check(instance, path, label):
    """Prints the verdict on a result; returns its exit code."""
    try:
        report = verdict(instance, path)
    except Exception as e:
        print('%sno verdict: %s: %s' % (label, type(e).__name__, e), file=sys.stderr)
        return 2
    for line in ['note: ' + n for n in report.notes] + (['%s %s' % x for x in report.found] or ['ok: ' + report.line]):
        print(label + line)
    return 1 if report.found else 0

def main(argv):
    """Prints the verdicts; the exit code is 0 (all accepted), 1 (one rejected) or 2 (no verdict on one)."""
    if '-h' in argv or '--help' in argv:
        print(USAGE)
        return 0
    if len(argv) != 3:
        print(USAGE.splitlines()[0], file=sys.stderr)
        return 2
    sys.setrecursionlimit(100000)
    paths = results(argv[2])
    return max(check(argv[1], path, path + ': ' if len(paths) > 1 else '') for path in paths)

if __name__ == '__main__': sys.exit(main(sys.argv))
