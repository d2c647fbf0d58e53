"""Compares `mrsched check` with deploy/verify on valid and on corrupted results; deterministic by --seed.

Two verdicts agree if both accept, or both reject with the same set of codes. The set rather than the first code: the
order of violations within a step is free, and a set also finds rules that only one of the two applies. The exit code
is 1 if two verdicts differ, or if the whole campaign (without --quick, --cases, --problems) tried less than LEAST or
could not compare more than a thousandth of the rejected results.
"""
import argparse
import json
import multiprocessing
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter

sys.dont_write_bytecode = True
sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from check import algorithms, verdict                           # noqa: E402
from corruptions import change, corrupt, edit, read_files, rehash, write_files     # noqa: E402
from inputs import MAKE, rich                                   # noqa: E402
from values import Wrong                                   # noqa: E402
from workload import Workload                                   # noqa: E402

LEAST = {'valid': 5000, 'corrupt': 10000, 'code': 50}
CODES = ['K%d' % k for k in range(601, 639)]
ON_BOUND = {'K612', 'K613', 'K614', 'K615', 'K618', 'K619'}


class Case:
    """One instance with one set of flags, in a directory of its own."""

    def __init__(self, args, number, problem, name, flags, solve):
        self.args, self.problem, self.flags, self.count, self.lines = args, problem, flags, Counter(), []
        self.rnd, self.dir = random.Random('%d %s %s' % (args.seed, name, solve)), os.path.join(args.work, str(number))
        self.label, self.instance = '%s [%s]' % (name, solve), self.path('i.json')
        few = [] if '--iterations' in solve else ['--iterations', '15']
        self.basic = ['-p', problem, '-q', *few, *solve.split()]

    def path(self, *names):
        """A file of the case."""
        return os.path.join(self.dir, *names)

    def mrsched(self, *args):
        """Output of mrsched."""
        try:
            p = subprocess.run([self.args.mrsched, *args], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               timeout=300)
            return p.stdout.decode(errors='replace')
        except subprocess.TimeoutExpired:
            return ''

    def save(self, doc, name):
        """Writes a workload, which becomes the instance."""
        self.instance = self.path(name)
        with open(self.instance, 'w', encoding='utf-8') as f:
            f.write(doc if isinstance(doc, str) else json.dumps(doc, ensure_ascii=False))

    def run(self):
        """Makes the results, checks them, and corrupts copies."""
        os.makedirs(self.dir)
        if self.flags is None:
            self.save(rich(self.rnd, self.problem), 'i.json')
        else:
            self.instance = self.path(self.rnd.choice(['i.json'] * 6 + ['i.json.gz', 'i']))
            self.mrsched('generate', self.problem, '-q', '-o', self.instance, *self.flags.split())
        self.mrsched('solve', self.instance, '-a', 'all', '-o', self.path('r'), *self.basic)
        if self.problem in ('msjo', 'cluster'):
            self.plan_again()
        for one in (['q.json', 'q.json.gz'] if self.rnd.random() < .3 else []):
            self.mrsched('solve', self.instance, '-o', self.path(one), *self.basic)
            if os.path.exists(self.path(one)):
                self.compare([one], '')
        self.corrupted('r')
        shutil.rmtree(self.dir, ignore_errors=True)
        return self.count, self.lines

    def plan_again(self):
        """Plans results again, perhaps for a changed instance."""
        names = [n for n in sorted(os.listdir(self.path('r')) if os.path.isdir(self.path('r')) else [])
                 if os.path.exists(self.path('r', n, 'schedule.csv'))]
        for k in range(3 * bool(names)):
            keep, out, old = self.instance, self.path('r', 'again%d' % k), self.path('r', self.rnd.choice(names))
            if k == 2 and self.flags is None:
                with open(self.instance, encoding='utf-8') as f:
                    doc = json.load(f)
                edit = self.rnd.choice([{'processing_time': 5.5}, {'release': 7}, {'id': 'new'}])
                if 'id' in edit and {'fixed', 'demands', 'eligible', 'delays'} & set(doc):
                    continue
                self.rnd.choice(doc['tasks']).update(edit)
                self.save(doc, 'changed.json')
                out = self.path('c', 'again')
            self.mrsched('solve', self.instance, '-a', 'best', '--from', old, '-o', out, '--freeze-until',
                         str(self.rnd.choice([0, 3, 8.5, 40, 300])), '--change-penalty', self.rnd.choice(['0', '.5']),
                         '--change-tolerance', self.rnd.choice(['0', '1']), *self.basic)
            if keep != self.instance:
                self.corrupted('c')
            self.instance = keep

    def ours(self, path):
        """Codes of this checker, and its text; None where it reads nothing."""
        begin = time.process_time()
        try:
            rep = verdict(self.instance, path)
        except (Wrong, OSError) as e:
            return None, str(e), []
        except Exception:
            return {'crash'}, traceback.format_exc(), []
        self.count['time', min(9, int(time.process_time() - begin))] += 1
        return set(rep.count), '\n'.join('%s %s' % x for x in rep.found), rep.notes

    def compare(self, names, folder, what=None):
        """Compares both on results; `what` says how each was corrupted. Returns those on which they agree."""
        theirs, same = {}, []
        for line in self.mrsched('check', '--json', self.instance, self.path(folder, *names[:not folder])).splitlines():
            x = json.loads(line)
            theirs[os.path.basename(x['result'])] = {v['code'] for v in x.get('violations', [])}, line
        for n in names:
            (a, line), (b, text, notes) = theirs.get(n, (None, '')), self.ours(self.path(folder, n))
            kind, how = 'corrupt' if what else 'valid', what[n] if what else 'valid'
            if a is None and (b is None or how == 'other workload'):    # it is not valid
                self.count['unreadable'] += 1
                continue
            # A claim that both prove in different ways, with what follows from the bound; or the bound of bytes.
            loose = what and a and (notes and {'K618', 'K619'} & (a ^ b) and a ^ b <= ON_BOUND
                                    or a - b == {'K615'} and b <= a and 'run.cross_rack_' in line)
            self.count['not comparable' if loose else kind] += 1
            if a == b and (what or not b):
                same.append(n)
                self.count['valid', self.problem, n.rstrip('0123456789')] += not what
                self.count['rejected' if b else 'accepted'] += bool(what)
                self.count.update(('code', c) for c in b)
            elif not loose:
                self.count['disagree'] += 1
                self.lines.append('%s %s %s %s: mrsched %s, ours %s' % (self.problem, n, self.label, how, *(
                    'nothing' if x is None else sorted(x) for x in (a, b))))
                self.lines += ['    ' + x[:3000] for x in (line + '\n' + text).splitlines()] * self.args.verbose
                keep = os.path.join(self.args.work, 'disagree', '%s-%s' % (os.path.basename(self.dir), n))
                copy = shutil.copytree if os.path.isdir(self.path(folder, n)) else shutil.copy
                copy(self.path(folder, n), keep)
                (shutil.copytree if os.path.isdir(self.instance) else shutil.copy)(self.instance, keep + '-instance')
        return same

    def corrupted(self, out):
        """Compares the verdicts on all results of a folder, then on corrupted copies, and beside another workload."""
        names = [n for n in sorted(os.listdir(self.path(out)) if os.path.isdir(self.path(out)) else [])
                 if os.path.exists(self.path(out, n, 'result.json'))]
        names, what, keep = self.compare(names, out) if names else [], {}, self.instance
        more = {'realtime': 1, 'cluster': 4 * (self.flags is None)}.get(self.problem, 0)
        for k, n in enumerate(names * (self.args.corruptions + more)):
            files, n = read_files(self.path(out, n)), '%s.%d' % (n, k)
            what[n] = corrupt(self.rnd, files)
            write_files(self.path(out + 'x', n), files)
        if what:
            self.compare(sorted(what), out + 'x', what)
        if not what or not keep.endswith('.json'):
            return
        with open(keep, 'rb') as f:
            text = f.read()
        self.save(change(self.rnd, text, text.find(b'"jobs"')).decode(), 'other.json')
        try:
            digest, what = Workload(self.instance).digest(), {}
            for k, n in enumerate(self.rnd.sample(names, min(len(names), 4))):
                files, n = read_files(self.path(out, n)), '%s.%d' % (n, k)
                if k:
                    edit(files, r'(?<="sha256": ")[0-9a-f]{64}', digest)
                rehash(files)
                what[n] = 'other workload'
                write_files(self.path(out + 'w', n), files)
            self.compare(sorted(what), out + 'w', what)
        except Wrong:
            self.count['unreadable'] += 1
        self.instance = keep


def run_case(case):
    """One case, in a process of its own."""
    try:
        return case.run()
    except Exception:
        return Counter(disagree=1), [case.label + ': ' + traceback.format_exc()]


def cases(args):
    """All cases, or a sample, in a random order."""
    out = []
    for p in args.problems.split(','):
        made = [('rich #%d' % (s + 1), None) for s in range(MAKE[p][0])]
        for n, flags in (x.split(' ', 1) for x in MAKE[p][1]):
            made += [('%s #%d' % (flags, s + 1), '%s --seed %d' % (flags, s + 1 + 1000 * (args.seed - 1)) if int(n) > 1
                      else flags) for s in range(int(n))]
        out += [(p, *x, v) for x in made for v in MAKE[p][2]]
    random.Random(args.seed).shuffle(out)
    if args.quick:
        out = [c for p in args.problems.split(',') for c in [c for c in out if c[0] == p][:2]]
    return [Case(args, i, *c) for i, c in enumerate(out[:args.cases])]


def lacking(count):
    """What a whole campaign must try and did not."""
    out = ['too few %s results: %d, not %d' % (k, count[k], LEAST[k]) for k in LEAST if k != 'code' and
           count[k] < LEAST[k]]
    out += ['too few corrupted results for %s: %d, not %d' % (c, count['code', c], LEAST['code']) for c in CODES
            if count['code', c] < LEAST['code']]
    if count['not comparable'] > count['rejected'] / 1000:
        out.append('not comparable: %d results, more than one for a thousand of the %d that both reject' % (
            count['not comparable'], count['rejected']))
    return out + ['no valid result of %s %s' % (p, a) for p in MAKE for a in algorithms(p) if not count['valid', p, a]]


def show(count, seconds):
    """Prints the tables."""
    print('valid results that both accept')
    for key in sorted(k for k in count if k[0] == 'valid' and k != 'valid'):
        print('  %-12s %-16s %6d' % (key[1], key[2], count[key]))
    print('corrupted results that both reject, by code')
    for key in sorted(k for k in count if k[0] == 'code'):
        print('  %s %6d' % (key[1], count[key]))
    print('CPU seconds of a check: ' + ', '.join('%d–%d: %d' % (k[1], k[1] + 1, count[k]) for k in sorted(
        k for k in count if k[0] == 'time')))
    print(', '.join('%s %d' % (k, count[k]) for k in 'valid corrupt rejected accepted unreadable'.split() + [
        'not comparable', 'disagree']), '%d s' % seconds)


def arguments():
    """The flags."""
    p = argparse.ArgumentParser(prog='campaign', description=__doc__.splitlines()[0])
    p.add_argument('--mrsched', default='mrsched', metavar='PATH')
    p.add_argument('--work', help='a new directory for disagreements (default: a temporary one)')
    p.add_argument('--jobs', type=int, default=os.cpu_count(), help='processes')
    p.add_argument('--seed', type=int, default=1)
    p.add_argument('--corruptions', type=int, default=3, help='corrupted copies of each result')
    p.add_argument('--problems', default=','.join(MAKE))
    p.add_argument('--cases', type=int, help='at most so many instances with flags')
    p.add_argument('--quick', action='store_true', help='two instances of each problem')
    p.add_argument('--verbose', action='store_true', help='print the violations where the verdicts differ')
    return p.parse_args()


def main():
    """Runs the campaign and prints its tables; the exit code is 1 if it failed."""
    args, begin, count = arguments(), time.time(), Counter()
    args.mrsched, keep = shutil.which(args.mrsched), args.work
    if not args.mrsched:
        print('no program mrsched: please name it with --mrsched', file=sys.stderr)
        return 2
    args.mrsched, args.work = os.path.abspath(args.mrsched), args.work or tempfile.mkdtemp(prefix='verify-')
    os.makedirs(os.path.join(args.work, 'disagree'))
    sys.setrecursionlimit(100000)
    with multiprocessing.get_context('fork').Pool(args.jobs) as pool:
        for c, lines in pool.imap(run_case, cases(args)):
            count += c
            for x in lines:
                print(x, flush=True)
    show(count, time.time() - begin)
    lacks = [] if args.quick or args.cases or args.problems != ','.join(MAKE) else lacking(count)
    for x in lacks:
        print(x)
    if count['disagree']:
        print('the results on which they disagree are in ' + os.path.join(args.work, 'disagree'))
    elif not keep:
        shutil.rmtree(args.work)
    return 1 if count['disagree'] or lacks or not count['valid'] * count['rejected'] else 0


if __name__ == '__main__':
    sys.exit(main())
