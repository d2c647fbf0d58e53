// The Gantt chart: bars where there is room for them, else how busy groups of machines are.

const AXIS = 26; // pixels below the rows
const STRIP = 16; // pixels above the rows, for releases and deadlines
const CELL = { width: 5, height: 7 }; // of the aggregated picture, pixels
const ROOM = 3; // pixels that a bar has on average, and that a row has, where bars are drawn
const HUES = 24;
const LEVELS = [0.36, 0.52, 0.68, 0.84, 1];
const FEW = 12; // jobs whose releases and deadlines have lines through the rows
const NAME = 13; // pixels that a name is high

const theme = () => {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(['paper', 'ink', 'muted', 'grid', 'axis', 'k0', 'k1', 'rest', 'n0', 'n1', 'n2', ...Array.from({ length: HUES }, (_, i) => 'c' + i)]
    .map((name) => [name, style.getPropertyValue('--' + name).trim()]));
};

// Times are in the page's unit: a number, or h:mm:ss. Decimals are those that tell times apart, if they are given.
const clock = (t, decimals) => {
  const size = decimals > 0 ? 10 ** decimals : 1;
  const units = Math.floor(t / 1e6 * size + 1e-6);
  const s = Math.floor(units / size);
  const two = (n) => String(n).padStart(2, '0');
  const rest = decimals > 0 ? '.' + String(units % size).padStart(decimals, '0') : '';
  return String(Math.floor(s / 3600)).replace(/\B(?=(\d{3})+$)/g, ',') + ':' + two(Math.floor(s / 60) % 60) + ':' + two(s % 60) + rest;
};
const timeText = (t) => {
  if (data.unit.size) return (+(Math.round(t) / data.unit.size).toFixed(3) + ' ' + data.unit.name).trim();
  return t < 600e6 ? clock(t, 1).replace('.0', '') : clock(t, 0);
};
const step = (span, n) => {
  const power = 10 ** Math.floor(Math.log10(span / n));
  return [1, 2, 5, 10].map((m) => m * power).find((s) => span / n <= s * (1 + 1e-9));
};
const CLOCK = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];
// ticksOf is the distance between ticks, in microseconds, and how they are written.
const ticksOf = (span, n) => {
  const { size, name } = data.unit;
  if (size) return [step(span / size, n) * size, (t) => +(t / size).toPrecision(9) + ' ' + name];
  const raw = span / 1e6 / n;
  const by = raw <= 0.5 ? step(raw, 1) : CLOCK.find((s) => raw <= s) || 86400 * step(raw / 86400, 1);
  return [by * 1e6, (t) => clock(t, by < 1 ? Math.ceil(-Math.log10(by) - 1e-9) : 0)];
};

const percent = (v) => (100 * v).toFixed(v < 0.1 ? 1 : 0) + ' %';
const clamp = (v, low, high) => Math.min(Math.max(v, low), Math.max(low, high));

class Gantt {
  constructor(stage, s) {
    this.s = s;
    this.stage = stage;
    this.canvas = stage.querySelector('canvas');
    this.tip = stage.querySelector('.tip');
    this.context = this.canvas.getContext('2d');
    this.key = s.keys[s.key]; // what colours stand for
    this.picked = -1; // of the key's names: highlighted
    this.task = -1; // under the focus
    const rows = s.machines.length;
    this.marks = s.jobs.map((_, j) => j).filter((j) => s.release[j] > 0 || s.due[j] >= 0);
    this.top = this.marks.length ? STRIP : 0;
    this.height = clamp(rows * 26, 120, 560) + AXIS + this.top;
    this.canvas.style.height = this.height + 'px';
    this.all();
    new ResizeObserver(() => this.draw()).observe(stage);
  }

  // all shows everything.
  all() {
    Object.assign(this, { t0: 0, t1: this.s.horizon, m0: 0, m1: this.s.machines.length });
    this.draw();
  }

  // limit keeps the view inside the schedule.
  limit() {
    const { s } = this;
    const span = clamp(this.t1 - this.t0, Math.min(20, s.horizon), s.horizon);
    const rows = clamp(this.m1 - this.m0, Math.min(s.machines.length, Math.max(1, (this.height - AXIS - this.top) / 60)), s.machines.length);
    this.t0 = clamp(this.t0, 0, s.horizon - span);
    this.m0 = clamp(this.m0, 0, s.machines.length - rows);
    this.t1 = this.t0 + span;
    this.m1 = this.m0 + rows;
  }

  get row() { return (this.height - AXIS - this.top) / (this.m1 - this.m0); }
  x(t) { return this.left + (t - this.t0) / (this.t1 - this.t0) * (this.width - this.left); }
  y(m) { return this.top + (m - this.m0) * this.row; }
  time(x) { return this.t0 + (x - this.left) / (this.width - this.left) * (this.t1 - this.t0); }
  machineAt(y) { return Math.floor(this.m0 + (y - this.top) / this.row); }

  // zoom keeps a point where it is. Machines follow time while rows are too low to read.
  zoom(factor, x = (this.left + this.width) / 2, y = (this.height - AXIS + this.top) / 2, machines = this.row < 14 || factor > 1 && this.m1 - this.m0 < this.s.machines.length) {
    const t = this.time(x);
    this.t0 = t - (t - this.t0) * factor;
    this.t1 = t + (this.t1 - t) * factor;
    if (machines) this.zoomMachines(factor, y); else this.draw();
  }

  zoomMachines(factor, y = (this.height - AXIS + this.top) / 2) {
    const m = this.m0 + (y - this.top) / this.row;
    this.m0 = m - (m - this.m0) * factor;
    this.m1 = m + (this.m1 - m) * factor;
    this.draw();
  }

  pan(dx, dy) {
    const t = dx / (this.width - this.left) * (this.t1 - this.t0);
    const m = dy / this.row;
    this.t0 += t; this.t1 += t; this.m0 += m; this.m1 += m;
    this.draw();
  }

  // near moves the view so that a task can be seen; closely: as large as makes sense.
  near(u, closely) {
    const { s } = this;
    const middle = (s.start[u] + s.end[u]) / 2;
    const length = Math.max(s.end[u] - s.start[u], 1);
    let span = this.t1 - this.t0;
    let rows = this.m1 - this.m0;
    if (closely) {
      span = 12 * length;
      rows = Math.min(rows, (this.height - AXIS - this.top) / 26);
    }
    if (closely || s.start[u] < this.t0 || s.end[u] > this.t1) { this.t0 = middle - span / 2; this.t1 = middle + span / 2; }
    if (closely || s.machine[u] < this.m0 || s.machine[u] + 1 > this.m1) { this.m0 = s.machine[u] + 0.5 - rows / 2; this.m1 = this.m0 + rows; }
    this.draw(true);
  }

  // range is where the tasks of a machine that are in view begin and end in order.
  range(m) {
    const { s } = this;
    const search = (test) => {
      let low = s.first[m];
      let high = s.first[m + 1];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (test(s.order[middle])) high = middle; else low = middle + 1;
      }
      return low;
    };
    return [search((u) => s.end[u] > this.t0), search((u) => s.start[u] >= this.t1)];
  }

  // draw draws soon, once however often it is asked; at once if now.
  draw(now) {
    if (now) { this.paint(); return; }
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => { this.asked = false; this.paint(); });
  }

  paint() {
    const width = this.stage.clientWidth;
    if (!width) return;
    const ratio = devicePixelRatio || 1;
    const { canvas, context: c, s } = this;
    this.width = width;
    this.limit();
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(this.height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(this.height * ratio);
    }
    this.colours = theme();
    this.texts = [];
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.font = '12px ' + getComputedStyle(document.body).fontFamily;
    c.fillStyle = this.colours.paper;
    c.fillRect(0, 0, width, this.height);
    const low = Math.floor(this.m0);
    const high = Math.min(s.machines.length, Math.ceil(this.m1));
    this.groups = this.divide(low, high);
    this.left = this.margin(c, low, high);
    this.hatch = this.pattern(c, ratio);
    this.axis(c);
    this.separators(c);
    let tasks = 0;
    for (let m = low; m < high; m++) { const [a, b] = this.range(m); tasks += b - a; }
    const room = (width - this.left) * (high - low) / Math.max(1, tasks);
    this.heat = this.row < ROOM || room < ROOM;
    c.save();
    c.beginPath();
    c.rect(this.left, this.top, width - this.left, this.height - AXIS - this.top);
    c.clip();
    if (this.heat) this.cells(c, low, high); else this.bars(c, low, high);
    if (this.task >= 0) this.frame(c);
    c.restore();
    this.events(c);
    this.rowNames(c);
    this.tell(tasks, low, high);
  }

  // divide is where groups of rows begin that share the parts of their names down to a level, and the end; by level.
  // Levels end with the first whose groups are, on average, too low for a name. Lines separate the groups of the others.
  divide(low, high) {
    const list = [];
    for (let level = 1; level <= this.s.levels.length; level++) {
      const parts = this.s.levels.slice(0, level);
      const begins = [];
      for (let m = low; m < high; m++) if (m === low || parts.some((names) => names[m] !== names[m - 1])) begins.push(m);
      list.push([...begins, high]);
      if (begins.length * NAME > (high - low) * this.row) break;
    }
    return list;
  }

  // margin divides the room for names among their parts: each gets what it needs, and the longest share what is left.
  margin(c, low, high) {
    this.widths = this.s.levels.slice(0, this.groups.length).map((names) => {
      let w = 0;
      for (let m = low; m < high; m += Math.max(1, Math.floor((high - low) / 200))) w = Math.max(w, c.measureText(names[m]).width);
      return w;
    });
    let room = Math.min(260, this.width * 0.36);
    const order = this.widths.map((_, k) => k).sort((a, b) => this.widths[a] - this.widths[b]);
    order.forEach((level, k) => {
      this.widths[level] = Math.min(this.widths[level], room / (order.length - k));
      room -= this.widths[level];
    });
    return this.widths.reduce((sum, w) => sum + w + 8, 6);
  }

  pattern(c, ratio) {
    const size = Math.round(6 * ratio);
    const tile = document.createElement('canvas');
    tile.width = tile.height = size;
    const p = tile.getContext('2d');
    p.strokeStyle = this.colours.paper;
    p.globalAlpha = 0.7;
    p.lineWidth = 1.5 * ratio;
    for (const d of [-size, 0, size]) { p.moveTo(d - 1, size + 1); p.lineTo(d + size + 1, -1); }
    p.stroke();
    const made = c.createPattern(tile, 'repeat');
    made.setTransform(new DOMMatrix().scale(1 / ratio));
    return made;
  }

  axis(c) {
    const [by, text] = ticksOf(this.t1 - this.t0, Math.max(2, (this.width - this.left) / 110));
    const bottom = this.height - AXIS;
    c.textAlign = 'center';
    c.textBaseline = 'middle';
    for (let k = Math.ceil(this.t0 / by - 1e-9); k * by <= this.t1 * (1 + 1e-12); k++) {
      const x = this.x(k * by);
      c.fillStyle = this.colours.grid;
      c.fillRect(Math.round(x), this.top, 1, bottom - this.top);
      c.fillStyle = this.colours.ink;
      const half = c.measureText(text(k * by)).width / 2;
      this.write(text(k * by), Math.min(x, this.width - half - 1), bottom + AXIS / 2);
    }
    c.fillStyle = this.colours.axis;
    c.fillRect(this.left, bottom, this.width - this.left, 1);
  }

  // write writes a text and remembers where, for tests.
  write(text, x, y) {
    const c = this.context;
    c.fillText(text, x, y);
    const { actualBoundingBoxLeft: l, actualBoundingBoxRight: r } = c.measureText(text);
    this.texts.push([text, x - l, x + r, y]);
  }

  // tail cuts a name on the left: its end says most.
  tail(name, room) {
    const c = this.context;
    if (c.measureText(name).width <= room + 0.5) return name;
    let shown = [...name];
    while (shown.length && c.measureText('…' + shown.join('')).width > room) shown = shown.slice(1);
    return '…' + shown.join('');
  }

  // separators draws lines between groups, below all bars and cells.
  separators(c) {
    let x = 6;
    c.fillStyle = this.colours.grid;
    this.groups.slice(0, -1).forEach((begins, level) => {
      for (const m of begins.slice(1, -1)) c.fillRect(x, Math.round(this.y(m)), this.width - x, 1);
      x += this.widths[level] + 8;
    });
  }

  // rowNames writes the parts of names: the last ones beside their rows, others in the middle of their groups. A name
  // that would touch another one or a line is left out.
  rowNames(c) {
    const { levels } = this.s;
    const bottom = this.height - AXIS;
    const half = NAME / 2 - 0.1;
    c.textBaseline = 'middle';
    c.fillStyle = this.colours.muted;
    let x = 6;
    this.groups.forEach((begins, level) => {
      const right = level === levels.length - 1;
      const lined = level < this.groups.length - 1;
      const around = level > 0 ? this.groups[level - 1] : [begins[0], begins[begins.length - 1]];
      const width = this.widths[level];
      c.textAlign = right ? 'right' : 'left';
      const beyond = level > 0 ? 0 : 4; // pixels
      let free = Math.max(0, this.top - beyond);
      for (let k = 0, p = 0; k < begins.length - 1; k++) {
        const m = begins[k];
        while (around[p + 1] <= m) p++;
        const above = Math.max(free, this.y(around[p]) - beyond);
        const below = Math.min(bottom, this.y(around[p + 1])) + beyond;
        const from = Math.max(this.top, this.y(m));
        const to = Math.min(bottom, this.y(begins[k + 1]));
        const y = (from + to) / 2;
        if (levels[level][m] === '' || y - half < above || y + half > below || lined && to - from < 2 * half) continue;
        this.write(this.tail(levels[level][m], width), right ? x + width : x, y);
        free = y + half;
      }
      x += width + 8;
    });
  }

  // look is the class of one of the key's names; of names without hues the highlighted one has the first.
  look(i) { return this.key.looks ? this.key.looks[i] : this.picked === i ? 'c0' : 'rest'; }
  colour(i) { return this.colours[this.look(i)]; }
  lookOfJob(j) {
    if (this.key.job) return this.look(j);
    return this.key.name === 'locality' ? 'rest' : this.look(this.key.of(this.s.some[j]));
  }

  // events marks when jobs are released and due. A deadline beyond the schedule is marked at the edge.
  events(c) {
    const { s } = this;
    this.shownMarks = { release: 0, due: 0, lines: 0 };
    const y = STRIP / 2;
    const keyOf = (j) => (this.key.job ? j : this.key.of(s.some[j]));
    const lined = s.jobs.length <= FEW ? this.marks : this.marks.filter((j) => keyOf(j) === this.picked);
    for (const j of this.marks) {
      const i = keyOf(j);
      const plain = this.picked < 0 || this.picked === i;
      c.strokeStyle = this.colours[this.lookOfJob(j)];
      c.lineWidth = 2;
      for (const [kind, t] of [['release', s.release[j]], ['due', s.due[j]]]) {
        if (kind === 'release' ? t <= 0 : t < 0) continue;
        const beyond = t > s.horizon && this.t1 >= s.horizon;
        const x = beyond ? this.width - 8 : Math.min(this.x(t), this.width - 5);
        if (!beyond && (t < this.t0 || t > this.t1)) continue;
        this.shownMarks[kind]++;
        c.globalAlpha = plain ? 1 : 0.2;
        c.beginPath();
        if (beyond) { for (const d of [-4, 1]) { c.moveTo(x + d, y - 4); c.lineTo(x + d + 4, y); c.lineTo(x + d, y + 4); } }
        else if (kind === 'release') { c.moveTo(x, y - 5); c.lineTo(x + 8, y); c.lineTo(x, y + 5); c.closePath(); }
        else { c.moveTo(x - 4, y - 4); c.lineTo(x + 4, y + 4); c.moveTo(x + 4, y - 4); c.lineTo(x - 4, y + 4); }
        c.stroke();
        if (beyond || lined.length > FEW || !lined.includes(j)) continue;
        this.shownMarks.lines++;
        c.lineWidth = 1.2;
        c.setLineDash([4, 3]);
        c.globalAlpha = plain ? 0.75 : 0.15;
        c.beginPath();
        c.moveTo(this.x(t), this.top);
        c.lineTo(this.x(t), this.height - AXIS);
        c.stroke();
        c.setLineDash([]);
        c.lineWidth = 2;
      }
    }
    c.globalAlpha = 1;
  }

  // eventsAt are the releases and deadlines near a point of the strip.
  eventsAt(x, y) {
    if (y >= this.top || !this.marks.length) return [];
    const { s } = this;
    const near = (t) => Math.abs((t > s.horizon && this.t1 >= s.horizon ? this.width - 8 : this.x(t)) - x) < 8;
    const list = [];
    for (const j of this.marks) {
      if (s.release[j] > 0 && near(s.release[j])) list.push([s.jobs[j], 'released at ' + timeText(s.release[j])]);
      if (s.due[j] >= 0 && near(s.due[j])) list.push([s.jobs[j], 'due at ' + timeText(s.due[j])]);
    }
    return list.slice(0, 12);
  }

  bars(c, low, high) {
    const { s, row } = this;
    c.textAlign = 'left';
    c.textBaseline = 'middle';
    const high1 = row > 4 ? row - 1 : row;
    for (let m = low; m < high; m++) {
      const [a, b] = this.range(m);
      const y = this.y(m) + (row - high1) / 2;
      let last = -1;
      for (let k = a; k < b; k++) {
        const u = s.order[k];
        const x = Math.max(this.x(s.start[u]), this.left - 2);
        let w = Math.min(this.x(s.end[u]), this.width + 2) - x;
        if (x + w - last < 0.6) continue;
        w = Math.max(0.7, w > 2 ? w - 1 : w);
        last = x + w;
        const i = this.key.of(u);
        const plain = this.picked < 0 || this.picked === i;
        const hatched = s.reduce[u] && s.mixed;
        c.globalAlpha = plain || !this.key.looks ? 1 : 0.12;
        c.fillStyle = this.colour(i);
        c.fillRect(x, y, w, high1);
        const name = w > 30 && row > 13 && (plain || !this.key.looks) ? this.fitting(s.id[u], w - (hatched ? 22 : 9)) : '';
        const free = name ? c.measureText(name).width + 7 : 0; // the hatching leaves the name free
        if (hatched) { c.globalAlpha = 1; c.fillStyle = this.hatch; c.fillRect(x + free, y, w - free, high1); }
        c.globalAlpha = 1;
        if (name) { c.fillStyle = '#fff'; c.fillText(name, x + 4, y + high1 / 2); }
      }
    }
  }

  // fitting is as much of a name as there is room for; nothing if that is too little.
  fitting(text, room) {
    const c = this.context;
    let shown = text.length > 60 ? text.slice(0, 60) : text;
    while (shown && c.measureText(shown + (shown === text ? '' : '…')).width > room) shown = shown.slice(0, Math.min(-1, -Math.ceil(shown.length / 8)));
    return shown === text ? text : shown.length < 3 ? '' : shown + '…';
  }

  // grid is how busy groups of machines are: shares of cells by kind.
  grid(low, high) {
    const { s } = this;
    const group = Math.max(1, Math.ceil(CELL.height / this.row));
    const from = Math.floor(low / group);
    const rows = Math.ceil(high / group) - from;
    const columns = Math.max(1, Math.ceil((this.width - this.left) / CELL.width));
    const length = (this.t1 - this.t0) / columns;
    const busy = [new Float32Array(rows * columns), new Float32Array(rows * columns)];
    for (let m = low; m < high; m++) {
      const g = Math.floor(m / group) - from;
      const members = Math.min(high, (g + from + 1) * group) - Math.max(low, (g + from) * group);
      const [a, b] = this.range(m);
      for (let i = a; i < b; i++) {
        const u = s.order[i];
        if (this.picked >= 0 && this.key.of(u) !== this.picked) continue;
        const start = Math.max(s.start[u], this.t0) - this.t0;
        const end = Math.min(s.end[u], this.t1) - this.t0;
        const kind = busy[s.reduce[u]];
        for (let k = Math.floor(start / length); k < columns && k * length < end; k++) {
          kind[g * columns + k] += (Math.min(end, (k + 1) * length) - Math.max(start, k * length)) / length / members;
        }
      }
    }
    return { group, from, rows, columns, length, busy };
  }

  cells(c, low, high) {
    const { s } = this;
    const g = this.made = this.grid(low, high);
    const width = (this.width - this.left) / g.columns;
    for (let r = 0; r < g.rows; r++) {
      const y = Math.round(this.y((g.from + r) * g.group));
      const h = Math.max(1, Math.round(this.y((g.from + r + 1) * g.group)) - y - 1);
      for (let k = 0; k < g.columns; k++) {
        const maps = g.busy[0][r * g.columns + k];
        const reduces = g.busy[1][r * g.columns + k];
        if (maps + reduces < 0.001) continue;
        const x = Math.round(this.left + k * width);
        const w = Math.round(this.left + (k + 1) * width) - x;
        c.globalAlpha = LEVELS[clamp(Math.floor((maps + reduces) * 4.999), 0, 4)];
        c.fillStyle = this.picked >= 0 ? this.colour(this.picked) : reduces > maps ? this.colours.k1 : this.colours.k0;
        c.fillRect(x, y, w, h);
        if (reduces > maps && s.mixed) { c.globalAlpha = 0.8; c.fillStyle = this.hatch; c.fillRect(x, y, w, h); }
      }
    }
    c.globalAlpha = 1;
  }

  // frame marks the task under the focus.
  frame(c) {
    const { s, task: u, row } = this;
    c.strokeStyle = this.colours.ink;
    c.lineWidth = 2.5;
    c.strokeRect(this.x(s.start[u]) - 1, this.y(s.machine[u]) - 0.5, Math.max(4, this.x(s.end[u]) - this.x(s.start[u]) + 2), Math.max(4, row + 1));
  }

  // tell says what is shown, to people and to tests.
  tell(tasks, low, high) {
    const { s } = this;
    Object.assign(this.canvas.dataset, {
      mode: this.heat ? 'heat' : 'bars', left: this.left, shown: tasks, tasks: s.n,
      t0: this.t0, t1: this.t1, m0: this.m0, m1: this.m1, top: this.top, texts: JSON.stringify(this.texts),
      releases: this.shownMarks.release, dues: this.shownMarks.due, lines: this.shownMarks.lines, looks: (this.key.looks || ['rest']).join(' '),
    });
    const whole = tasks === s.n;
    const text = `${timeText(this.t0)} – ${timeText(this.t1)}, machines ${low + 1}–${high} of ${s.machines.length}, ${whole ? 'all ' : ''}${tasks} tasks`
      + (this.heat ? `; each cell: ${this.made.group} machine${this.made.group > 1 ? 's' : ''}` : '');
    if (this.told) this.told(text);
  }

  // taskAt is the task at a point; −1: none.
  taskAt(x, y) {
    const m = this.machineAt(y);
    if (x < this.left || y < this.top || y >= this.height - AXIS || m < 0 || m >= this.s.machines.length) return -1;
    const [a, b] = this.range(m);
    let found = -1;
    let distance = 3; // pixels beside a bar that still count
    for (let i = a; i < b; i++) {
      const u = this.s.order[i];
      const away = Math.max(this.x(this.s.start[u]) - x, x - this.x(this.s.end[u]), 0);
      if (away < distance) { found = u; distance = away; }
      if (away === 0) break;
    }
    return found;
  }

  // lines are what there is to say about a task.
  lines(u) {
    const { s } = this;
    return [['job', s.jobs[s.job[u]]], ['kind', s.reduce[u] ? 'reduce' : 'map'], ['machine', s.machines[s.machine[u]]],
      ['start', timeText(s.start[u])], ['end', timeText(s.end[u])], ['takes', timeText(s.end[u] - s.start[u])],
      ...s.own.filter((c) => c.at(u) !== '').map((c) => [c.name.replaceAll('_', ' '), c.at(u)])];
  }

  // cellLines are what there is to say about a point of the aggregated picture; null: nothing.
  cellLines(x, y) {
    const g = this.made;
    const r = Math.floor(this.machineAt(y) / g.group) - g.from;
    const k = Math.floor((x - this.left) / (this.width - this.left) * g.columns);
    if (x < this.left || y < this.top || y >= this.height - AXIS || r < 0 || r >= g.rows || k < 0 || k >= g.columns) return null;
    const low = (g.from + r) * g.group;
    const high = Math.min(this.s.machines.length, low + g.group) - 1;
    const maps = g.busy[0][r * g.columns + k];
    const reduces = g.busy[1][r * g.columns + k];
    const from = this.t0 + k * g.length;
    return [this.s.machines[low] + (high > low ? ' … ' + this.s.machines[high] : ''),
      [['from', timeText(from)], ['until', timeText(from + g.length)], ['busy', percent(maps + reduces)], ['maps', percent(maps)], ['reduces', percent(reduces)]]];
  }

  // show puts a title and lines beside a point.
  show(title, lines, x, y) {
    const head = document.createElement('b');
    head.textContent = title;
    const list = document.createElement('dl');
    for (const [name, value] of lines) {
      const dt = document.createElement('dt');
      const dd = document.createElement('dd');
      dt.textContent = name;
      dd.textContent = value;
      list.append(dt, dd);
    }
    this.tip.replaceChildren(head, list);
    this.tip.hidden = false;
    const { offsetWidth: w, offsetHeight: h } = this.tip;
    const left = x + 16 + w > this.width ? Math.max(4, x - w - 12) : x + 16;
    const above = y + 14 + h > this.height + 60 && y - h - 12 > 0; // it may lie over what follows the chart a little
    this.tip.style.transform = `translate(${left}px,${above ? y - h - 12 : y + 14}px)`;
  }

  hide() { this.tip.hidden = true; }
}
