"""Forms of JSON objects as data; reads results and certificates, with their forms and digests."""
import json
import os
import re
from contextlib import suppress
from pathlib import Path

from values import (Num, Row, compact, each, load_bytes, micro, need, parse_json, read_csv, sha, us, write_csv,
                    write_json)

def form(s):
    """Reads a form: {key:form …}, [form rules] or a word; behind a key, ! is `required`, ? `also if it is empty`.

    A word is a type, perhaps with < or <= and a limit of integers from 0 on, which is a power or the name of a number;
    a short is an integer of 32 bits.
    A list may have *NAME numbers of elements, and rise strictly: / or, by keys, /KEY or /KEY/KEY.
    """
    return json.loads(re.sub(r'[^][{},:]+', r'"\g<0>"', re.sub(r'\s+', ',', s.strip())))

RESULT = '''{format!:str problem!:str algorithm!:str status!:str objective:{name!:str value!:num}
    lower_bound:{value!:num method!:str verified!:bool} ratio?:num guarantee:{factor!:num additive!:num source!:str
    preconditions:str preconditions_met!:bool verdict!:str} metrics:map instance!:{name:str sha256!:str jobs!:int
    tasks!:int machines!:int origin:str} inputs:{unused!:[str]} parameters!:map seed!:int<2^64
    sha256!:{schedule.csv:str certificate.json:str tables:map} digest!:str%s}'''
ONE = ''' schedule:[{task!:str job!:str kind!:str machine!:str start!:time end!:time start_time:str end_time:str
    columns:cells}]
    tables:[{name!:str columns!:[str] rows!:[[str]]}] certificate:any'''
FORMS = {False: form(RESULT % ''), True: form(RESULT % ONE)}
HEAD = '{format!:str problem!:str method!:str kind:str value!:str %s}'
PROOF = form('{slots:[int] partitions:[int] cases:{partition!:int slot!:int on!:proof off!:proof}}')
CASES = {True: form('{job!:int<jobs at!:time<2^62 until!:case from!:case}'), False: form(
    '{cell!:time shift!:int steps!:[int] own:[{job!:short from!:time steps:[int]}]}')}
EMPTY = {'int': 0, 'short': 0, 'time': 0, 'str': '', 'bool': False}
COMMON = ['task', 'job', 'kind', 'machine', 'start', 'end']
CLOCKS = ['start_time', 'end_time']
TABLE = re.compile(r'[a-z][a-z0-9_]*\.csv')

def loose(s):
    """A form without the ranges of integers and the lengths and orders of lists."""
    return re.sub(r'<=?[\d^]+| [*/][a-z/]*', '', re.sub('int<[a-z]+', 'short', s))

def take(v, f, sizes=None):
    """A value by its form, with what may be left out, and its canonical tree; times become microseconds."""
    f = PROOF if f == 'proof' else CASES[isinstance(v, dict) and 'until' in v] if f == 'case' else f
    if isinstance(f, dict):
        need(isinstance(v, dict) and set(v) <= {k.strip('!?') for k in f}, 'no object, or an unknown key')
        got, tree = Row(), {}
        for name, inner in f.items():
            k, empty = name.strip('!?'), [] if isinstance(inner, list) else EMPTY.get(str(inner).split('<')[0])
            need(k in v or name[-1] != '!', 'no key ' + k)
            got[k], t = take(v[k], inner, sizes) if k in v else (None if name[-1] == '?' else empty, 0)
            tree.update({k: t} if k in v and (k != name or got[k] not in (0, '', [], {})) else {})
        return got, tree
    if isinstance(f, list):
        need(isinstance(v, list) or v is None and sizes, 'no list')
        got, tree = zip(*(take(x, f[0], sizes) for x in v)) if v else ((), ())
        for rule in f[1:]:
            at = [x if rule == '/' else [x[k] for k in rule[1:].split('/')] for x in got] if rule[0] == '/' else []
            need(len(got) == sizes[rule[1:]] if rule[0] == '*' else all(a < b for a, b in zip(at, at[1:])), 'a list')
        return list(got), v and list(tree)
    f, _, limit = f.partition('<')
    kind = {'str': str, 'bool': bool, 'map': dict, 'cells': dict, 'any': object}.get(f, Num)
    need(isinstance(v, kind) and (kind in (Num, object) or not isinstance(v, Num)), 'a value of the wrong type')
    need(f != 'cells' or v and all(type(x) is str for x in v.values()), 'own columns are an object of texts')
    if f in ('int', 'short', 'time'):
        need(f == 'time' or re.fullmatch(r'-?\d{1,20}', v, re.A), 'not an integer')
        x, (base, _, power) = micro(v) if f == 'time' else int(v), limit.strip('=').partition('^')
        top = sizes[base] if base in (sizes or {}) else int(base or 0) ** int(power or 1)
        most = 2 ** {'int': 63, 'short': 31, 'time': 62}[f]
        need(0 <= x < top + (limit[0] == '=') if limit else (f == 'time') - most <= x < most, 'out of range')
        return x, Num(us(x) if f == 'time' else x)
    v = each(v) if f == 'map' else v
    return v, v

def read(data, problem, kinds, sizes):
    """The certificate; `kinds` maps each kind to its methods and the form of its keys."""
    raw = parse_json(data)
    need(isinstance(raw, dict) and raw.get('kind', '') in kinds, 'unknown kind')
    methods, keys = kinds[raw.get('kind', '')]
    cert, tree = take(raw, form(HEAD % keys), sizes)
    need(cert.format == 'mrsched-certificate/2' and cert.problem == problem, 'format or problem')
    need(cert.method in methods.split(), 'a method of another kind')
    need(compact(data.decode()) == write_json(tree), 'not canonical')
    return cert

class Result:
    """A result; violations of steps 1 to 3 go to the report; `stop` says that nothing else is to be looked at."""

    def __init__(self, path, rep):
        self.path, self.stop, self.rows, self.own, self.tables, self.certificate = path, True, None, [], {}, None
        one = not os.path.isdir(path)
        try:
            data = load_bytes(path if one else os.path.join(path, 'result.json'))
            raw = parse_json(data)
            self.doc, tree = take(raw, FORMS[one])
            tables = raw['sha256'].pop('tables', {})
            stated = {**raw['sha256'], **tables}
            need(all(type(x) is str for x in stated.values()), 'a digest of the wrong type')
            need(all(TABLE.fullmatch(n) and n != 'schedule.csv' for n in tables), 'tables')
            rep.when(compact(data.decode()) != write_json(tree), 'K620', 'result.json is not canonical')
            rep.when(self.doc.format != 'mrsched-result/1', 'K620', 'the format is ' + self.doc.format)
            parts = self.parts(raw, data) if one else dict.fromkeys(filter(TABLE.fullmatch, os.listdir(path)))
            for n in dict.fromkeys(['schedule.csv', 'certificate.json', *sorted({*stated, *parts})]):
                data = again = parts.get(n) if one else self.file(n)
                if n == 'certificate.json':
                    self.certificate, lf = data, (data or b'').replace(b'\r\n', b'\n')
                    again = lf if data and stated.get(n) == sha(lf) else data
                elif data is not None and not one and (n in stated or n == 'schedule.csv'):
                    again = self.again(n, data)
                rep.when(again != data, 'K620', n + ' is not canonical')
                rep.same('K616', 'digest of ' + n, stated.get(n), None if again is None else sha(again))
            own = {k: v for k, v in tree.items() if k not in ('digest', 'schedule', 'tables', 'certificate')}
            rep.when(sha(write_json(own, 0) + '\n') != self.doc.digest, 'K617', 'the digest of result.json differs')
        except (ValueError, LookupError, TypeError, AttributeError) as e:
            return rep.add('K620', '%s: %s' % (type(e).__name__, e))
        lacks = self.rows is None if 'schedule.csv' in stated else self.certificate is None
        self.stop = lacks and bool({'schedule.csv', 'certificate.json'} & set(stated))

    def file(self, name):
        """The bytes of a file of the directory, or None; no links out of the directory."""
        p, folder = (Path(os.path.realpath(os.path.join(self.path, n))) for n in (name, ''))
        return p.read_bytes() if p.is_file() and folder in p.parents else None

    def again(self, name, data):
        """Takes over the rows of a file; returns its canonical bytes, or None if it cannot be read."""
        with suppress(ValueError):
            rows = read_csv(data)
            if name == 'schedule.csv': return self.schedule(*rows)
            self.tables[name[:-4]] = rows
            return write_csv(rows)

    def schedule(self, head, *rows):
        """Takes over the rows of the schedule; returns its canonical bytes."""
        need(head[:6] == COMMON and len(set(head)) == len(head), 'schedule.csv: wrong columns')
        got = [Row(zip(head, r), start=micro(r[4]), end=micro(r[5])) for r in rows]
        need(all(abs(t) < 2 ** 62 for r in got for t in (r.start, r.end)), 'schedule.csv: a time out of range')
        self.clocks = head[6:8] == CLOCKS
        self.own, self.rows = head[8 if self.clocks else 6:], got
        return write_csv([head if rows else COMMON] + [
            r[:4] + [us(d.start), us(d.end)] + r[6:] for r, d in zip(rows, got)])

    def parts(self, raw, data):
        """The files that one document stands for; own columns that differ have no digest."""
        out, rows = {}, raw.get('schedule', [])
        if 'schedule' in raw:
            own = [r.get('columns', {}) for r in rows]
            keys = [c for r in rows[:1] for c in r if c in CLOCKS]
            out['schedule.csv'] = self.schedule(COMMON + keys + list(*own[:1]), *(
                [r[c] for c in COMMON + keys] + list(x.values()) for r, x in zip(rows, own)))
            if any(list(x) != self.own for x in own) or any(set(CLOCKS) & set(r) != set(keys) for r in rows):
                self.own, out['schedule.csv'] = None, b''
        for t in self.doc.tables:
            need(t.name not in self.tables, 'two tables of one name')
            self.tables[t.name] = [t.columns] + t.rows
            out[t.name + '.csv'] = write_csv(self.tables[t.name])
        if 'certificate' in raw:
            out['certificate.json'] = re.split(rb'"certificate"\s*:', data)[-1].strip()[:-1].strip() + b'\n'
        return out
