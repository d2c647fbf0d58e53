// The Gantt chart: bars where there is room for them, else how busy groups of machines are.

const AXIS = 26; // pixels below the rows
const CELL = { width: 5, height: 7 }; // of the aggregated picture, pixels
const ROOM = 3; // pixels that a bar has on average, and that a row has, where bars are drawn
const COLOURS = 7;
const SHADES = [1, 0.72, 0.46];
const LEVELS = [0.18, 0.36, 0.55, 0.76, 1];

const theme = () => {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(['paper', 'ink', 'muted', 'grid', 'axis', 'edge', ...Array.from({ length: COLOURS }, (_, i) => 'c' + i)]
    .map((name) => [name, style.getPropertyValue('--' + name).trim()]));
};

// units of time in microseconds, and the spans from which on they are used.
const UNITS = [['d', 86400e6, 4 * 86400e6], ['h', 3600e6, 4 * 3600e6], ['min', 60e6, 1200e6], ['s', 1e6, 1e6], ['ms', 1e3, 1e3], ['µs', 1, 0]];
const unitOf = (span) => UNITS.find(([, , from]) => span >= from);
const seconds = (t) => {
  const micro = Math.round(t);
  const rest = String(micro % 1e6).padStart(6, '0').replace(/0+$/, '');
  return Math.floor(micro / 1e6) + (rest ? '.' + rest : '') + ' s';
};
const step = (span, n) => {
  const power = 10 ** Math.floor(Math.log10(span / n));
  return [1, 2, 5, 10].map((m) => m * power).find((s) => span / n <= s * (1 + 1e-9));
};

// lookOf is the colour and shade of one of the names that colours stand for: its own, or the next in turn.
const lookOf = (key, i) => (key.looks ? { name: 'c' + key.looks[i], shade: 1 } : { name: 'c' + (i % COLOURS), shade: SHADES[Math.floor(i / COLOURS) % 3] });

const percent = (v) => (100 * v).toFixed(v < 0.1 ? 1 : 0) + ' %';
const clamp = (v, low, high) => Math.min(Math.max(v, low), Math.max(low, high));

class Gantt {
  constructor(stage, s) {
    this.s = s;
    this.stage = stage;
    this.canvas = stage.querySelector('canvas');
    this.tip = stage.querySelector('.tip');
    this.context = this.canvas.getContext('2d');
    this.key = { name: 'job', names: s.jobs, of: (u) => s.job[u] }; // what colours stand for
    this.picked = -1; // of the key's names: highlighted
    this.task = -1; // under the focus
    const rows = s.machines.length;
    this.height = clamp(rows * 26, 120, 560) + AXIS;
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
    const rows = clamp(this.m1 - this.m0, Math.min(s.machines.length, Math.max(1, (this.height - AXIS) / 60)), s.machines.length);
    this.t0 = clamp(this.t0, 0, s.horizon - span);
    this.m0 = clamp(this.m0, 0, s.machines.length - rows);
    this.t1 = this.t0 + span;
    this.m1 = this.m0 + rows;
  }

  get row() { return (this.height - AXIS) / (this.m1 - this.m0); }
  x(t) { return this.left + (t - this.t0) / (this.t1 - this.t0) * (this.width - this.left); }
  y(m) { return (m - this.m0) * this.row; }
  time(x) { return this.t0 + (x - this.left) / (this.width - this.left) * (this.t1 - this.t0); }
  machineAt(y) { return Math.floor(this.m0 + y / this.row); }

  // zoom keeps a point where it is. Machines follow time while rows are too low to read.
  zoom(factor, x = (this.left + this.width) / 2, y = (this.height - AXIS) / 2, machines = this.row < 14 || factor > 1 && this.m1 - this.m0 < this.s.machines.length) {
    const t = this.time(x);
    this.t0 = t - (t - this.t0) * factor;
    this.t1 = t + (this.t1 - t) * factor;
    if (machines) this.zoomMachines(factor, y); else this.draw();
  }

  zoomMachines(factor, y = (this.height - AXIS) / 2) {
    const m = this.m0 + y / this.row;
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
      rows = Math.min(rows, (this.height - AXIS) / 26);
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
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.font = '12px ' + getComputedStyle(document.body).fontFamily;
    c.fillStyle = this.colours.paper;
    c.fillRect(0, 0, width, this.height);
    const low = Math.floor(this.m0);
    const high = Math.min(s.machines.length, Math.ceil(this.m1));
    this.left = this.margin(c, low, high);
    this.hatch = this.pattern(c, ratio);
    this.axis(c);
    let tasks = 0;
    for (let m = low; m < high; m++) { const [a, b] = this.range(m); tasks += b - a; }
    const room = (width - this.left) * (high - low) / Math.max(1, tasks);
    this.heat = this.row < ROOM || room < ROOM;
    c.save();
    c.beginPath();
    c.rect(this.left, 0, width - this.left, this.height - AXIS);
    c.clip();
    if (this.heat) this.cells(c, low, high); else this.bars(c, low, high);
    if (this.task >= 0) this.frame(c);
    c.restore();
    this.rowNames(c, low, high);
    this.tell(tasks, low, high);
  }

  margin(c, low, high) {
    let w = 0;
    for (let m = low; m < high; m += Math.max(1, Math.floor((high - low) / 50))) w = Math.max(w, c.measureText(this.s.machines[m]).width);
    return Math.min(w + 14, 150, this.width / 3);
  }

  pattern(c, ratio) {
    const size = Math.round(6 * ratio);
    const tile = document.createElement('canvas');
    tile.width = tile.height = size;
    const p = tile.getContext('2d');
    p.strokeStyle = this.colours.paper;
    p.lineWidth = 1.5 * ratio;
    for (const d of [-size, 0, size]) { p.moveTo(d - 1, size + 1); p.lineTo(d + size + 1, -1); }
    p.stroke();
    const made = c.createPattern(tile, 'repeat');
    made.setTransform(new DOMMatrix().scale(1 / ratio));
    return made;
  }

  axis(c) {
    const [name, size] = unitOf(this.t1 - this.t0);
    const by = step((this.t1 - this.t0) / size, Math.max(2, (this.width - this.left) / 110));
    const bottom = this.height - AXIS;
    c.textAlign = 'center';
    c.textBaseline = 'middle';
    for (let k = Math.ceil(this.t0 / size / by - 1e-9); k * by * size <= this.t1 * (1 + 1e-12); k++) {
      const x = this.x(k * by * size);
      c.fillStyle = this.colours.grid;
      c.fillRect(Math.round(x), 0, 1, bottom);
      c.fillStyle = this.colours.ink;
      const text = +(k * by).toPrecision(9) + ' ' + name;
      if (x + c.measureText(text).width / 2 < this.width) c.fillText(text, x, bottom + AXIS / 2);
    }
    c.fillStyle = this.colours.axis;
    c.fillRect(this.left, bottom, this.width - this.left, 1);
  }

  rowNames(c, low, high) {
    c.fillStyle = this.colours.muted;
    c.textAlign = 'right';
    c.textBaseline = 'middle';
    const every = Math.max(1, Math.ceil(14 / this.row));
    for (let m = Math.ceil(low / every) * every; m < high; m += every) {
      const y = this.y(m + 0.5);
      if (y > 4 && y < this.height - AXIS - 4) c.fillText(this.s.machines[m], this.left - 7, y, this.left - 10);
    }
  }

  colour(i) { return this.colours[lookOf(this.key, i).name]; }

  bars(c, low, high) {
    const { s, row } = this;
    const gap = Math.min(2, row / 8);
    c.textAlign = 'left';
    c.textBaseline = 'middle';
    for (let m = low; m < high; m++) {
      const [a, b] = this.range(m);
      const y = this.y(m) + gap / 2;
      let last = -1;
      for (let k = a; k < b; k++) {
        const u = s.order[k];
        const x = Math.max(this.x(s.start[u]), this.left - 2);
        const w = Math.max(0.7, Math.min(this.x(s.end[u]), this.width + 2) - x);
        if (x + w - last < 0.6) continue;
        last = x + w;
        const i = this.key.of(u);
        const plain = this.picked < 0 || this.picked === i;
        c.globalAlpha = plain ? lookOf(this.key, i).shade : 0.12;
        c.fillStyle = this.colour(i);
        c.fillRect(x, y, w, row - gap);
        if (s.reduce[u]) { c.globalAlpha = 1; c.fillStyle = this.hatch; c.fillRect(x, y, w, row - gap); }
        if (w > 5 && row > 9) {
          c.globalAlpha = 0.5;
          c.strokeStyle = this.colours.edge;
          c.lineWidth = 1;
          c.strokeRect(x + 0.5, y + 0.5, w - 1, row - gap - 1);
        }
        c.globalAlpha = 1;
        if (w > 40 && row > 13 && plain) this.name(c, s.id[u], x, y + (row - gap) / 2, w);
      }
    }
  }

  // name writes a bar's name on a ground of its own, as hatching would make it hard to read.
  name(c, text, x, y, room) {
    let shown = text.length > 60 ? text.slice(0, 60) : text;
    while (shown && c.measureText(shown).width > room - 10) shown = shown.slice(0, Math.min(-1, -Math.ceil(shown.length / 6)));
    if (shown !== text) shown = shown.slice(0, -1) + '…';
    if (shown.length < 2) return;
    c.lineJoin = 'round';
    c.lineWidth = 3.5;
    c.strokeStyle = this.colours.paper;
    c.strokeText(shown, x + 5, y);
    c.fillStyle = this.colours.ink;
    c.fillText(shown, x + 5, y);
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
        c.fillStyle = this.picked >= 0 ? this.colour(this.picked) : reduces > maps ? this.colours.c1 : this.colours.c0;
        c.fillRect(x, y, w, h);
        if (reduces > maps) { c.globalAlpha = 0.6; c.fillStyle = this.hatch; c.fillRect(x, y, w, h); }
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
      t0: this.t0, t1: this.t1, m0: this.m0, m1: this.m1,
    });
    const [name, size] = unitOf(this.t1 - this.t0);
    const at = (t) => +(t / size).toPrecision(5);
    const whole = tasks === s.n;
    const text = `${at(this.t0)}–${at(this.t1)} ${name}, machines ${low + 1}–${high} of ${s.machines.length}, ${whole ? 'all ' : ''}${tasks} tasks`
      + (this.heat ? `; each cell: ${this.made.group} machine${this.made.group > 1 ? 's' : ''}` : '');
    if (this.told) this.told(text);
  }

  // taskAt is the task at a point; −1: none.
  taskAt(x, y) {
    const m = this.machineAt(y);
    if (x < this.left || y < 0 || y >= this.height - AXIS || m < 0 || m >= this.s.machines.length) return -1;
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
      ['start', seconds(s.start[u])], ['end', seconds(s.end[u])], ['takes', seconds(s.end[u] - s.start[u])],
      ...s.own.filter((c) => c.at(u) !== '').map((c) => [c.name.replaceAll('_', ' '), c.at(u)])];
  }

  // cellLines are what there is to say about a point of the aggregated picture; null: nothing.
  cellLines(x, y) {
    const g = this.made;
    const r = Math.floor(this.machineAt(y) / g.group) - g.from;
    const k = Math.floor((x - this.left) / (this.width - this.left) * g.columns);
    if (x < this.left || y >= this.height - AXIS || r < 0 || r >= g.rows || k < 0 || k >= g.columns) return null;
    const low = (g.from + r) * g.group;
    const high = Math.min(this.s.machines.length, low + g.group) - 1;
    const maps = g.busy[0][r * g.columns + k];
    const reduces = g.busy[1][r * g.columns + k];
    const from = this.t0 + k * g.length;
    return [this.s.machines[low] + (high > low ? ' … ' + this.s.machines[high] : ''),
      [['from', seconds(from)], ['until', seconds(from + g.length)], ['busy', percent(maps + reduces)], ['maps', percent(maps)], ['reduces', percent(reduces)]]];
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
