"""Forms of JSON objects as data; reads results and certificates, with their forms and digests."""
import json
import os
import re

from values import (Num, Row, Wrong, compact, each, load_bytes, micro, need, parse_json, read_csv, sha, us, write_csv,
                    write_json)

def form(s):
    """Reads a form: {key:form …}, [form rules] or a word; behind a key, ! is `required`, ? `also if it is empty`.

    A word is a type, perhaps with < or <= and a limit of integers from 0 on, which is a power or the name of a number.
    A list may have *NAME numbers of elements, and rise strictly: / or, by keys, /KEY or /KEY/KEY.
    """
    return json.loads(re.sub(r'[^][{},:]+', r'"\g<0>"', re.sub(r'\s+', ',', s.strip())))

RESULT = '''{format!:str problem!:str algorithm!:str status!:str objective:{name!:str value!:num}
    lower_bound:{value!:num method!:str verified!:bool} ratio?:num guarantee:{factor!:num additive!:num source!:str
    preconditions:str preconditions_met!:bool verdict!:str} metrics:map instance!:{name:str sha256!:str jobs!:int
    tasks!:int machines!:int origin:str} inputs:{unused!:[str]} parameters!:map seed!:int<2^64
    sha256!:{schedule.csv:str certificate.json:str tables:map} digest!:str%s}'''
ONE = ''' schedule:[{task!:str job!:str kind!:str machine!:str start!:num end!:num columns:any}]
    tables:[{name!:str columns!:[str] rows!:[[str]]}] certificate:any'''
FORMS = {False: form(RESULT % ''), True: form(RESULT % ONE)}
HEAD = '{format!:str problem!:str method!:str kind:str value!:str %s}'
PROOF = form('{slots:[int] partitions:[int] cases:{partition!:int slot!:int on!:proof off!:proof}}')
CASES = {True: form('{job!:int<jobs at!:time<2^62 until!:case from!:case}'), False: form(
    '{cell!:time shift!:int steps!:[int] own:[{job!:int from!:time steps:[int]}]}')}
EMPTY = {'int': 0, 'time': 0, 'str': '', 'bool': False}
COMMON = ['task', 'job', 'kind', 'machine', 'start', 'end']
TABLE = r'[a-z][a-z0-9_]*\.csv'

def take(v, f, sizes=None):
    """A value by its form, with what may be left out, and its canonical tree; times become microseconds."""
    if isinstance(f, dict):
        need(isinstance(v, dict) and set(v) <= {k.strip('!?') for k in f}, 'no object, or an unknown key')
        got, tree = Row(), {}
        for name, inner in f.items():
            k, empty = name.strip('!?'), [] if isinstance(inner, list) else EMPTY.get(str(inner).split('<')[0])
            need(k in v or name[-1] != '!', 'no key ' + k)
            got[k], t = take(v[k], inner, sizes) if k in v else (empty, 0)
            tree.update({k: t} if k in v and (k != name or got[k] not in (0, '', [])) else {})
        return got, tree
    if isinstance(f, list):
        need(isinstance(v, list), 'no list')
        got, tree = zip(*(take(x, f[0], sizes) for x in v)) if v else ((), ())
        for rule in f[1:]:
            at = [x if rule == '/' else [x[k] for k in rule[1:].split('/')] for x in got] if rule[0] == '/' else []
            need(len(v) == sizes[rule[1:]] if rule[0] == '*' else all(a < b for a, b in zip(at, at[1:])), 'a list')
        return list(got), list(tree)
    if f in ('proof', 'case'):
        return take(v, PROOF if f == 'proof' else CASES[isinstance(v, dict) and 'until' in v], sizes)
    f, _, limit = f.partition('<')
    kind = {'str': str, 'bool': bool, 'map': dict, 'any': object}.get(f, Num)
    need(isinstance(v, kind) and (kind in (Num, object) or not isinstance(v, Num)), 'a value of the wrong type')
    if f in ('int', 'time'):
        need(f == 'time' or re.fullmatch(r'-?\d{1,20}', v, re.A), 'not an integer')
        x, (base, _, power) = int(v) if f == 'int' else micro(v), limit.strip('=').partition('^')
        top = sizes[base] if base in (sizes or {}) else int(base or 0) ** int(power or 1)
        fits = -2 ** 63 <= x < 2 ** 63 if f == 'int' else abs(x) < 2 ** 62
        need(0 <= x < top + (limit[0] == '=') if limit else fits, 'out of range')
        return x, Num(x if f == 'int' else us(x))
    v = each(v) if f == 'map' else v
    return v, v

def read(data, problem, kinds, sizes):
    """The certificate; `kinds` maps each kind to its methods and the form of its keys."""
    raw = parse_json(data)
    need(isinstance(raw, dict) and raw.get('kind', '') in kinds, 'unknown kind')
    methods, keys = kinds[raw.get('kind', '')]
    cert, tree = take(raw, form(HEAD % keys), sizes)
    need(cert.format == 'mrsched-certificate/1' and cert.problem == problem, 'format or problem')
    need(cert.method in methods.split(), 'a method of another kind')
    need(compact(data.decode()) == write_json(tree), 'not canonical')
    return cert

class Result:
    """A result; violations of steps 1 to 3 go to the report; `stop` says that nothing else is to be looked at."""

    def __init__(self, path, rep):
        self.path, self.stop, self.rows, self.own, self.tables, self.certificate = path, True, None, [], {}, None
        one = not os.path.isdir(path)
        data = load_bytes(path if one else os.path.join(path, 'result.json'))
        try:
            raw = parse_json(data)
            self.doc, tree = take(raw, FORMS[one])
            stated = {**raw['sha256'], **raw['sha256'].get('tables', {})}
            stated.pop('tables', None)
            need(all(type(x) is str for x in stated.values()), 'a digest of the wrong type')
            need(all(re.fullmatch(TABLE, n) and n != 'schedule.csv' for n in raw['sha256'].get('tables', {})), 'tables')
            rep.when(compact(data.decode()) != write_json(tree), 'K620', 'result.json is not canonical')
            rep.when(self.doc.format != 'mrsched-result/1', 'K620', 'the format is ' + self.doc.format)
            parts = self.parts(raw) if one else dict.fromkeys(n for n in os.listdir(path) if re.fullmatch(TABLE, n))
            for n in dict.fromkeys(['schedule.csv', 'certificate.json', *sorted({*stated, *parts})]):
                data = parts.get(n) if one else self.file(n)
                rep.same('K616', 'digest of ' + n, stated.get(n), None if data is None else sha(data))
                if n == 'certificate.json':
                    self.certificate = data
                elif data is not None and not one and (n in stated or n == 'schedule.csv'):
                    rows = read_csv(data)
                    again = self.schedule(rows) if n == 'schedule.csv' else write_csv(rows)
                    self.tables.update({n[:-4]: rows} if n != 'schedule.csv' else {})
                    rep.when(again != data, 'K620', n + ' is not canonical')
        except (Wrong, UnicodeDecodeError, KeyError, TypeError, AttributeError) as e:
            return rep.add('K620', '%s: %s' % (type(e).__name__, e))
        own = {k: v for k, v in tree.items() if k not in ('digest', 'schedule', 'tables', 'certificate')}
        rep.when(sha(write_json(own, 0) + '\n') != self.doc.digest, 'K617', 'the digest of result.json differs')
        lacks = self.rows is None if 'schedule.csv' in stated else self.certificate is None
        self.stop = lacks and bool({'schedule.csv', 'certificate.json'} & set(stated))

    def file(self, name):
        """The bytes of a file of the directory, or None; no links out of the directory."""
        p = os.path.realpath(os.path.join(self.path, name))
        if os.path.isfile(p) and p.startswith(os.path.realpath(self.path) + os.sep):
            with open(p, 'rb') as f:
                return f.read()

    def schedule(self, rows):
        """Takes over the rows of the schedule; returns its canonical bytes."""
        head, *rows = rows
        need(head[:6] == COMMON and len(set(head)) == len(head) and all(r[2] in ('map', 'reduce') for r in rows),
             'schedule.csv: wrong columns or kinds')
        self.own, self.rows = head[6:], [Row(zip(head, r), start=micro(r[4]), end=micro(r[5])) for r in rows]
        need(all(abs(t) < 2 ** 62 for r in self.rows for t in (r.start, r.end)), 'schedule.csv: a time out of range')
        return write_csv([head if rows else COMMON] + [
            r[:4] + [us(d.start), us(d.end)] + r[6:] for r, d in zip(rows, self.rows)])

    def parts(self, raw):
        """The files that one document stands for."""
        out, rows = {}, raw.get('schedule', [])
        if 'schedule' in raw:
            own = list(rows[0].get('columns', {})) if rows else []
            need(all(list(r.get('columns', {})) == own for r in rows), 'rows with other columns')
            out['schedule.csv'] = self.schedule([COMMON + own] + [
                [r[c] for c in COMMON] + [r['columns'][c] for c in own] for r in rows])
        for t in self.doc.tables:
            need(t.name not in self.tables, 'two tables of one name')
            self.tables[t.name] = [t.columns] + t.rows
            out[t.name + '.csv'] = write_csv(self.tables[t.name])
        if 'certificate' in raw:
            out['certificate.json'] = (write_json(raw['certificate']) + '\n').encode()
        return out
