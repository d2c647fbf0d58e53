"""What all problems share: tasks and machines by name, runs, ends of jobs, tables; graphs of steps and arcs."""
import json
import re
from collections import namedtuple
from fractions import Fraction
from itertools import accumulate, count

from values import INF, Row, group, need, text, us
from workload import COLUMNS

Run = namedtuple('Run', 'task machine start end at job kind name')      # a row whose task and machine exist
# Forms of parameters: counts, of which 0 is absent, doubles, and exact decimals as in results.
COUNT, DOUBLE = r'n[1-9]\d{0,18}', r'n(-0|(0|[1-9]\d*)(\.\d*[1-9])?(e-[1-9]\d{0,2})?)'
DECIMAL = r'n(0|[1-9]\d{0,12})(\.\d{0,5}[1-9])?'
FORMATS = {'t': us, 'n': str, 's': str, 'f': text, 'o': lambda x: text(x, 12)}

def table(head, rows):
    """A table as text: behind each column stands the format of its cells; None and infinity are empty."""
    names, formats = zip(*(c.split(':') for c in head.split()))
    return [list(names)] + [['' if x in (None, INF) else FORMATS[f](x) for f, x in zip(formats, r)] for r in rows]

def shown(**formats):
    """Metrics as JSON text, by format; None is left out."""
    return {k: json.dumps(v) if f == 's' else FORMATS[f](v) for f, some in formats.items() for k, v in some.items()
            if v is not None}

def mean(total, n):
    """A mean of microseconds in seconds, if there is one."""
    return Fraction(total, n * 10 ** 6) if n else None

def least_that(test, low, high=None):
    """The least integer from `low` on, perhaps up to `high`, that passes a test which is monotone."""
    step, top = 1, low if high is None else high
    while high is None and not test(top):
        low, top, step = top + 1, top + step, 2 * step
    while low < top:
        mid = (low + top) // 2
        low, top = (low, mid) if test(mid) else (mid + 1, top)
    return low

class Counted:
    """The machines m1, m2, …, which may be many."""

    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def get(self, name):
        """The number of a machine, or None."""
        return int(name[1:]) - 1 if re.fullmatch(r'm[1-9]\d{0,7}', name, re.A) and int(name[1:]) <= self.n else None

class Model:
    """A problem, with times in microseconds.

    Each problem has `rules`, which adds violations; `objective`, with name and value; `metrics`; `cells`, the own
    columns of a run; `proven`, what a certificate proves; and perhaps those of which Model says that there is nothing:
    `uses`, the columns used besides those always used; `guarantee`: factor, additive, source and preconditions;
    `rounding`: the unit of bounds, which are at least `least`; `derived_tables`; `facts` of the run that follow from
    the schedule. For plans it has `length_on`, what a task takes on a machine, and `runs_at`, why a row of an earlier
    plan cannot stand there (empty if it can).
    """

    own, options, method, goal, penalty, least, less, placed, groups, cut = '', {}, '', None, 0, -INF, 0, {}, (), ()

    def __init__(self, work, algorithm, params, result):
        self.work, self.algorithm, self.params, self.result = work, algorithm, params, result
        self.tables, self.notes, self.used = work.tables, [], set()
        self.jobs, self.tasks = work.tables.jobs, work.tables.tasks
        self.job_index = {j.id: i for i, j in enumerate(self.jobs)}
        self.names, self.job_of, self.kind_of = [], [], []

    def nothing(self, *_):
        """Nothing."""

    uses = guarantee = rounding = derived_tables = facts = nothing

    def add_task(self, name, job, kind):
        for some, x in ((self.names, name), (self.job_of, job), (self.kind_of, kind)): some.append(x)
        return len(self.names) - 1

    def listed(self, kind):
        """The rows of `tasks` of a kind by job."""
        rows = group((t.job, t) for t in self.tasks if t.kind == kind)
        rows = [rows.get(j.id, []) for j in self.jobs]
        need(kind == 'map' or all(j.get('reduces', len(r)) == len(r) or not r for j, r in zip(self.jobs, rows)),
             'a job states two numbers of reduces')
        return rows

    def list_tasks(self):
        """The rows of `tasks` are the tasks of the instance; `members` lists those of each job."""
        for t in self.tasks: self.add_task(t.id, self.job_index[t.job], t.kind)
        rows = group((j, u) for u, j in enumerate(self.job_of))
        self.members = [rows.get(j, []) for j in range(len(self.jobs))]

    def ready(self, machines):
        """Sets the machines, once the tasks are there."""
        self.index = {n: i for i, n in enumerate(self.names)}
        self.machines = machines if isinstance(machines, Counted) else {n: i for i, n in enumerate(machines)}

    def workers_of(self):
        """Sets workers, their speeds and their slots (worker, kind); the names of the slots (realtime, multitenant)."""
        self.workers = [n for n in self.work.nodes if n.map_slots or n.reduce_slots] if self.tables.topology else [
            Row(id='m%d' % (i + 1), map_slots=1, reduce_slots=1) for i in range(self.work.scalars.machines)]
        self.speed = [n.get('speed', 1.0) for n in self.workers]
        every = [(i, kind, n.id if n.map_slots + n.reduce_slots == 1 else '%s/%s%d' % (n.id, kind[0], x + 1))
                 for i, n in enumerate(self.workers) for kind in ('map', 'reduce') for x in range(n[kind + '_slots'])]
        self.slots = [(i, kind) for i, kind, _ in every]
        return [name for _, _, name in every]

    def once(self, rows, rep, tasks=None):
        """K601 and K602 of all or some tasks; the first run of each task, by task."""
        first = {}
        for r in rows: rep.when(first.setdefault(r.task, r) is not r, 'K602', 'another row of ' + r.name)
        for t in tasks or range(len(self.names)): rep.when(t not in first, 'K601', 'no row of ' + self.names[t])
        return dict(sorted(first.items()))

    def kinds_fit(self, rows, rep):
        """K623: tasks are on slots of their kind."""
        for r in rows: rep.when(r.kind != self.slots[r.machine][1], 'K623', r.name + ': wrong slot')

    def overlaps(self, rows, rep):
        """K607: runs on a machine do not overlap."""
        last = {}
        for r in sorted(rows, key=lambda r: (r.machine, r.start, r.end, r.task, r.at)):
            rep.when(r.start < last.get(r.machine, -INF), 'K607', r.name + ' overlaps another task')
            last[r.machine] = max(r.end, last.get(r.machine, -INF))

    def room(self, rows, code, need, have, rep):
        """At every moment tasks need together at most what is there; one without length must fit alone."""
        events = [e for r in rows if r.end > r.start for e in ((r.start, need(r)), (r.end, -need(r)))]
        together = accumulate((x for _, x in sorted(events)), initial=0)
        rep.when(max([*together, *map(need, rows)]) > have, code, 'tasks need too much together')

    def ends(self, rows, floor=None):
        """C_j, at least 0 or what `floor` says."""
        last = group(((r.job, r.end) for r in rows), max)
        return [max(x, last.get(j, x)) for j, x in enumerate(floor or [0] * len(self.jobs))]

    def first_starts(self, rows):
        """The least start of the runs of each job, or None."""
        first = group(((r.job, r.start) for r in rows), min)
        return [first.get(j) for j in range(len(self.jobs))]

    def makespan(self, rows, name='makespan'):
        return name, Fraction(max([r.end for r in rows], default=0), 10 ** 6)

    def use(self, *cases):
        """Columns such as tasks.weight are used, in each case if something holds or some of these rows state them."""
        for name, when in ((name, when) for columns, when in cases for name in columns.split()):
            t, _, c = name.partition('.')
            stated = [r for r in when if r.get(c) not in (None, COLUMNS[t][c][2])] if isinstance(when, list) else when
            self.used.update([name] if stated else [])

    def sizes(self):
        """The numbers of tasks and of other things that certificates list."""
        return {'tasks': len(self.names), 'jobs': len(self.jobs)}

class Graph:
    """Steps are tasks and then barriers; `out` and `into` list arcs (step, delay), `job` the job of each step."""

    def __init__(self, m, dependencies=(), fixed=()):
        self.n, index, delays, steps = len(m.names), m.index, m.tables.delays, count(len(m.names))
        kinds, ends = set(zip(m.job_of, m.kind_of)), [(index[d['from']], index[d.to]) for d in delays]
        listed = {m.job_of[a] for a, b in ends if m.job_of[a] == m.job_of[b]}
        self.barrier, self.opening, self.closing = ({j: next(steps) for j in jobs} for jobs in (
            [j for j in range(len(m.jobs)) if j not in listed and {(j, 'map'), (j, 'reduce')} <= kinds],
            sorted({b for _, b, _ in dependencies}), sorted({a for a, _, _ in dependencies})))
        self.job = [*m.job_of, *self.barrier, *self.opening, *self.closing]
        arcs = [(u, self.barrier[j], t.shuffle_delay) if t.kind == 'map' else (self.barrier[j], u, 0)
                for u, (j, t) in enumerate(zip(m.job_of, m.tasks)) if j in self.barrier]
        arcs += [(index[d['from']], index[d.to], d.delay) for d in delays]
        arcs += [(self.opening[j], u, 0) for u, j in enumerate(m.job_of) if j in self.opening]
        arcs += [(u, self.closing[j], 0) for u, j in enumerate(m.job_of) if j in self.closing]
        arcs += [(self.closing[a], self.opening[b], d) for a, b, d in dependencies]
        self.arcs = sorted((a for a in arcs if a[1] not in fixed), key=lambda a: a[0])
        self.steps, out = len(self.job), group((a, (b, d)) for a, b, d in self.arcs)
        into = group((b, (a, d)) for a, b, d in self.arcs)
        self.out, self.into = ([some.get(s, []) for s in range(self.steps)] for some in (out, into))
        degree = list(map(len, self.into))
        self.order = [s for s in range(self.steps) if not degree[s]]
        for b in (b for s in self.order for b, _ in self.out[s]):
            degree[b] -= 1
            self.order += [b] * (not degree[b])
        steps = group((self.job[s], s) for s in self.order)
        need(len(steps) == len(m.jobs), 'a job without tasks')
        self.members = [steps[j] for j in range(len(m.jobs))]

    def walk(self, value, steps=None, turned=False):
        """Visits steps in their order, or backwards along reversed arcs; returns what `value` gives for each.

        It sees the step and the largest sum of the value of a step before it and a delay; None if there is none.
        """
        out, into = {}, self.out if turned else self.into
        for s in (self.order if steps is None else steps)[::-1 if turned else 1]:
            came = [out[a] + d for a, d in into[s] if out.get(a) is not None]
            out[s] = value(s, max(came, default=None))
        return out

    def waits(self, first, names, rep, floor):
        """K606 along all arcs, and perhaps a floor; barriers end with the last step before them, at 0 at least."""
        def end(s, came):
            if s >= self.n: return None if came is None else max(came, 0)
            if s in first:
                late = first[s].start < max([x for x in (came, floor) if x is not None], default=-INF)
                rep.when(late, 'K606', names[s] + ' waits for others')
                return first[s].end
        self.walk(end)
