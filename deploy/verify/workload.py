"""Reads workloads, restricts them to jobs, and computes their digest."""
import os
import re

from values import (Num, Unreadable, clock, clock_text, decimal, double_text, duration, load_bytes, micro, parse_json,
                    quote, read_csv, rounded, sha, since, size, unprotect, us)

# Per column its kind, and which problems always use it: msjo, hta, p = reduceplace, realtime, t = multitenant, cluster.
COLUMNS = {t: {c.split(':')[0]: c.split(':')[1:] for c in v.split()} for t, v in {
    'jobs': 'id:text:mhprtc release:point:mptc weight:millionth:mc deadline:due:c tenant:text:tc class:text: '
            'reduces:count:prt intermediate_bytes:bytes: map_work:time:p shuffle_ratio:double: partitions:count: '
            'task_overhead:time: map_bytes_per_s:rate: reduce_bytes_per_s:rate: recorded_completion:point:',
    'topology': 'id:text:mhprtc parent:text:htc kind:text:hprtc map_slots:count:htc reduce_slots:count:rtc '
                'speed:double:rtc bandwidth_bytes_per_s:rate:tc cpu:double:c memory_bytes:bytes:c',
    'slots': 'id:text:mhprtc node:text:p cost:millionth:',
    'tasks': 'id:text:mhprtc job:text:mhprtc kind:text:mhprtc processing_time:time:mtc shuffle_delay:time:c '
             'weight:millionth:m release:point:mtc block:text:hc input_bytes:bytes:c output_bytes:bytes:t '
             'cpu:double:c memory_bytes:bytes:c recorded_node:text: recorded_start:point:',
    'delays': 'from:text:mc to:text:mc delay:time:mc',
    'placements': 'block:text:htc node:text:htc',
    'partitions': 'job:text:r map:text: partition:text:r bytes:bytes:r',
    'keys': 'job:text:r map:text: key:text:r bytes:bytes:r',
    'times': 'job:text:rc task:text:rc worker:text:rc seconds:time:rc',
    'history': 'class:text: worker:text: kind:text: bytes:bytes: cpu:double: memory_bytes:bytes: seconds:time:',
    'capacities': 'node:text:c resource:text:c amount:millionth:c',
    'demands': 'task:text:c resource:text:c amount:millionth:c',
    'dependencies': 'job:text:c after:text:c delay:time:c',
    'eligible': 'job:text:c task:text:c place:text:c',
    'unavailable': 'node:text:c from:point:c until:point:c',
    'fixed': 'task:text:c node:text:c start:point:c'}.items()}
DEFAULTS = {('jobs', 'release'): 0, ('jobs', 'weight'): 10 ** 6, ('unavailable', 'from'): 0,
            ('topology', 'map_slots'): 0, ('topology', 'reduce_slots'): 0, ('tasks', 'shuffle_delay'): 0,
            ('dependencies', 'delay'): 0}
WRITTEN = {('jobs', 'release'), ('jobs', 'weight'), ('unavailable', 'from')}

def whole(x, limit):
    """A rational that must be an integer in 0 … limit."""
    if x.denominator != 1 or not 0 <= x <= limit:
        raise Unreadable('not a whole number in range: %s' % x)
    return int(x)

def seconds(v, plain):
    return micro(v) if plain else rounded(duration(v) * 10 ** 6)

def value(v, kind, origin, row, from_csv):
    """A cell by its kind; times in microseconds, weights in millionths."""
    if not isinstance(v, str) or kind == 'text' and isinstance(v, Num):
        raise Unreadable('a value of the wrong type: %r' % (v,))
    if kind == 'text':
        return v
    plain = isinstance(v, Num) or from_csv and re.fullmatch(r'[+-]?[0-9.]+([eE][+-]?\d+)?', v)
    if kind in ('point', 'due') and not plain and ':' in v:
        release = row.get('release', 0) if kind == 'due' else 0
        return rounded(since(origin, v, decimal(us(release))) * 10 ** 6) - release
    if kind in ('point', 'due', 'time'):
        return seconds(v, plain)
    if kind == 'bytes':
        return whole(decimal(v) if plain else size(v), 2 ** 63 - 1)
    if kind == 'rate' and not plain:
        x = size(v)
        return x.numerator / x.denominator
    if kind == 'millionth':
        return micro(v)
    return whole(decimal(v), 2 ** 31 - 1) if kind == 'count' else float(decimal(v) and v)

class Workload:
    """Scalars and tables; a table is a list of dictionaries without absent values."""

    def __init__(self, path):
        from_csv, doc = os.path.isdir(path), {}
        if from_csv:
            for n in sorted(os.listdir(path)):
                t, data = re.sub(r'\.gz$', '', n), os.path.join(path, n)
                if t == 'workload.json':
                    doc.update(parse_json(load_bytes(data)))
                elif t[:-4] in COLUMNS and t.endswith('.csv'):
                    t, (head, *rows) = t[:-4], read_csv(load_bytes(data))
                    texts = [COLUMNS[t].get(c, [''])[0] == 'text' for c in head]
                    doc[t] = [{c: unprotect(v) if s else v for c, s, v in zip(head, texts, r) if v} for r in rows]
        else:
            doc = parse_json(load_bytes(path))
        if not isinstance(doc, dict) or 'jobs' not in doc or not from_csv and doc.get('format') != 'mrsched-workload/1':
            raise Unreadable('not a workload')
        doc = {k: v for k, v in doc.items() if v is not None and k not in ('$schema', 'format')}
        self.origin = clock(doc.pop('origin')) if 'origin' in doc else None
        self.notes, self.tables = list(doc.pop('notes', [])), {}
        for t in COLUMNS:
            self.tables[t] = [self.row(t, r, from_csv) for r in doc.pop(t, [])]
        self.scalars = {k: whole(decimal(v), 2 ** 31 - 1) if isinstance(v, Num) else v for k, v in doc.items()}
        if set(doc) - {'name', 'problem', 'machines', 'cost', 'max_running_jobs'}:
            raise Unreadable('unknown key in the workload')
        if 'cost' in doc:
            self.scalars['cost'] = self.cost(doc['cost'])
        self.settle()

    def row(self, table, r, from_csv):
        if set(r) - set(COLUMNS[table]):
            raise Unreadable('unknown column in ' + table)
        out = {}
        for c, (kind, _) in COLUMNS[table].items():
            if r.get(c) is not None:
                out[c] = value(r[c], kind, self.origin, out, from_csv)
            elif (table, c) in DEFAULTS:
                out[c] = DEFAULTS[table, c]
        return out

    @staticmethod
    def cost(c):
        """The scalar cost: local, perhaps rack, and remote as a number, a list, or (base, per remote)."""
        out = {k: seconds(c[k], isinstance(c[k], Num)) for k in ('local', 'rack') if c.get(k) is not None}
        r, sec = c['remote'], lambda v: seconds(v, isinstance(v, Num))
        if isinstance(r, dict):
            per = sec(r.get('per_remote') or Num('0'))
            out['remote'] = (sec(r['base']), per) if per else sec(r['base'])
        else:
            out['remote'] = list(map(sec, r)) if isinstance(r, list) else sec(r)
        return out

    def settle(self):
        """Drops placements that no task reads and finds the nodes."""
        blocks = {t.get('block') for t in self.tables['tasks']}
        self.tables['placements'] = [p for p in self.tables['placements'] if p['block'] in blocks]
        self.nodes = [t for t in self.tables['topology'] if t['kind'] == 'node']
        if not self.tables['topology']:
            self.nodes = [{'id': n} for n in dict.fromkeys(p['node'] for p in self.tables['placements'])]

    def above(self, row):
        rows, out = {t['id']: t for t in self.tables['topology']}, [row]
        while out[-1].get('parent') in rows:
            out.append(rows[out[-1]['parent']])
        return out

    def slots(self, kind):
        """The slots of all nodes, of one kind or both ('map_slots', …): (name, node), named after their nodes."""
        for n in self.nodes:
            k = sum(n.get(s, 0) for s in kind)
            yield from ((n['id'] if k == 1 else '%s/%d' % (n['id'], i + 1), n['id']) for i in range(k))

    def restrict(self, ids):
        """Keeps the jobs of the parameter `job`."""
        keep, total, t = set(ids), len(self.tables['jobs']), self.tables
        tasks = {r['id'] for r in t['tasks'] if r['job'] in keep}
        by_job, by_task = (lambda r: r['job'] in keep), (lambda r: r['task'] in tasks)
        tests = {'jobs': lambda r: r['id'] in keep, 'dependencies': lambda r: r['job'] in keep and r['after'] in keep,
                 'delays': lambda r: r['from'] in tasks, 'demands': by_task, 'fixed': by_task,
                 'eligible': lambda r: r.get('job') in keep or r.get('task') in tasks, 'tasks': by_job,
                 'partitions': by_job, 'keys': by_job, 'times': by_job}
        t.update({name: list(filter(test, t[name])) for name, test in tests.items()})
        self.notes.append('restricted to %d of %d jobs' % (len(keep), total))
        self.settle()

    def digest(self):
        s, out = dict(self.scalars), ['"format":"mrsched-workload/1"']
        if self.origin:
            s['origin'] = clock_text(self.origin)
        for k in ('name', 'problem', 'origin', 'machines', 'cost', 'max_running_jobs'):
            if k in s:
                v = self.cost_text() if k == 'cost' else s[k] if isinstance(s[k], int) else quote(s[k])
                out.append('"%s":%s' % (k, v))
        if self.notes:
            out.append('"notes":[\n' + ',\n'.join(map(quote, self.notes)) + '\n]')
        for t in COLUMNS:
            if self.tables[t] or t == 'jobs':
                out.append('"%s":[\n%s\n]' % (t, ',\n'.join(self.row_text(t, r) for r in self.tables[t])))
        return sha('{' + ',\n'.join(out) + '}\n')

    def cost_text(self):
        c, r = self.scalars['cost'], self.scalars['cost']['remote']
        last = '{"base":%s,"per_remote":%s}' % (us(r[0]), us(r[1])) if isinstance(r, tuple) else (
            '[' + ','.join(map(us, r)) + ']' if isinstance(r, list) else us(r))
        rack = '"rack":%s,' % us(c['rack']) if 'rack' in c else ''
        return '{"local":%s,%s"remote":%s}' % (us(c['local']), rack, last)

    @staticmethod
    def row_text(table, r):
        show = {'text': quote, 'double': double_text, 'rate': double_text, 'bytes': str, 'count': str}
        return '{' + ','.join('"%s":%s' % (c, show.get(kind, us)(r[c])) for c, (kind, _) in COLUMNS[table].items()
                              if c in r and ((table, c) in WRITTEN or DEFAULTS.get((table, c)) != r[c])) + '}'

    def unused(self, letter, more):
        """The columns and scalars that have values and that a run ignores (K631); `more` are used, too."""
        out = [s for s in ('machines', 'cost', 'max_running_jobs') if s in self.scalars and s not in more]
        for t, columns in COLUMNS.items():
            root = {r['id'] for r in self.tables['topology'] if r['kind'] == 'root'}
            for c, (_, problems) in columns.items():
                if letter not in problems and '%s.%s' % (t, c) not in more and c != 'id':
                    default = root if c == 'parent' else {DEFAULTS.get((t, c))}
                    if any(c in r and r[c] not in default for r in self.tables[t]):
                        out.append('%s.%s' % (t, c))
        return out
