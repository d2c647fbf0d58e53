"""Checks a result of mrsched against its instance: python3 deploy/verify INSTANCE RESULT."""
import sys

sys.dont_write_bytecode = True

from check import verdict            # noqa: E402
from values import Wrong             # noqa: E402

def main(argv):
    """Prints the verdict; the exit code is 0 (accepted), 1 (rejected) or 2 (no verdict)."""
    if len(argv) != 3:
        print('usage: python3 deploy/verify INSTANCE RESULT', file=sys.stderr)
        return 2
    sys.setrecursionlimit(100000)
    try:
        report = verdict(argv[1], argv[2])
    except (Wrong, OSError) as e:
        print('no verdict: %s' % e, file=sys.stderr)
        return 2
    for line in ['note: ' + n for n in report.notes] + ['%s %s' % x for x in report.found]:
        print(line)
    if not report.found:
        print('ok: ' + report.line)
    return 1 if report.found else 0

if __name__ == '__main__':
    sys.exit(main(sys.argv))
