"""Reads a result: result.json, schedule.csv, tables and certificate, with their forms and digests."""
import os
import re

from forms import Wrong, form, need, take
from values import (Num, Unreadable, compact, load_bytes, micro, parse_json, read_csv, sha, unprotect, us, write_csv,
                    write_json)

TEXT = '{format:str! problem:str! algorithm:str! status:str! objective:{name:str! value:num!} ' \
       'lower_bound:{value:num! method:str! verified:bool!} ratio:num? guarantee:{factor:num! additive:num! ' \
       'source:str! preconditions:str preconditions_met:bool! verdict:str!} metrics:map instance:{name:str ' \
       'sha256:str! jobs:int! tasks:int! machines:int! origin:str}! inputs:{unused:[str]} parameters:map! seed:int! ' \
       'sha256:{schedule.csv:str certificate.json:str tables:map}! digest:str! %s}'
ONE = 'schedule:[{task:str! job:str! kind:str! machine:str! start:num! end:num! columns:any}] ' \
      'tables:[{name:str! columns:[str]! rows:[[str]]!}] certificate:any'
FORMS = {False: form(TEXT % ''), True: form(TEXT % ONE)}
COMMON = ['task', 'job', 'kind', 'machine', 'start', 'end']
TABLE = r'[a-z][a-z0-9_]*\.csv'

class Result:
    """A result; `bad` lists violations of steps 1 to 3, `stop` says that nothing else is to be looked at."""

    def __init__(self, path):
        self.bad, self.rows, self.own, self.tables, self.certificate, self.path = [], None, [], {}, None, path
        one = not os.path.isdir(path)
        data = load_bytes(path if one else os.path.join(path, 'result.json'))
        self.stop, self.doc = True, {}
        try:
            raw = parse_json(data)
            _, doc = take(raw, FORMS[one])
            need(all(isinstance(x, str) and not isinstance(x, Num) for x in
                     doc.get('sha256', {}).get('tables', {}).values()), 'a digest of the wrong type')
            if compact(data.decode()) != write_json(doc):
                self.bad.append(('K620', 'result.json is not canonical'))
        except (Wrong, Unreadable, UnicodeDecodeError) as e:
            return self.bad.append(('K620', str(e)))
        parts = {k: doc.pop(k) for k in ('schedule', 'tables', 'certificate') if k in doc}
        self.doc, self.stated = doc, doc['sha256']
        if doc['format'] != 'mrsched-result/1':
            self.bad.append(('K620', 'the format is ' + doc['format']))
        try:
            if one:
                self.read_one(parts)
            else:
                self.read_files()
        except (Unreadable, KeyError, TypeError, AttributeError) as e:
            return self.bad.append(('K620', '%s: %s' % (type(e).__name__, e)))
        if sha(write_json({k: v for k, v in doc.items() if k != 'digest'}, 0) + '\n') != doc['digest']:
            self.bad.append(('K617', 'the digest of result.json differs'))
        self.stop = 'schedule.csv' in self.stated and self.rows is None or self.certificate is None and \
            'schedule.csv' not in self.stated and 'certificate.json' in self.stated

    def digest(self, name, data, stated):
        """K616 unless file and digest agree."""
        if data is not None and stated is None or stated is not None and (data is None or sha(data) != stated):
            self.bad.append(('K616', name + ': the digest differs, or one of file and digest is missing'))

    def file(self, name, stated):
        """The bytes of a file of the directory, or None; no links out of the directory."""
        p, base, data = os.path.join(self.path, name), os.path.realpath(self.path), None
        if os.path.isfile(p) and os.path.realpath(p).startswith(base + os.sep):
            with open(p, 'rb') as f:
                data = f.read()
        self.digest(name, data, stated)
        return data

    def read_files(self):
        data = self.file('schedule.csv', self.stated.get('schedule.csv'))
        if data is not None:
            self.schedule([[unprotect(c) for c in r] for r in read_csv(data)], data)
        self.certificate = self.file('certificate.json', self.stated.get('certificate.json'))
        tables = self.stated.get('tables', {})
        there = {n for n in os.listdir(self.path) if re.fullmatch(TABLE, n) and n != 'schedule.csv'}
        for n in sorted(there | set(tables)):
            data = self.file(n, tables.get(n))
            if data is not None and n in tables:
                rows = [[unprotect(c) for c in r] for r in read_csv(data)]
                self.tables[n[:-4]] = rows
                if write_csv(rows) != data:
                    self.bad.append(('K620', n + ' is not canonical'))

    def schedule(self, rows, data=None):
        """Takes over the rows of the schedule; returns its bytes."""
        head, *rows = rows
        if head[:6] != COMMON or len(set(head)) < len(head) or any(r[2] not in ('map', 'reduce') for r in rows):
            raise Unreadable('schedule.csv: wrong columns or kinds')
        self.own, self.rows = head[6:], [dict(zip(head, r), start=micro(r[4]), end=micro(r[5])) for r in rows]
        again = write_csv([head if rows else COMMON] + [
            r[:4] + [us(d['start']), us(d['end'])] + r[6:] for r, d in zip(rows, self.rows)])
        if data is not None and again != data:
            self.bad.append(('K620', 'schedule.csv is not canonical'))
        return again

    def read_one(self, parts):
        data, stated = None, self.stated.get('tables', {})
        if 'schedule' in parts:
            rows = parts['schedule']
            head = COMMON + list(rows[0].get('columns', {}) if rows else [])
            data = self.schedule([head] + [[r[c] for c in COMMON] + [r['columns'][c] for c in head[6:]] for r in rows])
        self.digest('schedule.csv', data, self.stated.get('schedule.csv'))
        for t in parts.get('tables', []):
            self.tables[t['name']] = [t['columns']] + t['rows']
        for n in sorted(set(self.tables) | {k[:-4] for k in stated}):
            self.digest(n, write_csv(self.tables[n]) if n in self.tables else None, stated.get(n + '.csv'))
        if 'certificate' in parts:
            self.certificate = (write_json(parts['certificate']) + '\n').encode()
        self.digest('certificate.json', self.certificate, self.stated.get('certificate.json'))
