'use strict';
const D = JSON.parse(document.getElementById('data').textContent);
const byId = id => document.getElementById(id);
const colour = name => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();

// An element with attributes and children; text stays text, whatever is in it.
function el(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {}))
    if (name.startsWith('on')) e[name] = value;
    else e.setAttribute(name, value);
  e.append(...children.filter(c => c !== null && c !== undefined && c !== false && c !== ''));
  return e;
}

// ---- units ----
const SPACE = '\u00a0';
const byteUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
function digits(v) { return v >= 99.95 ? 0 : v >= 9.995 ? 1 : 2; }
function bytes(x) {
  let v = Math.abs(x), k = 0;
  for (; v >= 1023.5 && k < 6; ++k) v /= 1024;
  return (x < 0 ? '\u2212' : '') + v.toFixed(k === 0 ? 0 : digits(v)) + SPACE + byteUnits[k];
}
const secondsOf = {
  s: 1,
  ms: 1e-3,
  us: 1e-6,
  ns: 1e-9
}[D.unit];
const timeUnits = [[1, 's'], [1e-3, 'ms'], [1e-6, '\u00b5s'], [1e-9, 'ns']];
function timeUnit(x) { return timeUnits.find(u => Math.abs(x) * secondsOf >= 0.9995 * u[0]) || timeUnits[3]; }
function time(x) {
  if (!secondsOf) return shown(x) + SPACE + (x === 1 ? 'unit' : 'units');
  if (x === 0) return '0' + SPACE + 's';
  const [size, name] = timeUnit(x), v = x * secondsOf / size;
  return v.toFixed(digits(Math.abs(v))) + SPACE + name;
}
function shown(x) {
  return Number.isInteger(x) ? x.toLocaleString('en') : Number(x.toPrecision(4)).toLocaleString('en');
}
function percent(part, whole) {
  if (!(whole > 0)) return '0' + SPACE + '%';
  const p = 100 * part / whole;
  return (p === 0 ? '0' : Math.abs(p) < 0.1 ? p.toPrecision(1) : p.toFixed(Math.abs(p) < 9.95 ? 1 : 0)) + SPACE + '%';
}
const many = (n, one, more) => n.toLocaleString('en') + ' ' + (n === 1 ? one : more || one + 's');

// Round numbers between two, about so many.
function ticks(low, high, count) {
  const raw = (high - low) / count, power = 10 ** Math.floor(Math.log10(raw));
  const step = power * (raw / power <= 1 ? 1 : raw / power <= 2 ? 2 : raw / power <= 5 ? 5 : 10);
  const all = [];
  if (!(step > 0)) return all;
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high * (1 + 1e-9); ++k) all.push(k * step);
  return all;
}
const plain = x => Math.abs(x) >= 1e4 ? x.toLocaleString('en') : String(Number(x.toPrecision(6)));
function unitTicks(low, high, count, size, name) {
  return ticks(low / size, high / size, count).map(t => [t * size, plain(t) + (name && t !== 0 ? SPACE + name : '')]);
}
function byteTicks(low, high, count) {
  let k = 0;
  while (high / 1024 ** k >= 1200 && k < 6) ++k;
  return unitTicks(low, high, count, 1024 ** k, byteUnits[k]);
}
function timeTicks(low, high, count) {
  if (!secondsOf) return unitTicks(low, high, count, 1, '');
  const [size, name] = timeUnit(high);
  return unitTicks(low, high, count, size / secondsOf, name);
}
// Powers of ten and, between a few of them, their halves.
function logTicks(low, high, show) {
  const all = [];
  for (let e = Math.floor(Math.log10(low)); e <= Math.log10(high); ++e)
    for (const m of Math.log10(high / low) < 2.5 ? [1, 2, 5] : [1])
      if (m * 10 ** e >= low && m * 10 ** e <= high) all.push([m * 10 ** e, show(m * 10 ** e)]);
  return all;
}
function logByteTicks(low, high) {
  const all = [];
  for (let e = Math.ceil(Math.log2(low)); e <= Math.log2(high); ++e)
    if (Math.log2(high / low) < 8 || e % (Math.log2(high / low) < 20 ? 2 : 5) === 0)
      all.push([2 ** e, plain(2 ** (e % 10)) + SPACE + byteUnits[Math.floor(e / 10)]]);
  return all;
}

// ---- plots ----
const font = '12px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", "Liberation Sans", sans-serif';
const plots = [];
class Plot {
  // draw(plot) draws the picture, follow(plot) what is above it; both after begin().
  constructor(parent, height, margin, draw) {
    Object.assign(this, {height, draw, follow: null, margin: {left: 84, right: 32, top: 12, bottom: 30, ...margin}});
    this.box = el('div', {class: 'plot', style: `height:${height}px`});
    this.base = el('canvas'), this.over = el('canvas');
    this.box.append(this.base, this.over);
    parent.append(this.box);
    plots.push(this);
  }
  begin(canvas) {
    const ratio = window.devicePixelRatio || 1;
    this.width = this.box.clientWidth;
    canvas.width = Math.round(this.width * ratio), canvas.height = Math.round(this.height * ratio);
    this.to = canvas.getContext('2d');
    this.to.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.to.font = font;
    Object.assign(this, {
      left: this.margin.left,
      right: this.width - this.margin.right,
      top: this.margin.top,
      bottom: this.height - this.margin.bottom
    });
  }
  paint() { this.begin(this.base), this.labels = [], this.draw(this), this.paintOver(); }
  paintOver() {
    this.begin(this.over);
    if (this.follow) this.follow(this);
  }
  scale(x0, x1, y0, y1, logarithmic) {
    const f = logarithmic ? Math.log : x => x;
    const dx = f(x1) - f(x0) || 1, dy = f(y1) - f(y0) || 1;
    this.x = v => this.left + (f(v) - f(x0)) / dx * (this.right - this.left);
    this.y = v => this.bottom - (f(v) - f(y0)) / dy * (this.bottom - this.top);
    this.xOf = p => x0 + (p - this.left) / (this.right - this.left) * (x1 - x0);
  }
  // A label, left out where it would lie over an earlier one or stick out of the picture.
  text(words, x, y, {align = 'left', fill = 'text', bold = false, force = false} = {}) {
    const c = this.to;
    c.font = (bold ? '600 ' : '') + font;
    const w = c.measureText(words).width, x0 = align === 'left' ? x : align === 'right' ? x - w : x - w / 2;
    const box = [x0 - 3, y - 8, x0 + w + 3, y + 8];
    const free = x0 >= 0 && x0 + w <= this.width && y >= 6 && y <= this.height - 4 &&
        this.labels.every(b => b[2] <= box[0] || b[0] >= box[2] || b[3] <= box[1] || b[1] >= box[3]);
    if (!free && !force) return false;
    this.labels.push(box);
    c.textAlign = 'left', c.textBaseline = 'middle', c.lineJoin = 'round';
    c.strokeStyle = colour('back'), c.lineWidth = 4, c.globalAlpha = 0.8, c.strokeText(words, x0, y),
    c.globalAlpha = 1;
    c.fillStyle = colour(fill);
    c.fillText(words, x0, y);
    return true;
  }
  // The first place of several that is free.
  textAt(words, places, style) { return places.some(([x, y, align]) => this.text(words, x, y, {...style, align})); }
  // Keeps labels off a rectangle.
  reserve(x0, y0, x1, y1) { this.labels.push([x0, y0, x1, y1]); }
  line(x0, y0, x1, y1, stroke, width = 1, dash = []) {
    const c = this.to;
    c.strokeStyle = colour(stroke), c.lineWidth = width, c.setLineDash(dash);
    c.beginPath(), c.moveTo(x0, y0), c.lineTo(x1, y1), c.stroke(), c.setLineDash([]);
  }
  dot(x, y, r, fill, ring) {
    const c = this.to;
    c.beginPath(), c.arc(x, y, r, 0, 7), c.fillStyle = colour(fill), c.fill();
    if (ring) c.strokeStyle = colour(ring), c.lineWidth = 2, c.stroke();
  }
  clipped(f) {
    const c = this.to;
    c.save(), c.beginPath(), c.rect(this.left, this.top, this.right - this.left, this.bottom - this.top), c.clip();
    f(c), c.restore(), c.font = font;
  }
  axes(across, up) {
    for (const [v, words] of up) {
      const y = this.y(v);
      if (y < this.top - 1 || y > this.bottom + 1) continue;
      this.line(this.left, y, this.right, y, 'line');
      this.text(words, this.left - 8, y, {align: 'right', fill: 'faint'});
    }
    this.line(this.left, this.bottom, this.right, this.bottom, 'faint');
    for (const [v, words] of across) {
      const x = this.x(v);
      if (x < this.left - 1 || x > this.right + 1) continue;
      this.line(x, this.bottom, x, this.bottom + 5, 'faint');
      this.text(words, x, this.bottom + 16, {align: 'center', fill: 'faint'});
    }
  }
}
function tip(event, ...lines) {
  const t = byId('tip');
  if (!event) return void (t.style.display = 'none');
  t.replaceChildren(...lines.filter(l => l).map(l => typeof l === 'string' ? el('div', {}, l) : l));
  t.style.display = 'block';
  // Not over what stands beside the picture.
  const column = event.target.closest('.columns > div');
  const right = column ? column.getBoundingClientRect().right : Infinity;
  const w = t.offsetWidth, h = t.offsetHeight, x = event.clientX + 16;
  t.style.left = Math.max(4, Math.min(x + w > right ? x - w - 32 : x, innerWidth - w - 8)) + 'px';
  t.style.top =
      Math.max(4, event.clientY + 18 + h > innerHeight ? event.clientY - h - 12 : event.clientY + 18) + 'px';
}
// [colour, words, shape]
function legend(...entries) {
  return el(
      'div', {class: 'legend'},
      ...entries.filter(e => e).map(
          ([c, words, shape]) =>
              el('span', {}, el('i', {
                   class: shape || '',
                   style: (shape && shape !== 'dot' ? 'border-color' : 'background') + `:var(--${c})`
                 }),
                 words)));
}
function table(heads, rows, id) {
  const cell = (tag, c, k) => el(tag, heads[k].startsWith('#') ? {class: 'n'} : {}, c);
  return el(
      'table', id ? {id} : {},
      el('thead', {}, el('tr', {}, ...heads.map((h, k) => cell('th', h.replace(/^#/, ''), k)))),
      el('tbody', {}, ...rows.map(r => el('tr', {}, ...r.map((c, k) => cell('td', c, k))))));
}
// A table of the first of many, with a button for all; each(row, one) is told of every row.
function firstRows(box, heads, all, cells, each, id, most = 30) {
  const t = table(heads, all.slice(0, most).map(cells), id);
  [...t.tBodies[0].rows].forEach((row, k) => each(row, all[k]));
  box.replaceChildren(t);
  if (all.length > most)
    box.append(el(
        'button', {onclick: () => firstRows(box, heads, all, cells, each, id, Infinity)},
        `show all ${all.length.toLocaleString('en')}`));
}
const breakable = name => name.replace(/[._/]/g, '$&\u200b');
const say = (box, ...words) => box.append(el('p', {}, ...words));
