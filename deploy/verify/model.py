"""What all problems share: tasks and machines by name, rows, ends of jobs; graphs of steps and arcs."""
import re
from fractions import Fraction

from values import group, text, us

ZERO = {'tasks.shuffle_delay', 'topology.map_slots'}

class Counted:
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def get(self, name):
        return int(name[1:]) - 1 if re.fullmatch(r'm[1-9]\d{0,7}', name, re.A) and int(name[1:]) <= self.n else None

class Model:
    """A problem, with times in microseconds.

    Each problem has `rules`, which adds violations; `objective` with name, value as a rational, and text; `metrics` as
    JSON text; `uses`, the columns of a run besides those always used; and for plans `length_on`, what a task takes on a
    machine, and `runs_at`, why a row of an earlier plan cannot stand there (empty if it can).
    """

    own, options, algorithms, letter, method, goal, penalty = [], {}, '', '', '', None, 0
    placed, plan = {}, None

    def __init__(self, work, algorithm, params, result):
        self.work, self.algorithm, self.params, self.result = work, algorithm, params, result
        self.tables, self.notes = work.tables, []
        self.jobs, self.tasks = work.tables['jobs'], work.tables['tasks']
        self.job_index = {j['id']: i for i, j in enumerate(self.jobs)}
        self.names, self.job_of, self.kind_of = [], [], []

    def add_task(self, name, job, kind):
        self.names.append(name)
        self.job_of.append(job)
        self.kind_of.append(kind)
        return len(self.names) - 1

    def listed(self):
        """The rows of `tasks` of each job by kind, as (number, row)."""
        out = [{'map': [], 'reduce': []} for _ in self.jobs]
        for i, t in enumerate(self.tasks):
            out[self.job_index[t['job']]][t['kind']].append((i, t))
        return out

    def list_tasks(self):
        """The rows of `tasks` are the tasks of the instance."""
        for t in self.tasks:
            self.add_task(t['id'], self.job_index[t['job']], t['kind'])

    def ready(self, machines):
        """Sets the machines, once the tasks are there."""
        self.index, self.machines = {n: i for i, n in enumerate(self.names)}, machines
        if not isinstance(machines, Counted):
            self.machines = {n: i for i, n in enumerate(machines)}

    def once(self, rows, rep, tasks=None):
        """K601 and K602 of all or some tasks; the first row of each task, by task."""
        first = {}
        for r in rows:
            rep.when(first.setdefault(r.task, r) is not r, 'K602', 'another row of ' + self.names[r.task])
        for t in range(len(self.names)) if tasks is None else tasks:
            rep.when(t not in first, 'K601', 'no row of ' + self.names[t])
        return dict(sorted(first.items()))

    def overlaps(self, rows, rep):
        """K607: rows of a machine do not overlap."""
        last = {}
        for r in sorted(rows, key=lambda r: (r.machine, r.start, r.end, r.task, r.at)):
            q = last.get(r.machine, r)
            if r.start < q.end and r is not q:
                rep.add('K607', '%s overlaps %s' % (self.names[r.task], self.names[q.task]))
            last[r.machine] = r if r.end >= q.end else q

    def room(self, rows, code, need, have, rep, what):
        """At every moment tasks need together at most what is there; one without length must fit alone."""
        events = [e for r in rows if r.end > r.start for e in ((r.start, need(r)), (r.end, -need(r)))]
        used, over = 0, any(need(r) > have for r in rows)
        for _, d in sorted(events):
            used += d
            over = over or used > have
        rep.when(over, code, what)

    def ends(self, rows, floor=None):
        """C_j, at least 0 or what `floor` says."""
        last = group(((self.job_of[r.task], r.end) for r in rows), max)
        return [max(x, last.get(j, x)) for j, x in enumerate(floor or [0] * len(self.jobs))]

    def first_starts(self, rows):
        """The least start of the rows of each job, as text; empty without rows."""
        first = group(((self.job_of[r.task], r.start) for r in rows), min)
        return [us(first[j]) if j in first else '' for j in range(len(self.jobs))]

    def holders(self, index):
        """Of each block the nodes that hold it, by the numbers that an index gives to their names."""
        return group((p['block'], index[p['node']]) for p in self.tables['placements'] if p['node'] in index)

    def makespan(self, rows, name='makespan'):
        v = max([r.end for r in rows], default=0)
        return name, Fraction(v, 10 ** 6), us(v)

    def used(self, columns, rows):
        """Of columns such as tasks.weight those that some of the rows state, other than by the default."""
        return {c for c in columns.split() if any(r.get(c.split('.')[1]) not in (None, 0 if c in ZERO else None)
                                                  for r in rows)}

    @staticmethod
    def columns(*cases):
        """The columns, such as tasks.weight, of the cases (condition, columns) that hold."""
        return {c for condition, columns in cases if condition for c in columns.split()}

    def kinds(self):
        """The kinds of certificates, perhaps by goal: their methods and the forms of their keys."""
        return self.known.get(self.goal, self.known)

    def proven(self, cert):
        """What a certificate proves, before its value is compared and rounded up."""
        return self.proofs.value(self, cert)

    def round_up(self, value):
        """Rounds a bound up to what an optimum can cost."""
        return value

    def guarantee(self):
        """Factor, additive, source and preconditions, if the algorithm has a guarantee."""

    def derived_tables(self, rows):
        """The tables beside the schedule, each a list of rows with the header first."""
        return {}

    def cells(self, row):
        """The own columns of a row."""
        return []

    def facts(self, rows, run, rep):
        """Facts of the run that follow from the schedule."""

def up_to_unit(value, unit):
    """The least multiple of the unit that is not below a value."""
    return -(-value // unit) * unit if unit else value

def mean(total, n):
    """A mean of microseconds, rounded down."""
    return text(Fraction(total, n * 10 ** 6))

def least_that(test, low, high=None):
    """The least integer from `low` on, perhaps up to `high`, that passes a test which is monotone."""
    step = 1
    while high is None and not test(low + step - 1):
        step *= 2
    low, high = (low + step // 2 if step > 1 else low, low + step - 1) if high is None else (low, high)
    while low < high:
        mid = (low + high) // 2
        low, high = (low, mid) if test(mid) else (mid + 1, high)
    return low

class Graph:
    """Steps are tasks and then barriers; `out` and `into` list arcs (step, delay), `job` the job of each step."""

    def __init__(self, m):
        self.n, self.job, self.barrier = len(m.names), list(m.job_of), {}
        listed = {m.job_of[m.index[d['from']]] for d in m.tables['delays']}
        kinds = set(zip(m.job_of, m.kind_of))
        for j in range(len(m.jobs)):
            if j not in listed and {(j, 'map'), (j, 'reduce')} <= kinds:
                self.barrier[j] = len(self.job)
                self.job.append(j)
        self.out = [[] for _ in self.job]
        for i, t in enumerate(m.tasks):
            b = self.barrier.get(m.job_of[i])
            if b is not None and t['kind'] == 'map':
                self.out[i].append((b, t['shuffle_delay']))
            elif b is not None:
                self.out[b].append((i, 0))
        for d in m.tables['delays']:
            self.out[m.index[d['from']]].append((m.index[d['to']], d['delay']))

    def add(self, job):
        """A further barrier of a job."""
        self.job.append(job)
        self.out.append([])
        return len(self.job) - 1

    def finish(self, no_arcs_into=()):
        """Computes `into`, the arcs and the topological order."""
        self.steps = len(self.job)
        self.out = [[a for a in o if a[0] not in no_arcs_into] for o in self.out]
        self.arcs = [(a, b, d) for a, o in enumerate(self.out) for b, d in o]
        self.into = [[] for _ in self.job]
        for a, b, d in self.arcs:
            self.into[b].append((a, d))
        degree = [len(i) for i in self.into]
        self.order = [s for s in range(self.steps) if not degree[s]]
        for s in self.order:
            for b, _ in self.out[s]:
                degree[b] -= 1
                if not degree[b]:
                    self.order.append(b)

    def tails(self, length, same_job, keep):
        """Longest paths from ends: at steps of `keep` at least 0, else −1 without an arc to a step that has one."""
        tail = [-1] * self.steps
        for a in reversed(self.order):
            tail[a] = max([0 if a in keep else -1] + [d + length[b] + tail[b] for b, d in self.out[a] if tail[b] >= 0
                                                      and not (same_job and self.job[a] != self.job[b])])
        return tail

    def waits(self, first, names, rep, floor):
        """K606 along all arcs, and perhaps a floor; barriers end with the last step before them, at 0 at least."""
        end = {}
        for s in self.order:
            ready = [end[a] + d for a, d in self.into[s] if a in end]
            if s >= self.n and ready:
                end[s] = max(ready + [0])
            elif s in first:
                end[s] = first[s].end
                if first[s].start < max(ready + floor, default=first[s].start):
                    rep.add('K606', '%s waits until %s' % (names[s], us(max(ready + floor))))

def workers_of(m):
    """Sets the workers and the slots as (worker, kind), and whatever else realtime and multitenant share of them."""
    m.workers = [n for n in m.work.nodes if n['map_slots'] + n['reduce_slots'] > 0]
    if not m.tables['topology']:
        m.workers = [{'id': 'm%d' % (i + 1), 'map_slots': 1, 'reduce_slots': 1}
                     for i in range(m.work.scalars['machines'])]
    m.slots, names, m.speed = [], [], [n.get('speed', 1.0) for n in m.workers]
    for i, n in enumerate(m.workers):
        alone = n['map_slots'] + n['reduce_slots'] == 1
        for kind in ('map', 'reduce'):
            k = n[kind + '_slots']
            m.slots += [(i, kind)] * k
            names += [n['id'] if alone else '%s/%s%d' % (n['id'], kind[0], x + 1) for x in range(k)]
    return names
