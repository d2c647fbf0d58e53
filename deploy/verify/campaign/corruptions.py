"""Corrupts the files of a result, for the campaign."""
import base64
import gzip
import os
import re

from result import TABLE
from values import Wrong, parse_json, sha, write_json

# Changes of result.json: regular expression and replacement.
EDITS = {
    'status': [(r'"status": "\w+"', '"status": "%s"' % s) for s in 'optimal feasible limit bound infeasible'.split()],
    'unused': [(r'("inputs": \{[^}]*\},\s*)?"parameters"', new + '"parameters"') for new in [''] + [
        '"inputs": {"unused": ["%s"]}, ' % c for c in ('tasks.weight', 'machines', 'jobs.tenant')]],
    'other': [(r'"iterations": \d+', '"iterations": 0'), (r'"iterations": \d+,?\s*', ''),
              (r'"iterations": \d+', '"iterations": "15"'), (r'"iterations"', '"job": "nobody", "iterations"'),
              (r'"seed": 1', '"seed": true'), (r'"seed": 1', '"seed": 1, "more": 2'), (r'"format": "', '"format": "x'),
              (r'"algorithm": "', '"algorithm": "x'), (r'"goal": "\w+"', '"goal": "x"'),
              (r'"objective": "\w+"', '"objective": "cost"'), (r'"objective": "\w+",?', ''),
              (r'"max-running-jobs": \d+', '"max-running-jobs": 0'), (r'"change_tolerance": [\d.]+,', ''),
              (r'"iterations"', '"freeze_until": 3, "iterations"'), (r'"epsilon": [\d.]+', '"epsilon": 1'),
              (r'"epsilon": [\d.]+', '"epsilon": "x"'), (r'"iterations"', '"foo": 1e-99999, "iterations"'),
              (r'"sha256": \{', '"sha256": {"tables": {}, '),
              (r'"cross_rack_bytes_bound": [\d.]+,?\s*', ''), (r'"sketch-delta": [\d.]+', '"sketch-delta": -0')],
    'limit': [(r'("(?:machines|max-running-jobs|deadline-factor|partitions|sketch-seed|measure-\w+|change_\w+|'
               r'freeze_until)": )[\d.]+', r'\g<1>' + x) for x in ('100000001', '4611686018427.387903', '4611686018428',
                                                                  '9223372036854.775808', '1000000000000000001')] + [
            (r'"iterations"', '"time_limit": %s, "iterations"' % x) for x in (
                '4611686018427.387903', '4611686018427.387904')],
    'run': [(r'"satisfiable": true', '"satisfiable": false'), (r'"x1": true', '"x1": false'),
            (r'"x2": false', '"x2": true'), (r'"nodes": \d+', '"nodes": 0'), (r'"nodes": (\d+)', r'"nodes": "\1"')]}


def read_files(folder):
    """The files of a result by name."""
    out = {}
    for n in sorted(os.listdir(folder)):
        with open(os.path.join(folder, n), 'rb') as f:
            out[n] = f.read()
    return out


def write_files(folder, files):
    """Writes the files of a result."""
    os.makedirs(folder)
    for n, data in files.items():
        with open(os.path.join(folder, n), 'wb') as f:
            f.write(data)


def edit(files, old, new):
    """Replaces the first match in result.json."""
    files['result.json'] = re.sub(old.encode(), new.encode(), files['result.json'], count=1)


def change(rnd, data, begin=0, end=None):
    """Changes one number of a text, outside of quotes."""
    spans = [m for m in re.finditer(rb'"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?', data) if m[0][:1] != b'"'
             and m.start() >= begin and (end is None or m.end() <= end)]
    if not spans:
        return data
    m = rnd.choice(spans)
    x = m[0].decode()
    d = len(x.partition('.')[2])
    v = int(x.replace('.', ''))
    v = rnd.choice([v + x for x in (1, -1, 7, -10 ** d, 10 ** d, 10 ** (d + 1), rnd.randint(0, 10 ** d))] + [0, 2 * v])
    text = '%s%0*d' % ('-' * (v < 0), d + 1, abs(v))
    text = (text[:-d] + '.' + text[-d:]).rstrip('0').rstrip('.') if d else text
    return data[:m.start()] + text.encode() + data[m.end():]


def corrupt(rnd, files):
    """Changes one thing in the files of a result; says what."""
    tables = [n for n in files if n.endswith('.csv') and n != 'schedule.csv']
    kinds = 'number number text status other limit file digest unused'.split() + ['schedule'] * 16 * ('schedule.csv' in files)
    kinds += ['run'] * 4 * (b'"nodes"' in files['result.json'])
    kind = rnd.choice(kinds + ['certificate'] * 6 * ('certificate.json' in files) + ['table'] * 2 * bool(tables))
    data = files['result.json']
    tail = data.index(b'"parameters"')
    if kind in EDITS:
        old, new = rnd.choice(EDITS[kind])
        edit(files, old, new)
        kind += ' ' + new
    elif kind == 'number':
        files['result.json'] = change(rnd, data, 0, tail)
    elif kind == 'text':
        words = [m for m in re.finditer(rb'": "([^"]*)"', data[:tail])
                 if b'algorithm' not in data[m.start() - 9:m.start()]]
        m = rnd.choice(words)
        new = rnd.choice([b'', m[1] + b'x', m[1][:-1], rnd.choice(words)[1], b'\\u00e9', b'a\\u002fb'])
        files['result.json'] = data[:m.start(1)] + new + data[m.end(1):]
    elif kind == 'digest':
        m = rnd.choice(list(re.finditer(rb'[0-9a-f]{64}', data)))
        files['result.json'] = data[:m.start()] + b'0123456789abcdef' * 4 + data[m.end():]
    elif kind == 'file' and rnd.random() < .5 and len(files) > 1:
        del files[rnd.choice([n for n in files if n != 'result.json'])]
    elif kind == 'file':
        files[rnd.choice(['more.csv', 'More.csv', 'x.txt', 'jobs.csv', 'replan.csv'])] = b'a,b\n1,2\n'
    elif kind == 'table':
        name = rnd.choice(tables)
        rows, i = files[name].splitlines(keepends=True), rnd.randrange(1, max(2, files[name].count(b'\n')))
        files[name] = rnd.choice([change(rnd, files[name], len(rows[0])), b''.join(rnd.choice(
            [rows[:i] + rows[i + 1:], rows + rows[i:i + 1], rows[:1] + rows[:0:-1]]))])
    elif kind == 'certificate':
        files['certificate.json'] = change_certificate(rnd, files['certificate.json'])
    else:
        kind += ' ' + change_schedule(rnd, files)
    if rnd.random() < .9 and kind != 'digest':
        rehash(files)
    return kind


def change_certificate(rnd, data):
    """Changes a number, a comma, the value or the log of the certificate."""
    way, log = rnd.random(), re.search(rb'(?<="log":")[^"]*', data)
    if log and way < .7: return data[:log.start()] + change_log(rnd, log[0]) + data[log.end():]
    m = rnd.choice(list(re.finditer(rb',', data))) if way < .9 else re.search(rb'(?<="value":")[^"]*', data)
    new = [b',0,', b', ', b',"a":1,'] if way < .9 else [m[0] + b'0', b'0', m[0] + b'/2', m[0].split(b'/')[0]]
    other = change(rnd, data) if way < .8 else data[:m.start()] + rnd.choice(new) + data[m.end():]
    nodes = rb'"nodes":\d+'                # another checker may prove a claim by a search of its own, with other nodes
    return other if re.findall(nodes, other) == re.findall(nodes, data) else data


def change_log(rnd, packed):
    """Changes a byte or two of the log of a search."""
    log = bytearray(gzip.decompress(base64.b64decode(packed)))
    for _ in range(rnd.randint(1, 2)):
        i, way = rnd.randrange(len(log)), rnd.randrange(4)
        log[i:i + (way != 3)] = [[], [log[i] ^ 1 << rnd.randrange(8)], [(log[i] + rnd.choice((1, -1, 5, -5))) % 256],
                                 [rnd.randrange(8)]][way]
    return base64.b64encode(gzip.compress(log, mtime=0))

def change_schedule(rnd, files):
    """Changes rows of the schedule; says how."""
    rows = files['schedule.csv'].decode().splitlines()
    ways = 'end twice swap machine shift shift zero move exchange split kind same drop nowhere cell task set'.split()
    ways += 'set set set split split machine spread spread spread'.split() * (b'"goal"' in files['result.json'])
    ways += 'first first away away away machine machine'.split() * (b'"late_jobs"' in files['result.json'])
    way, i, j = rnd.choice(ways), rnd.randrange(1, max(2, len(rows))), rnd.randrange(1, max(2, len(rows)))
    i = 1 if way == 'first' else i
    if len(rows) < 2 or '"' in rows[i] + rows[j]:
        return 'nothing'
    f, g = rows[i].split(','), rows[j].split(',')
    start, end = (round(float(x) * 10 ** 6) for x in f[4:6])
    x = rnd.choice([1, -1, 10 ** 6, -10 ** 6, rnd.randint(-10 ** 7, 10 ** 7)])
    x = {'zero': -start, 'away': 7 * 10 ** 6 - start}.get(way, x)
    start, end, rest = {'end': (start, end + x, 0), 'split': (start, (start + end) // 2, end)}.get(
        way, (start + x, end + x, 0))
    times = [('%s%d.%06d' % ('-' * (v < 0), abs(v) // 10 ** 6, abs(v) % 10 ** 6)).rstrip('0').rstrip('.')
             for v in (start, end, rest)]
    if way in ('end', 'shift', 'zero', 'split', 'away', 'first'):
        f[4:6] = times[:2]
        f[3] = max(r.split(',')[3] for r in rows[1:]) if way == 'away' else f[3]
    elif way in ('machine', 'nowhere'):
        f[3] = g[3] if way == 'machine' else rnd.choice(['nowhere', f[3] + '1', ''])
    elif way in ('cell', 'task', 'kind'):
        k = {'cell': rnd.randrange(len(f)), 'task': 0, 'kind': 2}[way]
        f[k] = g[k] if way == 'cell' else rnd.choice([g[0], f[0] + 'x']) if k == 0 else (
            'reduce' if f[2] == 'map' else 'map')
    elif way in ('move', 'exchange', 'same'):
        a, b = {'move': (3, 6), 'exchange': (4, 6), 'same': (4, 5)}[way]
        f[a:b], g[a:b] = g[a:b], f[a:b] if way != 'same' else g[a:b]
    elif way == 'spread':
        some = sorted({r.split(',')[3] for r in rows[1:] if r.split(',')[2] == 'reduce'}) or [f[3]]
        rows[1:] = [','.join(r[:3] + [some[k % len(some)] if r[1:3] == [f[1], 'reduce'] else r[3]] + r[4:])
                    for k, r in enumerate(r.split(',') for r in rows[1:])]
        f, g = rows[i].split(','), rows[j].split(',')
    elif way == 'set':
        f[0] = re.sub(r'/(h\d\.)?p', '/h%d.p' % rnd.randint(1, 3), f[0])
    rows[i], rows[j] = ','.join(f), rows[j] if i == j else ','.join(g)
    if way == 'drop':
        del rows[i]
    elif way in ('twice', 'split'):
        rows.insert(i + 1, rows[i] if way == 'twice' else ','.join(f[:4] + times[1:] + f[6:]))
    elif way == 'swap':
        rows[i], rows[j] = rows[j], rows[i]
    files['schedule.csv'] = ('\n'.join(rows) + '\n').encode()
    return way


def rehash(files):
    """Computes all digests again."""
    try:
        doc = parse_json(files['result.json'])
    except Wrong:
        return
    doc['sha256'] = {n: sha(files[n]) for n in ('schedule.csv', 'certificate.json') if n in files}
    tables = {n: sha(files[n]) for n in sorted(files) if re.fullmatch(TABLE, n) and n != 'schedule.csv'}
    doc['sha256'].update({'tables': tables} if tables else {})
    doc.pop('digest', None)
    doc['digest'] = sha(write_json(doc, 0) + '\n')
    files['result.json'] = (write_json(doc, 0) + '\n').encode()
