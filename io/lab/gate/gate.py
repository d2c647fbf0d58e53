#!/usr/bin/env python3
"""Compares this tree with an earlier one, so that a change of the design costs no quality. See `make gate`.

It builds both, solves the same instances with old and new in turn, and prints a table of benchmark sets (by time), of
generated instances (by iterations) and of commands at a million tasks. It ends with 1 if something is worse than the
limits below, after it has repeated a bad set with twice the sample. Means are geometric; 0 against 0 counts as equal.
"""

import argparse
import csv
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import time

WORSE, WORSE_MIXES = 1.003, 1.007  # of schedules and bounds, in the mean of a set
LOST = 2                           # proofs, in a set
SLOWER, LARGER = 1.25, 1.1         # at a million tasks; a quarter more time is within the noise of one run
SECONDS = {'stg': 2, 'stg-open': 30, 'wfinstances': 10, 'wfinstances-nodes': 20, 'mixes': 30, 'pcmax': 10,
           'rcmax-fanjul': 60, 'rwct': 30, 'psplib': 5}
GENERATED = [  # problem, its generator's flags, iterations, settings
    ('msjo', '--jobs 40', 2000, ''), ('msjo', '--jobs 40', 2000, '--objective twtct'),
    ('cluster', '--tasks 300 --nodes 10', 1000, '')] + [
    ('cluster', '--tasks 300 --nodes 10', 1000, '--objective ' + o) for o in ('tardiness', 'late', 'makespan')] + [
    ('hta', '--tasks 500 --servers 40', 500, ''), ('reduceplace', '--jobs 200', 500, ''),
    ('realtime', '', 500, ''), ('realtime', '', 50, '--goal partitions'), ('multitenant', '--nodes 20', 20, '')]
LARGE = [  # problem, its generator's flags, algorithm
    ('msjo', '--jobs 10000000 --machines 10000 --tasks 1000000', 'fifo'),
    ('cluster', '--tasks 1000000 --nodes 1000', 'fifo'), ('hta', '--tasks 1000000 --servers 10000', 'flow')]


def run(command, **more):
    """Runs a command; its seconds and its peak memory in KiB."""
    began = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **more)
    said = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        sys.exit('%s: %s' % (' '.join(command), said))
    return time.monotonic() - began, usage.ru_maxrss


def value(number):
    return None if number in (None, '') else float(number)


def mean(pairs):
    """The geometric mean of new over old."""
    ratios = [math.log(new / old) for old, new in pairs if old and new]
    return math.exp(sum(ratios) / len(ratios)) if ratios else 1.0


def outcomes(text):
    """Schedule and bound by instance of a scoreboard's rows; older scoreboards write CSV."""
    if text[:1] != '{':
        return {r['instance']: (value(r['cost']), value(r['bound'])) for r in csv.DictReader(text.splitlines())}
    rows = [json.loads(line) for line in text.splitlines()]
    return {r['instance']['name']: tuple(value((r.get(k) or {}).get('value')) for k in ('objective', 'lower_bound'))
            for r in rows}


class Gate:
    def __init__(self, options):
        self.o, self.bad, self.table = options, [], []
        self.dir = os.path.abspath('results/gate')
        shutil.rmtree(self.dir, ignore_errors=True)
        os.makedirs(self.dir)
        old = os.path.join(self.dir, 'tree')
        subprocess.check_call(['git', 'worktree', 'prune'])
        subprocess.check_call(['git', 'worktree', 'add', '-q', '--force', '--detach', old, options.base])
        for name, tree in ('old', old), ('new', '.'):
            for program, package in ('mrsched', '.'), ('scoreboard', './io/lab/scoreboard'):
                subprocess.check_call(['go', 'build', '-o', self.path(program, name), package], cwd=tree)
        subprocess.check_call(['git', 'worktree', 'remove', '--force', old])

    def path(self, *parts):
        return os.path.join(self.dir, '-'.join(parts))

    def judge(self, name, rows, allowed):
        """Adds a line about a set: rows are cost and bound of old and new. Says whether all is well."""
        proofs = [sum(1 for r in rows if r[k][0] is not None and r[k][0] == r[k][1]) for k in (0, 1)]
        cost = mean([(a[0], b[0]) for a, b in rows])
        bound = mean([(a[1], b[1]) for a, b in rows])
        well = cost <= allowed and 1 / bound <= allowed and proofs[1] >= proofs[0] - LOST
        self.table.append('| %s | %d | %.4f | %.4f | %d → %d | %s |' % (name, len(rows), cost, bound, *proofs,
                                                                        'ok' if well else 'worse'))
        print(self.table[-1], flush=True)
        return well

    def benchmark(self, name, sample):
        found = []
        for which in ('old', 'new'):
            rows = self.path(name, str(sample), which + '.rows')
            run([self.path('scoreboard', which), '-only', name, '-sample', str(sample), '-rows', rows, '-o', rows + '.md',
                 '-scale', str(min(1, self.o.seconds / SECONDS[name])), self.o.bench])
            with open(rows, encoding='utf-8') as f:
                found.append(outcomes(f.read()))
        return [(found[0][k], found[1][k]) for k in found[0]]

    def benchmarks(self):
        for name in SECONDS:
            allowed = WORSE_MIXES if name == 'mixes' else WORSE
            if not self.judge(name, self.benchmark(name, self.o.sample), allowed):
                again = max(1, self.o.sample // 2)
                if not self.judge(name + ', again', self.benchmark(name, again), allowed):
                    self.bad.append(name)

    def generated(self):
        for problem, flags, iterations, settings in GENERATED:
            rows = []
            for seed in range(101, 106):
                instance = self.path('instance.json')
                run([self.path('mrsched', 'old'), 'generate', problem, *flags.split(), '--seed', str(seed), '--force',
                     '-o', instance])
                rows.append(tuple(self.solve(which, problem, instance, iterations, settings) for which in ('old', 'new')))
            if not self.judge((problem + ' ' + settings).strip(), rows, WORSE):
                self.bad.append(problem + ' ' + settings)

    def solve(self, which, problem, instance, iterations, settings):
        out = self.path('result', which)
        run([self.path('mrsched', which), 'solve', instance, '-p', problem, '--iterations', str(iterations), '--force',
             '-q', '-o', out, *settings.split()])
        with open(os.path.join(out, 'result.json'), encoding='utf-8') as f:
            result = json.load(f)
        return tuple(value((result.get(k) or {}).get('value')) for k in ('objective', 'lower_bound'))

    def large(self):
        for problem, flags, algorithm in LARGE:
            instance, out = self.path('instance'), self.path('large-')
            run([self.path('mrsched', 'old'), 'generate', problem, *flags.split(), '--force', '-o', instance])
            for command in (['solve', instance, '-p', problem, '-a', algorithm, '-q', '--force', '-o'],
                            ['check', instance]):
                runs = []
                while len(runs) in (0, 1, 2):  # one run, or the medians of three if it was bad
                    runs.append([run([self.path('mrsched', w), *command, out + w]) for w in ('old', 'new')])
                    old, new = ([statistics.median(r[w][k] for r in runs) for k in (0, 1)] for w in (0, 1))
                    well = new[0] / old[0] <= SLOWER and new[1] / old[1] <= LARGER
                    if well and len(runs) != 2:
                        break
                name = '%s of %s' % (command[0], problem)
                print('| %s | 1000000 tasks | %.1f → %.1f s | %d → %d MiB | | %s |' % (
                    name, old[0], new[0], old[1] / 1024, new[1] / 1024, 'ok' if well else 'worse'), flush=True)
                if not well:
                    self.bad.append(name)


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument('--bench', default='', help='the folder of the benchmark sets; empty: leave them out')
    p.add_argument('--base', default='HEAD', help='the commit to compare with')
    p.add_argument('--sample', type=int, default=8, help='every how many-th instance of a set')
    p.add_argument('--seconds', type=float, default=10, help='the longest time limit of an instance')
    p.add_argument('--only', default='benchmarks,generated,large', help='the parts to run')
    o = p.parse_args()
    gate = Gate(o)
    print('| set | instances | schedule, new / old | bound, new / old | proofs | |\n|---|--:|--:|--:|--:|---|')
    for part in o.only.split(','):
        if part != 'benchmarks' or o.bench:
            getattr(gate, part)()
    if gate.bad:
        sys.exit('worse than allowed: ' + ', '.join(gate.bad))


if __name__ == '__main__':
    main()
