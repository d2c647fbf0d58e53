"""Numbers, units, clock times, JSON and CSV, as certificates.md and formats.md define them."""
import csv
import gzip
import hashlib
import io
import json
import math
import re
import zlib
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate
from pathlib import Path
from zoneinfo import ZoneInfo

INF = float('inf')
NUMBER = r'[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?'
FORMULA = "'*[=+\\-@\t\r\n＝＋－＠]"
SECONDS = {name: Fraction(x) for x, names in {
    '1e-9': 'ns nanosecond', '1e-6': 'us µs μs microsecond', '1e-3': 'ms millisecond', 1: 's sec second',
    60: 'm min minute', 3600: 'h hr hour', 86400: 'd day', 604800: 'w week'}.items() for name in names.split()}
CLOCK = re.compile(r'(?:(\d{4}-\d\d-\d\d)[T ])?(\d\d):(\d\d)(?::(\d\d))?(Z|([+-])(\d\d):(\d\d))?'
                   r'(?:\[([\w/+-]+)\])?')

class Wrong(ValueError):
    """An input has the wrong form, or a certificate proves nothing."""

class Num(str):
    """The text of a JSON number."""

class Row(dict):
    """A dictionary whose keys are attributes, too; one that is missing is None."""
    __getattr__ = dict.get

def need(condition, why):
    """Raises Wrong unless the condition holds."""
    if not condition: raise Wrong(why)

def decimal(t):
    """The exact rational of a decimal."""
    need(re.fullmatch(NUMBER, t, re.A), 'not a number: ' + t[:60])
    return Fraction(t)

def rounded(x):
    """The nearest integer, halves away from 0."""
    return math.floor(abs(Fraction(x)) + Fraction(1, 2)) * (1 if x >= 0 else -1)

def micro(t):
    """A decimal as an integer of millionths."""
    return rounded(decimal(t) * 10 ** 6)

def text(x, digits=6, up=False):
    """A rational with at most so many digits behind the point, rounded down or up; a float may be rounded already."""
    if isinstance(x, float): raise TypeError('not exact: %r' % x)
    n = (math.ceil if up else math.floor)(x * 10 ** digits)
    whole, part = divmod(abs(n), 10 ** digits)
    return '-' * (n < 0) + ('%d.%0*d' % (whole, digits, part)).rstrip('0').rstrip('.')

def us(n):
    """Microseconds, or millionths, as seconds, or units."""
    return text(Fraction(n, 10 ** 6))

def exact(x):
    """The rational of the shortest decimal of a double."""
    return Fraction(repr(float(x)))

def millionths(x):
    """A double in millionths."""
    return rounded(exact(x) * 10 ** 6)

def limit(row):
    """The bandwidth of a row as whole bytes a second, or infinity."""
    b = row.get('bandwidth_bytes_per_s', INF)
    return INF if b > 1e12 else max(1, rounded(exact(b)))

def pay(x, price):
    """A product that must be below 2^59."""
    need(x * price < 2 ** 59, 'prices are too high')
    return x * price

def transfer(b, *rates):
    """Microseconds that bytes take over links."""
    return max(min(2 ** 60, int(b * 10 ** 6 // x)) for x in rates)

def double_text(x):
    """The shortest decimal of a double, without exponent between 10^-6 and 10^21."""
    t = repr(float(x))
    return t if x and not 1e-6 <= abs(x) < 1e21 else format(Decimal(t).normalize(), 'f')

def duration(s):
    """Seconds of a duration with units, such as 1h30m."""
    parts = re.findall(r'(%s) ?([A-Za-zµμ]+)' % NUMBER, s)
    need(parts and ''.join(a + b for a, b in parts) == s.replace(' ', ''), 'not a duration: ' + s[:60])
    parts = [(n, u if u in SECONDS else u.lower().rstrip('s') or 's') for n, u in parts]
    need(all(u in SECONDS for _, u in parts), 'unknown unit: ' + s[:60])
    return sum(decimal(n) * SECONDS[u] for n, u in parts)

def size(s):
    """Bytes, or bytes a second, of a size with a unit."""
    m = re.fullmatch(r'(%s) ?([kmgtpe]?)(i?)(b?|b/s|bit/s|bps)' % NUMBER, s, re.I)
    need(m, 'not a size: ' + s[:60])
    x = decimal(m[1]) * (1024 if m[3] else 1000) ** ' kmgtpe'.index(m[2].lower() or ' ')
    return x / 8 if m[4].lower() in ('bit/s', 'bps') else x

def clock(s):
    """A clock time as date or None, seconds of the day, offset in seconds or None, and time zone or None."""
    m = CLOCK.fullmatch(s)
    need(m, 'not a clock time: ' + s[:60])
    off = int(m[6] + '1') * (int(m[7]) * 3600 + int(m[8]) * 60) if m[6] else 0 if m[5] else None
    sec, zone = int(m[2]) * 3600 + int(m[3]) * 60 + int(m[4] or 0), m[9]
    return m[1], sec, instant(m[1], sec, off, zone)[1] if zone else off, zone

def instant(day, sec, off, zone):
    """Seconds since 1970 of what clocks show, the first or the one with the offset; and the offset."""
    try: zone = ZoneInfo(zone)
    except (KeyError, ValueError) as e: raise Wrong('time zone: %s' % e) from None
    need(day, 'a time zone without a date')
    local = datetime.fromisoformat(day) + timedelta(seconds=sec)
    for x in (local.replace(tzinfo=zone, fold=fold) for fold in (0, 1)):
        back, own = x.astimezone(timezone.utc).astimezone(zone), x.utcoffset().total_seconds()
        if back.replace(tzinfo=None) == local and off in (None, own): return round(x.timestamp()), round(own)
    raise Wrong('clocks do not show %s with this offset' % local)

def clock_text(day, sec, off, name=None):
    """The canonical text of an origin."""
    zone = '%s%02d:%02d' % ('-' if off < 0 else '+', *divmod(abs(off) // 60, 60)) if off else '' if off is None else 'Z'
    return (day + 'T' if day else '') + '%02d:%02d:%02d' % (sec // 3600, sec // 60 % 60, sec % 60) + zone + ('[%s]' % name if name else '')

def stamp(origin, t):
    """The clock time of a point in time, in microseconds, as schedules have it; None without an origin."""
    if not origin: return None
    day, sec, off, zone = origin
    (s, u), days = divmod(t + sec * 10 ** 6, 10 ** 6), (t // 10 ** 6 + sec) // 86400
    if not day: return 'day %d %02d:%02d:%02d' % (days + 1, s // 3600 % 24, s // 60 % 60, s % 60)
    try:
        at = datetime.fromisoformat(day).replace(tzinfo=timezone(timedelta(seconds=off or 0))) + timedelta(seconds=s)
        at = at.astimezone(ZoneInfo(zone)) if zone else at
    except OverflowError: return 'outside the years 1 to 9999'
    new, fraction = at.utcoffset().total_seconds(), ('.%06d' % u).rstrip('.0')
    zone = '' if off is None else 'Z' if not new else '%s%02d:%02d' % ('-' if new < 0 else '+', *divmod(abs(new) // 60, 60))
    return at.strftime('%Y').zfill(4) + at.strftime('-%m-%dT%H:%M:%S') + fraction + zone

def since(origin, s, after=0):
    """Seconds from the origin to a clock time; without a date it is the first at or after `after` seconds."""
    (day, sec, off, zone), first = clock(s), origin or (None, 0, None, None)
    need(origin and (first[0] or not day), 'a clock time without origin, or without its date: ' + s)
    if first[3]:
        begin = instant(*first)[0]
        if off is not None: return sec - off + (date.fromisoformat(day) - date(1970, 1, 1)).days * 86400 - begin
        days = [day] if day else (str(date.fromisoformat(first[0]) + timedelta(days=i + int(after // 86400)))
                                  for i in range(4))
        times = (instant(d, sec, None, zone or first[3])[0] - begin for d in days)
        return next(t for t in times if day or t >= max(after, 0))
    if day is None: return sec - first[1] + 86400 * -((sec - first[1] - after) // 86400)
    days = (date.fromisoformat(day) - date.fromisoformat(first[0])).days
    return days * 86400 + sec - first[1] - (0 if None in (off, first[2]) else off - first[2])

def load_bytes(path):
    """The bytes of a file, unpacked."""
    data = Path(path).read_bytes()
    try: return gzip.decompress(data) if data[:2] == b'\x1f\x8b' else data
    except (OSError, EOFError, zlib.error) as e: raise Wrong('%s: %s' % (path, e))

def parse_json(data):
    """JSON with the texts of its numbers; duplicate keys are errors, and more than 10 000 levels."""
    def pairs(items):
        need(len(dict(items)) == len(items), 'duplicate key')
        return Row(items)
    try:
        t = data.decode('utf-8-sig')
        marks = re.findall(r'"(?:[^"\\]|\\.)*(?:"|$)|[][{}]', t) if t.count('[') + t.count('{') > 10 ** 4 else []
        need(max(accumulate((x in '[{') - (x in ']}') for x in marks), default=0) <= 10 ** 4, 'too many levels')
        return json.loads(t, parse_float=Num, parse_int=Num, parse_constant=decimal, object_pairs_hook=pairs)
    except (ValueError, RecursionError) as e:
        raise Wrong('not JSON: %s' % e)

def write_json(v, level=None, out=None):
    """JSON as results have it: two spaces a level; level None writes no white space. `out` are the parts before it."""
    out, first = (out, False) if out else ([''], True)
    if isinstance(v, Num): out.append(v)
    elif not isinstance(v, (dict, list)) or not v:
        out.append(json.dumps(v, ensure_ascii=False).replace('\u2028', '\\u2028').replace('\u2029', '\\u2029'))
    else:
        deeper, end, colon = (None, '', ':') if level is None else (level + 1, '\n' + '  ' * level, ': ')
        some = [('', x) for x in v] if isinstance(v, list) else [(write_json(k) + colon, x) for k, x in v.items()]
        for n, (key, x) in enumerate(some):
            out.append((',' if n else '[{'[isinstance(v, dict)]) + end + '  ' * bool(end) + key)
            write_json(x, deeper, out)
        out.append(end + ']}'[isinstance(v, dict)])
    return ''.join(out) if first else None

def compact(t):
    """JSON without white space between tokens."""
    return re.sub(r'("(?:[^"\\]|\\.)*")|\s+', lambda m: m[1] or '', t)

def each(v, change=None):
    """JSON with keys in order, all values changed and without empty ones, or unchanged."""
    if isinstance(v, dict):
        return Row((k, each(x, change)) for k, x in sorted(v.items()) if x is not None or not change)
    return [each(x, change) for x in v] if isinstance(v, list) else change(v) if change else v

def read_csv(data, protected=True):
    """The records of a CSV table, all as long as the first; RFC 4180, a line end inside quotes is LF."""
    try:
        t = data.decode('utf-8' if protected else 'utf-8-sig').replace('\r\n', '\n')
        rows = [r for r in csv.reader(io.StringIO(t, newline=''), strict=True) if r]
    except (ValueError, csv.Error) as e:
        raise Wrong('not CSV: %s' % e)
    need(rows and all(len(r) == len(rows[0]) for r in rows), 'no header, or a record with another number of fields')
    return [list(map(unprotect, r)) for r in rows] if protected else rows

def unprotect(cell):
    """Removes one protecting apostrophe."""
    return cell[1:] if cell[:1] == "'" and re.match(FORMULA, cell) else cell

def write_csv(rows):
    """CSV as results have it, as bytes."""
    def cell(s):
        s = "'" + s if re.match(FORMULA, s) and not re.fullmatch(NUMBER, s, re.A) else s
        odd = s == '\\.' or s[:1].isspace() and s[0] not in '\x1c\x1d\x1e\x1f' or any(c in s for c in ',"\r\n')
        return '"' + s.replace('"', '""') + '"' if odd else s
    return ''.join(','.join(map(cell, r)) + '\n' for r in rows).encode()

def sha(data):
    return hashlib.sha256(data if isinstance(data, bytes) else data.encode()).hexdigest()

def group(pairs, of=list):
    """Dictionary of the lists (sets, sums …) of the values of pairs (key, value), in the order of the keys' first."""
    out = {}
    for key, x in pairs: out.setdefault(key, []).append(x)
    return {key: of(some) for key, some in out.items()}
