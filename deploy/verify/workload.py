"""Reads workloads and computes their digest."""
import json
import os
import re
from fractions import Fraction
from functools import partial

from values import (Num, Row, clock, clock_text, decimal, double_text, duration, each, load_bytes, micro, need,
                    parse_json, read_csv, rounded, sha, since, size, unprotect, us, write_json)

# Per column its kind, which problems always use it (m = msjo, h = hta, p = reduceplace, r = realtime, t = multitenant,
# c = cluster), and perhaps its default; with ! a default is written.
TABLES = {
    'jobs': 'id:text:mhprtc release:point:mptc:0! weight:millionth:mc:1000000! deadline:due:c tenant:text:tc '
        'class:text reduces:count:prt intermediate_bytes:bytes map_work:time:p shuffle_ratio:double partitions:count '
        'task_overhead:time map_bytes_per_s:rate reduce_bytes_per_s:rate recorded_completion:point',
    'topology': 'id:text:mhprtc parent:text:htc kind:text:hprtc map_slots:count:htc:0 reduce_slots:count:rtc:0 '
        'speed:double:rtc bandwidth_bytes_per_s:rate:tc cpu:double:c memory_bytes:bytes:c',
    'slots': 'id:text:mhprtc node:text:p cost:millionth',
    'tasks': 'id:text:mhprtc job:text:mhprtc kind:text:mhprtc:map! processing_time:time:mtc shuffle_delay:time:c:0 '
        'weight:millionth:m release:point:mtc block:text:hc input_bytes:bytes:c output_bytes:bytes:t cpu:double:c '
        'memory_bytes:bytes:c recorded_node:text recorded_start:point',
    'delays': 'from:text:mc to:text:mc delay:time:mc:0!', 'placements': 'block:text:htc node:text:htc',
    'partitions': 'job:text:r map:text partition:text:r bytes:bytes:r',
    'keys': 'job:text:r map:text key:text:r bytes:bytes:r',
    'times': 'job:text:rc task:text:rc worker:text:rc seconds:time:rc',
    'history': 'class:text worker:text kind:text bytes:bytes cpu:double memory_bytes:bytes seconds:time',
    'capacities': 'node:text:c resource:text:c amount:millionth:c',
    'demands': 'task:text:c resource:text:c amount:millionth:c',
    'dependencies': 'job:text:c after:text:c delay:time:c:0', 'eligible': 'job:text:c task:text:c place:text:c',
    'unavailable': 'node:text:c from:point:c:0! until:point:c', 'fixed': 'task:text:c node:text:c start:point:c',
    'state': 'task:text:c node:text:c start:point:c end:point:c remaining:time:c',
    'runs': 'task:text run:text start:point end:point duration:time state:text::success! try:count::1!'}
SCALARS = 'name problem origin machines cost now grace max_running_jobs'.split()

def column(spec):
    """Kind, problems, default and whether a default is written, of a column."""
    kind, problems, default = (spec + '::').split(':')[1:4]
    plain = default.strip('!')
    return kind, problems, int(plain) if plain.isdigit() else plain or None, '!' in default

COLUMNS = {t: {spec.split(':')[0]: column(spec) for spec in specs.split()} for t, specs in TABLES.items()}

def whole(x, limit):
    """A rational that must be an integer in 0 … limit."""
    need(x.denominator == 1 and 0 <= x <= limit, 'not a whole number in range: %s' % x)
    return int(x)

def seconds(v, plain=None):
    return micro(v) if (isinstance(v, Num) if plain is None else plain) else rounded(duration(v) * 10 ** 6)

READ = {                                    # from the text of a cell, and whether it is a plain number
    'text': lambda v, _: v, 'time': seconds, 'point': seconds, 'due': seconds, 'millionth': lambda v, _: micro(v),
    'bytes': lambda v, plain: whole(decimal(v) if plain else size(v), 2 ** 63 - 1),
    'count': lambda v, _: whole(decimal(v), 2 ** 31 - 1), 'double': lambda v, _: float(decimal(v) and v),
    'rate': lambda v, plain: float(decimal(v) and v) if plain else size(v).numerator / size(v).denominator}

def value(v, kind, origin, row, from_csv):
    """A cell by its kind; times in microseconds, weights in millionths."""
    need(isinstance(v, str) and not (kind == 'text' and isinstance(v, Num)), 'a value of the wrong type')
    plain = isinstance(v, Num) or from_csv and re.fullmatch(r'[+-]?[0-9.]+([eE][+-]?\d+)?', v)
    if kind in ('point', 'due') and not plain and ':' in v:
        release = row.get('release', 0) if kind == 'due' else 0
        return rounded(since(origin, v, Fraction(release, 10 ** 6)) * 10 ** 6) - release
    return READ[kind](v, plain)

class Workload:
    """Scalars and tables; a table is a list of rows without absent values."""

    def __init__(self, path):
        from_csv, doc = os.path.isdir(path), {}
        for n in sorted(os.listdir(path)) if from_csv else []:
            name, file = re.sub(r'\.gz$', '', n), os.path.join(path, n)
            if name == 'workload.json':
                doc.update(parse_json(load_bytes(file)))
            elif name.endswith('.csv') and name[:-4] in COLUMNS:
                columns, (head, *rows) = COLUMNS[name[:-4]], read_csv(load_bytes(file), False)
                texts = [columns.get(c, ['text'])[0] == 'text' for c in head]
                doc[name[:-4]] = [{c: unprotect(v) if s else v for c, s, v in zip(head, texts, r) if v} for r in rows]
        doc = doc if from_csv else parse_json(load_bytes(path))
        need(isinstance(doc, dict) and 'jobs' in doc and (from_csv or doc.get('format') == 'mrsched-workload/1'),
             'not a workload')
        doc = {k: v for k, v in doc.items() if v is not None and k not in ('$schema', 'format')}
        self.origin = clock(doc.pop('origin')) if 'origin' in doc else None
        self.notes = list(doc.pop('notes', []))
        self.tables = Row((t, [self.row(t, r, from_csv) for r in doc.pop(t, [])]) for t in COLUMNS)
        need(set(doc) <= set(SCALARS), 'unknown key in the workload')
        self.scalars = Row({k: each(v, seconds) if k == 'cost' else value(v, 'point', self.origin, {}, from_csv)
                            if k in ('now', 'grace') else whole(decimal(v), 2 ** 31 - 1) if isinstance(v, Num)
                            else v for k, v in doc.items()})
        cost = self.scalars.cost
        if cost and isinstance(cost.remote, dict) and not cost.remote.per_remote: cost.update(remote=cost.remote.base)
        self.settle()

    def row(self, table, r, from_csv):
        need(set(r) <= set(COLUMNS[table]), 'unknown column in ' + table)
        out = Row()
        for c, (kind, _, default, _) in COLUMNS[table].items():
            v = default if r.get(c) is None else value(r[c], kind, self.origin, out, from_csv)
            out.update({} if v is None else {c: v})
        return out

    def settle(self):
        """Drops placements that no task reads and finds the nodes."""
        blocks = {t.block for t in self.tables.tasks}
        self.tables.update(placements=[p for p in self.tables.placements if p.block in blocks])
        self.nodes = [t for t in self.tables.topology if t.kind == 'node'] if self.tables.topology else [
            Row(id=n) for n in dict.fromkeys(p.node for p in self.tables.placements)]

    def above(self, row):
        rows, out = {t.id: t for t in self.tables.topology}, [row]
        while out[-1].parent in rows: out.append(rows[out[-1].parent])
        return out

    def slots(self, *kinds):
        """The slots of all nodes, of one kind or both ('map_slots', …): (name, node), named after their nodes."""
        for n in self.nodes:
            k = sum(n[s] or 0 for s in kinds if s in n)
            yield from ((n.id if k == 1 else '%s/%d' % (n.id, i + 1), n.id) for i in range(k))

    def digest(self):
        """The digest of the canonical document."""
        quote = partial(json.dumps, ensure_ascii=False)
        show = {'text': quote, 'double': double_text, 'rate': double_text, 'bytes': str, 'count': str}

        def row(table, r):
            return '{' + ','.join('"%s":%s' % (c, show.get(kind, us)(r[c])) for c, (kind, _, default, written)
                                  in COLUMNS[table].items() if c in r and (written or r[c] != default)) + '}'
        s = {k: us(x) if k in ('now', 'grace') else write_json(each(x, lambda x: Num(us(x)))) if k == 'cost' else quote(x) for k, x in self.scalars.items()}
        s.update({'origin': quote(clock_text(*self.origin))} if self.origin else {})
        out = ['"format":"mrsched-workload/1"'] + ['"%s":%s' % (k, s[k]) for k in SCALARS if k in s]
        lists = {'notes': [quote(x) for x in self.notes], **{t: [row(t, r) for r in self.tables[t]] for t in COLUMNS}}
        out += ['"%s":[\n%s\n]' % (t, ',\n'.join(rows)) for t, rows in lists.items() if rows or t == 'jobs']
        return sha('{' + ',\n'.join(out) + '}\n')

    def unused(self, letter, more):
        """The columns and scalars that have values and that a run ignores (K631); `more` are used, too."""
        out = [s for s in ('machines', 'cost', 'max_running_jobs') if s in self.scalars and s not in more]
        root = {r.id for r in self.tables.topology if r.kind == 'root'}
        return out + ['%s.%s' % (t, c) for t, columns in COLUMNS.items() for c, (_, by, default, _) in columns.items()
                      if letter not in by and c != 'id' and '%s.%s' % (t, c) not in more and any(
                          c in r and r[c] not in (root if c == 'parent' else {default}) for r in self.tables[t])]
