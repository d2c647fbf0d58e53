"""Numbers, units, clock times, JSON and CSV, as certificates.md and formats.md define them."""
import csv
import gzip
import hashlib
import io
import json
import re
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction

INF = float('inf')
NUMBER = r'[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?'
FORMULA = "'*[=+\\-@\t\r\n＝＋－＠]"
SPACE = ' \t\n\v\f\r\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000' + ''.join(map(chr, range(0x2000, 0x200b)))
SECONDS = {name: x for names, x in (
    ('ns nanosecond', Fraction(1, 10 ** 9)), ('us µs μs microsecond', Fraction(1, 10 ** 6)),
    ('ms millisecond', Fraction(1, 1000)), ('s sec second', 1), ('m min minute', 60), ('h hr hour', 3600),
    ('d day', 86400), ('w week', 604800)) for name in names.split()}
CLOCK = re.compile(r'(?:(\d{4}-\d\d-\d\d)[T ])?(\d\d):(\d\d)(?::(\d\d))?(Z|([+-])(\d\d):(\d\d))?')

class Unreadable(Exception):
    """The input gives no verdict (exit code 2)."""

class Num(str):
    """The text of a JSON number."""

def decimal(t):
    """The exact rational of a decimal."""
    if not re.fullmatch(NUMBER, t, re.A):
        raise Unreadable('not a number: %r' % t[:60])
    return Fraction(t)

def rounded(x):
    """The nearest integer, halves away from 0."""
    x = Fraction(x)
    n = (2 * abs(x.numerator) + x.denominator) // (2 * x.denominator)
    return n if x >= 0 else -n

def micro(t):
    """A decimal as an integer of millionths."""
    return rounded(decimal(t) * 10 ** 6)

def text(x, digits=6, up=False):
    """A rational with at most so many digits behind the point, rounded down or up."""
    x = Fraction(x) * 10 ** digits
    n = -(-x.numerator // x.denominator) if up else x.numerator // x.denominator
    whole, part = divmod(abs(n), 10 ** digits)
    return '-' * (n < 0) + ('%d.%0*d' % (whole, digits, part)).rstrip('0').rstrip('.')

def us(n):
    return text(Fraction(n, 10 ** 6))

def double_text(x):
    """The shortest decimal of a double, without exponent between 10^-6 and 10^21."""
    d = Decimal(repr(float(x)))
    if x and not 1e-6 <= abs(x) < 1e21:
        m, e = format(d.normalize(), 'e').split('e')
        return '%se%+03d' % (m, int(e))
    t = format(d, 'f')
    return t.rstrip('0').rstrip('.') if '.' in t else t

def exact(x):
    """The rational of the shortest decimal of a double."""
    return Fraction(repr(float(x)))

def duration(s):
    """Seconds of a duration with units, such as 1h30m."""
    parts = re.findall(r'(%s) ?([A-Za-zµμ]+)' % NUMBER, s)
    if not parts or ''.join(a + b for a, b in parts) != s.replace(' ', ''):
        raise Unreadable('not a duration: %r' % s[:60])
    try:
        return sum(decimal(n) * SECONDS[u if u in SECONDS else u.lower().rstrip('s') or 's'] for n, u in parts)
    except KeyError as e:
        raise Unreadable('unknown unit %s' % e)

def size(s):
    """Bytes, or bytes a second, of a size with a unit."""
    m = re.fullmatch(r'(%s) ?([kmgtpe]?)(i?)(b?|b/s|bit/s|bps)' % NUMBER, s, re.I)
    if not m:
        raise Unreadable('not a size: %r' % s[:60])
    x = decimal(m[1]) * (1024 if m[3] else 1000) ** ' kmgtpe'.index(m[2].lower() or ' ')
    return x / 8 if m[4].lower() in ('bit/s', 'bps') else x

def clock(s):
    """A clock time as date or None, seconds of the day, and offset in seconds or None."""
    m = CLOCK.fullmatch(s)
    if not m:
        raise Unreadable('not a clock time: %r' % s[:60])
    off = int(m[6] + '1') * (int(m[7]) * 3600 + int(m[8]) * 60) if m[6] else 0 if m[5] else None
    return m[1], int(m[2]) * 3600 + int(m[3]) * 60 + int(m[4] or 0), off

def clock_text(c):
    """The canonical text of an origin."""
    day, sec, off = c
    t = (day + 'T' if day else '') + '%02d:%02d:%02d' % (sec // 3600, sec // 60 % 60, sec % 60)
    return t + ('' if off is None else '%s%02d:%02d' % (
        '+-'[off < 0], abs(off) // 3600, abs(off) // 60 % 60) if off else 'Z')

def since(origin, s, after=0):
    """Seconds from the origin to a clock time; without a date it is the first at or after `after` seconds."""
    if origin is None:
        raise Unreadable('a clock time without origin: %r' % s)
    day, sec, off = clock(s)
    if day is None:
        return sec - origin[1] + 86400 * -((sec - origin[1] - after) // 86400)
    if origin[0] is None:
        raise Unreadable('the origin has no date: %r' % s)
    d = datetime.fromisoformat(day) + timedelta(seconds=sec) - datetime.fromisoformat(origin[0])
    return d.days * 86400 + d.seconds - origin[1] + (0 if None in (off, origin[2]) else origin[2] - off)

def load_bytes(path):
    """The bytes of a file, unpacked."""
    try:
        with open(path, 'rb') as f:
            data = f.read()
        return gzip.decompress(data) if data[:2] == b'\x1f\x8b' else data
    except (OSError, EOFError) as e:
        raise Unreadable('%s: %s' % (path, e))

def parse_json(data):
    """JSON with the texts of its numbers; duplicate keys are errors."""
    def pairs(items):
        if len(dict(items)) != len(items):
            raise Unreadable('duplicate key')
        return dict(items)
    try:
        return json.loads(data.decode('utf-8-sig'), parse_float=Num, parse_int=Num, parse_constant=decimal,
                          object_pairs_hook=pairs)
    except (ValueError, RecursionError) as e:
        raise Unreadable('not JSON: %s' % e)

def quote(s, result=False):
    """A JSON string with the canonical escapes."""
    s = json.dumps(s, ensure_ascii=False)
    return s.replace('\u2028', '\\u2028').replace('\u2029', '\\u2029') if result else s

def write_json(v, level=None):
    """JSON as results have it: two spaces a level; level None writes no white space."""
    if isinstance(v, Num):
        return str(v)
    if isinstance(v, str):
        return quote(v, True)
    if not isinstance(v, (dict, list)) or not v:
        return json.dumps(v)
    deeper = None if level is None else level + 1
    nl, end, colon = ('', '', ':') if level is None else ('\n' + '  ' * deeper, '\n' + '  ' * level, ': ')
    if isinstance(v, list):
        return '[' + ','.join(nl + write_json(x, deeper) for x in v) + end + ']'
    return '{' + ','.join(nl + quote(k, True) + colon + write_json(x, deeper) for k, x in v.items()) + end + '}'

def compact(t):
    """JSON without white space between tokens."""
    return re.sub(r'("(?:[^"\\]|\\.)*")|\s+', lambda m: m[1] or '', t)

def read_csv(data):
    """The records of a CSV table, all as long as the first; RFC 4180, a line end inside quotes is LF."""
    try:
        t = data.decode('utf-8-sig').replace('\r\n', '\n')
        rows = [r for r in csv.reader(io.StringIO(t, newline=''), strict=True) if r]
    except (ValueError, csv.Error) as e:
        raise Unreadable('not CSV: %s' % e)
    if not rows or any(len(r) != len(rows[0]) for r in rows):
        raise Unreadable('not a table: no header, or a record with another number of fields')
    return rows

def group(pairs, of=list):
    """Dictionary of the lists (sets, sums …) of the values of pairs (key, value), in the order of the keys' first."""
    out = {}
    for key, x in pairs:
        out.setdefault(key, []).append(x)
    return out if of is list else {key: of(some) for key, some in out.items()}

def unprotect(cell):
    """Removes one protecting apostrophe."""
    return cell[1:] if cell[:1] == "'" and re.match(FORMULA, cell) else cell

def write_csv(rows):
    """CSV as results have it, as bytes."""
    def cell(s):
        if s and s[0] in "'=+-@\t\r\n＝＋－＠" and re.match(FORMULA, s) and not re.fullmatch(NUMBER, s, re.A):
            s = "'" + s
        plain = not s or s[0] not in SPACE and s != '\\.' and not any(c in s for c in ',"\r\n')
        return s if plain else '"' + s.replace('"', '""') + '"'
    return ''.join(','.join(map(cell, r)) + '\n' for r in rows).encode()

def sha(data):
    return hashlib.sha256(data if isinstance(data, bytes) else data.encode()).hexdigest()
