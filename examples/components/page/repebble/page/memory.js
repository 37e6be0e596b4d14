// ---- the data, by step ----
const S = D.steps, N = S ? S.what.length : 0, cost = D.cost;
const outputs = new Array(D.ops.name.length).fill(0);
for (const v of D.values.op) ++outputs[v];
const opName = v => D.ops.name[v];
const valueName = x => opName(D.values.op[x]) + (outputs[D.values.op[x]] > 1 ? ', output ' + D.values.output[x] : '');
const opOf = i => S.what[i] === 'c' ? S.at[i] : D.values.op[S.at[i]];
const isAgain = i => S.what[i] === 'c' && S.run[i] > 0;
function stepWords(i) {
  const name = S.what[i] === 'c' ? opName(S.at[i]) : valueName(S.at[i]);
  return name +
      {c: S.run[i] > 0 ? ' runs again' : '', d: ' is let go', o: ' is copied out', p: ' is copied in'}[S.what[i]];
}

// Positions along the axis: of time, and of the number of operations and copies so far. Step i stands before
// position[rank[i]]; discards take no room.
const work = [], rank = new Int32Array(N + 1);
for (let i = 0; i < N; ++i) {
  rank[i] = work.length;
  if (S.what[i] !== 'd') work.push(i);
}
rank[N] = work.length;
const W = work.length;
const positions = {
  time: new Float64Array(W + 1),
  steps: new Float64Array(W + 1)
};
const bars = {
  begin: new Float64Array(W),
  end: new Float64Array(W)
};
{
  let now = 0;
  work.forEach((i, k) => {
    const took = S.what[i] === 'c' ? D.ops.time[S.at[i]] : 0;
    bars.begin[k] = S.begin ? S.begin[i] : now, bars.end[k] = S.begin ? S.end[i] : now + took;
    // Memory follows the list: no step of it takes some before an earlier one; copies out take none.
    if (S.begin && S.what[i] !== 'o') now = Math.max(now, S.begin[i]);
    positions.time[k] = now;
    positions.steps[k] = k;
    if (!S.begin) now += took;
  });
  positions.time[W] = cost ? cost.time : 0, positions.steps[W] = W;
}
const B = D.before, before = {
  time: new Float64Array(B.at.length + 1),
  steps: new Float64Array(B.at.length + 1)
};
B.at.forEach((v, k) => {
  before.time[k + 1] = before.time[k] + D.ops.time[v];
  before.steps[k + 1] = k + 1;
});
const axis = {
  mode: before.time[B.at.length] > 0 ? 'time' : 'steps',
  low: 0,
  high: 1
};
function wholeAxis() {
  axis.low = 0, axis.high = Math.max(positions[axis.mode][W], before[axis.mode][B.at.length]) || 1;
}
wholeAxis();
const at = i => positions[axis.mode][rank[i]];
// Five digits of the whole time, so that moments close together differ.
const [momentSize, momentName] = secondsOf ? timeUnit(positions.time[W]) : [1, ''];
const momentDigits = Math.max(0, 4 - Math.floor(Math.log10(positions.time[W] * (secondsOf || 1) / momentSize || 1)));
const moment = x => secondsOf ? (x * secondsOf / momentSize).toFixed(momentDigits) + SPACE + momentName : time(x);
const start = i => S.begin && i < N && S.what[i] !== 'd' ? S.begin[i] : positions.time[rank[i]];
const when = i => axis.mode === 'time' ? moment(start(i)) : 'operation ' + rank[i].toLocaleString('en');
function lastNotAfter(array, x) {
  let low = 0, high = array.length - 1;
  while (low < high) {
    const mid = (low + high + 1) >> 1;
    if (array[mid] <= x) low = mid;
    else high = mid - 1;
  }
  return low;
}

// Reasons as objects, and the reason of a step.
const R = !S ? [] : D.reasons.step.map((step, k) => {
  const r = {step};
  for (const name of Object.keys(D.reasons)) r[name] = D.reasons[name][k];
  r.copy = S.what[step] === 'p', r.op = opOf(step), r.time = r.copy ? 0 : D.ops.time[r.op];
  return r;
});
const reasonOf = new Map(R.map(r => [r.step, r]));
const again = R.filter(r => !r.copy), copies = R.filter(r => r.copy);
// Whom a result that comes back serves in the end: past what runs again itself.
function servedBy(r) {
  let i = r.needed;
  for (let next = reasonOf.get(i); next && next.needed >= 0; next = reasonOf.get(i)) i = next.needed;
  return i;
}
// The step at which the plan would need most if nothing had been let go, and what is away then.
const crux = S ? D.crux.step : 0, across = R.filter(r => r.from < crux && crux < r.step);
const sum = (all, f) => all.reduce((s, x) => s + f(x), 0);

// ---- head ----
{
  const fits = cost && cost.peak <= D.budget;
  const words = !cost   ? 'no plan within ' + bytes(D.budget) :
      D.budget < B.peak ? 'within ' + bytes(D.budget) :
                          'in ' + bytes(cost.peak);
  byId('head').append(el('h1', {}, D.title ? D.title + ': ' + words : 'A plan ' + words));
  const says = el('p', {});
  byId('head').append(says);
  if (cost) {
    const parts = [];
    if (again.length)
      parts.push(many(again.length, 'operation') + (again.length === 1 ? ' runs' : ' run') + ' again');
    if (copies.length)
      parts.push(
          many(copies.length, 'result') + (copies.length === 1 ? ' is' : ' are') + ' copied to the host and back');
    says.append(
        cost.peak < B.peak ? `Keeping everything needs ${bytes(B.peak)}; this plan needs ${bytes(cost.peak)}` :
                             `This plan needs ${bytes(cost.peak)}, as keeping everything does`,
        parts.length ? ` and takes ${percent(cost.overhead, D.once)} more time, because ${parts.join(' and ')}. ` :
                       ' and takes no more time. ',
        cost.proven              ? 'No plan within this budget is faster: that is proven.' :
            cost.lower_bound > 0 ? `The fastest plan takes at least ${percent(cost.lower_bound, D.once)} more; ` +
                `this one is at most ${percent(cost.gap, 1)} slower than it.` :
                                   '');
    if (cost.found_by) says.append(` Found by ${cost.found_by}.`);
    if (!fits) says.append(' It is above the budget.');
  } else {
    says.append(
        `Keeping everything needs ${bytes(B.peak)}. ` +
        (D.floor.size > D.budget ? `No schedule fits: ${opName(D.floor.op)} alone needs ${bytes(D.floor.size)}.` :
                                   'No plan was found.'));
  }
  const card = (big, small) => el('div', {class: 'card'}, el('b', {}, big), el('span', {}, small));
  byId('head').append(
      el('div', {class: 'cards'},
         cost ? card(
                    `${bytes(B.peak)} \u2192 ${bytes(cost.peak)}`,
                    `peak of memory, ${percent(cost.peak, B.peak)} of keeping everything`) :
                card(bytes(B.peak), 'peak of memory when everything is kept'),
         cost ? card(`${time(D.once)} \u2192 ${time(cost.time)}`, `time, ${percent(cost.overhead, D.once)} more`) :
                card(time(D.once), 'time of computing everything once'),
         cost && (cost.proven || cost.lower_bound > 0) &&
             card(
                 cost.proven ? 'time least' : '\u2264 ' + percent(cost.gap, 1) + ' above least',
                 `no plan takes less than ${percent(cost.lower_bound, D.once)} more time`),
         D.floor.size > 0 &&
             card(
                 bytes(D.floor.size),
                 'floor: no schedule needs less' +
                     (D.floor.op === undefined ? '' : ', because of ' + opName(D.floor.op)))));
}

// ---- memory over time ----
let hover = null, chosen = null;
const tight = 0.99 * D.budget, limited = cost && D.budget < B.peak;
const memoryPlots = [];
function repaint() {
  for (const p of memoryPlots) p.paint();
}
function stairs(c, plot, xs, count, value) {
  for (let k = 0; k < count; ++k) {
    const y = plot.y(value(k));
    if (k === 0) c.moveTo(plot.x(xs[0]), y);
    else c.lineTo(plot.x(xs[k]), y);
    c.lineTo(plot.x(xs[k + 1]), y);
  }
}
function along() {
  const words = axis.mode === 'time' ? timeTicks : (l, h, n) => unitTicks(l, h, n, 1, '');
  return words(axis.low, axis.high, 10);
}
function drawMemory(p) {
  const high = 1.1 * Math.max(B.peak, cost ? cost.peak : 0, Math.min(D.budget, 1.5 * B.peak), D.floor.size, 1);
  p.scale(axis.low, axis.high, 0, high);
  const xs = positions[axis.mode], xb = before[axis.mode];
  p.axes(along(), byteTicks(0, high, 7));
  p.clipped(c => {
    if (limited) {
      c.fillStyle = colour('tight'), c.globalAlpha = 0.22;
      for (let k = 0; k < W; ++k) {
        const first = k;
        while (k < W && S.bytes[work[k]] >= tight) ++k;
        if (k > first) c.fillRect(p.x(xs[first]), p.top, Math.max(1, p.x(xs[k]) - p.x(xs[first])), p.bottom - p.top);
      }
      c.globalAlpha = 1;
    }
    c.beginPath(), stairs(c, p, xb, B.at.length, k => B.bytes[k]);
    c.lineTo(p.x(xb[B.at.length]), p.bottom), c.lineTo(p.x(0), p.bottom), c.closePath();
    c.fillStyle = colour('before'), c.globalAlpha = 0.55, c.fill(), c.globalAlpha = 1;
    if (W) {
      c.beginPath(), stairs(c, p, xs, W, k => S.bytes[work[k]]);
      c.strokeStyle = colour('plan'), c.lineWidth = 1.6, c.lineJoin = 'round', c.stroke();
      c.lineTo(p.x(xs[W]), p.bottom), c.lineTo(p.x(xs[0]), p.bottom);
      c.fillStyle = colour('plan'), c.globalAlpha = 0.13, c.fill(), c.globalAlpha = 1;
    }
  });
  const level = (v, c, dash) => v <= high && p.line(p.left, p.y(v), p.right, p.y(v), c, 1.4, dash);
  level(D.budget, 'budget', [7, 4]), D.floor.size > 0 && level(D.floor.size, 'floor', [2, 3]);
  const beside = v => [
      [p.right - 4, p.y(v) - 10, 'right'], [p.left + 6, p.y(v) - 10, 'left'], [p.right - 4, p.y(v) + 10, 'right'],
      [p.left + 6, p.y(v) + 10, 'left']];
  if (D.budget <= high) p.textAt('budget ' + bytes(D.budget), beside(D.budget), {fill: 'budget', bold: true});
  if (D.floor.size > 0) p.textAt('floor ' + bytes(D.floor.size), beside(D.floor.size), {fill: 'floor', bold: true});
  const top = B.bytes.reduce((best, b, k) => b > B.bytes[best] ? k : best, 0), xt = p.x(xb[top]);
  if (xt >= p.left && xt <= p.right)
    p.textAt(
        `keeping everything: ${bytes(B.peak)}`,
        [[xt, p.y(B.peak) - 12, 'center'], [xt + 8, p.y(B.peak), 'left'], [xt - 8, p.y(B.peak), 'right']],
        {fill: 'faint', bold: true});
  if (R.length) {
    const x = p.x(at(crux));
    if (x > p.left && x < p.right) {
      p.line(x, p.top, x, p.bottom, 'text', 1, [1, 3]);
      p.textAt('crux', [[x + 5, p.bottom - 10, 'left'], [x - 5, p.bottom - 10, 'right']], {bold: true});
    }
  }
}
function followMemory(p) {
  p.labels = [];
  const c = p.to, xs = positions[axis.mode];
  if (chosen) {
    const a = Math.max(p.left, p.x(at(chosen.from + 1))), b = Math.min(p.right, p.x(at(chosen.step)));
    if (b > a) {
      c.fillStyle = colour('again'), c.globalAlpha = 0.16, c.fillRect(a, p.top, b - a, p.bottom - p.top),
      c.globalAlpha = 1;
      p.line(a, p.top, a, p.bottom, 'again', 1.2), p.line(b, p.top, b, p.bottom, 'again', 1.2);
      p.clipped(() => {  // what memory would be
        c.beginPath();
        let first = true;
        for (let k = rank[chosen.from + 1]; k < rank[chosen.step]; ++k) {
          const y = p.y(S.bytes[work[k]] + chosen.saved);
          if (first) c.moveTo(p.x(xs[k]), y);
          else c.lineTo(p.x(xs[k]), y);
          c.lineTo(p.x(xs[k + 1]), y), first = false;
        }
        c.strokeStyle = colour('again'), c.lineWidth = 1.4, c.stroke();
      });
    }
  }
  cross(p);
}
function cross(p) {
  if (hover !== null && hover >= axis.low && hover <= axis.high)
    p.line(p.x(hover), p.top, p.x(hover), p.bottom, 'faint');
}

const passColour = i => isAgain(i) ? 'again' : ['forward', 'backward', 'input'][D.ops.pass[S.at[i]]];
const laneHeight = 20, laneNames = S && S.begin ? ['computes', 'copies out', 'copies in'] : ['computes'];
function drawLanes(p) {
  p.scale(axis.low, axis.high, 0, 1);
  const lane = {c: 0, o: 1, p: 2}, few = again.length < 200 ? 1.5 : 0.2;  // few are seen even where they are short
  p.clipped(c => {
    for (const late of [false, true])  // what runs again over all else
      for (let k = 0; k < W; ++k) {
        const i = work[k], row = lane[S.what[i]] || 0;
        if (isAgain(i) !== late || row >= laneNames.length) continue;
        const x0 = p.x(axis.mode === 'time' ? bars.begin[k] : k),
              x1 = p.x(axis.mode === 'time' ? bars.end[k] : k + 1);
        if (x1 < p.left || x0 > p.right || (x1 === x0 && !late)) continue;
        c.fillStyle = colour(S.what[i] === 'c' ? passColour(i) : 'copied');
        c.fillRect(
            x0, p.top + row * laneHeight + 2, Math.max(late ? few : 0.2, x1 - x0 - (x1 - x0 > 3 ? 0.6 : 0)),
            laneHeight - 4);
      }
  });
  laneNames.forEach(
      (name, row) =>
          p.text(name, p.left - 8, p.top + row * laneHeight + laneHeight / 2, {align: 'right', fill: 'faint'}));
}

{
  const box = byId('memory');
  box.append(
      el('h2', {}, 'Memory over time'),
      el('p', {class: 'faint'},
         'Bytes in device memory during each operation. Point at a moment to see what runs and what is in memory; ' +
             'drag across to magnify, double-click for the whole.'));
  const mode = (name, words) =>
      el('button', {
        'aria-pressed': String(axis.mode === name),
        onclick: e => {
          axis.mode = name, wholeAxis();
          for (const b of e.target.parentNode.querySelectorAll('button'))
            b.setAttribute('aria-pressed', String(b === e.target));
          repaint();
        }
      },
         words);
  if (before.time[B.at.length] > 0)
    box.append(el('div', {class: 'tools'}, 'along: ', mode('time', 'time'), mode('steps', 'operations')));
  box.append(legend(
      cost && ['plan', 'this plan', 'thin'], ['before', 'keeping everything'], ['budget', 'budget', 'thin dashes'],
      D.floor.size > 0 && ['floor', 'floor: no schedule needs less', 'thin dots'],
      limited && ['tight', 'tight: within 1\u00a0% of the budget']));
  box.append(el('p', {id: 'chosen'}));
  const memory = new Plot(box, 330, {bottom: 30}, drawMemory);
  memory.follow = followMemory, memoryPlots.push(memory);
  if (S) {
    const passes = new Set(D.ops.pass);
    box.append(legend(
        ['forward', passes.has(1) ? 'forward' : 'runs first'], passes.has(1) && ['backward', 'backward'],
        again.length && ['again', 'runs again'], S.begin && ['copied', 'copies']));
    const lanes = new Plot(box, 8 + laneHeight * laneNames.length, {top: 4, bottom: 4}, drawLanes);
    lanes.follow = p => cross(p), memoryPlots.push(lanes);
  }
}
