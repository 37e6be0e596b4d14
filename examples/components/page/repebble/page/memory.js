// ---- the data that all plans share ----
const B = D.before;
const outputs = new Array(D.ops.name.length).fill(0);
for (const v of D.values.op) ++outputs[v];
const opName = v => D.ops.name[v];
const valueName = x => opName(D.values.op[x]) + (outputs[D.values.op[x]] > 1 ? ', output ' + D.values.output[x] : '');
// A value that comes back, by its name, and as a cell of a table.
const returnName = r => r.copy && r.value >= 0 ? valueName(r.value) : opName(r.op);
const swatched = r =>
    [el('i', {class: 'swatch', style: `background:var(--${r.copy ? 'copied' : 'again'})`}),
     el('span', {}, breakable(returnName(r)))];
const sum = (all, f) => all.reduce((s, x) => s + f(x), 0);
const be = (n, one = 'is', more = 'are') => n === 1 ? one : more;
function lastNotAfter(array, x) {
  let low = 0, high = array.length - 1;
  while (low < high) {
    const mid = (low + high + 1) >> 1;
    if (array[mid] <= x) low = mid;
    else high = mid - 1;
  }
  return low;
}
const before = {
  time: new Float64Array(B.at.length + 1),
  steps: new Float64Array(B.at.length + 1)
};
B.at.forEach((v, k) => {
  before.time[k + 1] = before.time[k] + D.ops.time[v];
  before.steps[k + 1] = k + 1;
});
// One axis for all pictures along time: of time, or of the number of operations and copies so far.
const axis = {
  mode: before.time[B.at.length] > 0 ? 'time' : 'steps',
  low: 0,
  high: 1
};
// Five digits of the longest time, so that moments close together differ.
const longest = Math.max(0, ...D.plans.map(p => p.cost.time));
const [momentSize, momentName] = secondsOf ? timeUnit(longest) : [1, ''];
const momentDigits = Math.max(0, 4 - Math.floor(Math.log10(longest * (secondsOf || 1) / momentSize || 1)));
const moment = x => secondsOf ? (x * secondsOf / momentSize).toFixed(momentDigits) + SPACE + momentName : time(x);

// ---- one plan ----
// Its data by step, and what its pictures show: a page has one of them or two. P is nothing where there is no plan.
function viewOf(P) {
  const S = P && P.steps, N = S ? S.what.length : 0, cost = P && P.cost, M = P && P.buffers;
  const opOf = i => S.what[i] === 'c' ? S.at[i] : D.values.op[S.at[i]];
  const isAgain = i => S.what[i] === 'c' && S.run[i] > 0;
  function stepWords(i) {
    const name = S.what[i] === 'c' ? opName(S.at[i]) : valueName(S.at[i]);
    return name +
        {c: S.run[i] > 0 ? ' runs again' : '', d: ' is let go', o: ' is copied out', p: ' is copied in'}[S.what[i]];
  }

  // Step i stands before position[rank[i]]; discards take no room.
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
  const at = i => positions[axis.mode][rank[i]];
  const start = i => S.begin && i < N && S.what[i] !== 'd' ? S.begin[i] : positions.time[rank[i]];
  const when = i => axis.mode === 'time' ? moment(start(i)) : 'operation ' + rank[i].toLocaleString('en');

  // Reasons as objects, and the reason of a step.
  const R = !S ? [] : P.reasons.step.map((step, k) => {
    const r = {step};
    for (const name of Object.keys(P.reasons)) r[name] = P.reasons[name][k];
    r.copy = S.what[step] === 'p', r.op = opOf(step), r.time = r.copy ? 0 : D.ops.time[r.op];
    return r;
  });
  const reasonOf = new Map(R.map(r => [r.step, r]));
  const again = R.filter(r => !r.copy), copies = R.filter(r => r.copy);
  // The step at which the plan would need most if nothing had been let go, and what is away then.
  const crux = S ? P.crux.step : 0, across = R.filter(r => r.from < crux && crux < r.step);
  return {
    P, S, N, cost, M, opOf, isAgain, stepWords, work, rank, W, positions, bars, at, start, when, R, reasonOf, again,
    copies, crux, across, plots: [], chosen: null
  };
}
const views = D.plans.length ? D.plans.map(viewOf) : [viewOf(null)], pair = views.length > 1;
const nameOf = V => V.cost.found_by || `plan ${views.indexOf(V) + 1}`;
function wholeAxis() {
  axis.low = 0;
  axis.high = Math.max(before[axis.mode][B.at.length], ...views.map(V => V.positions[axis.mode][V.W])) || 1;
}
wholeAxis();

// ---- head ----
const card = (big, small) => el('div', {class: 'card'}, el('b', {}, big), el('span', {}, small));
function returnsOf({again, copies}) {
  const parts = [];
  if (again.length) parts.push(`${many(again.length, 'operation')} ${be(again.length, 'runs', 'run')} again`);
  if (copies.length)
    parts.push(`${many(copies.length, 'result')} ${be(copies.length)} copied to the host and back`);
  return parts.join(' and ');
}
function headOfOne(V) {
  const cost = V.cost, fits = cost && cost.peak <= D.budget;
  const words = !cost   ? 'no plan within ' + bytes(D.budget) :
      D.budget < B.peak ? 'within ' + bytes(D.budget) :
                          'in ' + bytes(cost.peak);
  byId('head').append(el('h1', {}, D.title ? D.title + ': ' + words : 'A plan ' + words));
  const says = el('p', {});
  byId('head').append(says);
  if (cost) {
    const returns = returnsOf(V);
    says.append(
        cost.peak < B.peak ? `Keeping everything needs ${bytes(B.peak)}; this plan needs ${bytes(cost.peak)}` :
                             `This plan needs ${bytes(cost.peak)}, as keeping everything does`,
        returns ? ` and takes ${percent(cost.overhead, D.once)} more time, because ${returns}. ` :
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
if (!pair) headOfOne(views[0]);

// ---- memory over time ----
// The subject of the cursor: an operation in all views, and in V a moment x along the axis.
let hover = null;
const tight = 0.99 * D.budget, limited = D.plans.length > 0 && D.budget < B.peak;
const alongTime = () => views.flatMap(V => V.plots);
function repaint() {
  for (const p of alongTime()) p.paint();
}
function repaintOver() {
  for (const p of alongTime()) p.paintOver();
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
  return words(axis.low, axis.high, pair ? 6 : 10);
}
const mostMemory = 1.1 *
    Math.max(B.peak, ...D.plans.map(p => p.cost.peak), Math.min(D.budget, 1.5 * B.peak), D.floor.size, 1);
const drawMemory = V => p => {
  const high = mostMemory, {S, W, work, positions, R} = V;
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
    const x = p.x(V.at(V.crux));
    if (x > p.left && x < p.right) {
      p.line(x, p.top, x, p.bottom, 'text', 1, [1, 3]);
      p.textAt('crux', [[x + 5, p.bottom - 10, 'left'], [x - 5, p.bottom - 10, 'right']], {bold: true});
    }
  }
};
const followMemory = V => p => {
  p.labels = [];
  const c = p.to, {S, at, chosen, rank, work, positions} = V, xs = positions[axis.mode];
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
  cross(V, p);
};
// The moment under the cursor; in other views, when the same operation runs and its results are copied.
function cross(V, p) {
  if (!hover) return;
  const upright = (x, width, dash) =>
      axis.low <= x && x <= axis.high && p.line(p.x(x), p.top, p.x(x), p.bottom, 'faint', width, dash);
  if (hover.V === V) upright(hover.x, 1);
  else for (const k of workOf(V, hover.op)) upright(V.positions[axis.mode][k], 1.2, [4, 3]);
}
const workOf = (V, op) => V.work.flatMap((i, k) => V.opOf(i) === op ? [k] : []);

const laneHeight = 20, laneNames = V => V.S.begin ? ['computes', 'copies out', 'copies in'] : ['computes'];
const laneOf = {
  c: 0,
  o: 1,
  p: 2
};
const barOf = ({bars}, p, k) => (axis.mode === 'time' ? [bars.begin[k], bars.end[k]] : [k, k + 1]).map(p.x);
const drawLanes = V => p => {
  const {S, W, work, isAgain} = V, names = laneNames(V);
  const passColour = i => isAgain(i) ? 'again' : ['forward', 'backward', 'input'][D.ops.pass[S.at[i]]];
  const few = V.again.length < 200 ? 1.5 : 0.2;  // few are seen even where they are short
  p.scale(axis.low, axis.high, 0, 1);
  p.clipped(c => {
    for (const late of [false, true])  // what runs again over all else
      for (let k = 0; k < W; ++k) {
        const i = work[k], row = laneOf[S.what[i]];
        if (isAgain(i) !== late || row >= names.length) continue;
        const [x0, x1] = barOf(V, p, k);
        if (x1 < p.left || x0 > p.right || (x1 === x0 && !late)) continue;
        c.fillStyle = colour(S.what[i] === 'c' ? passColour(i) : 'copied');
        c.fillRect(
            x0, p.top + row * laneHeight + 2, Math.max(late ? few : 0.2, x1 - x0 - (x1 - x0 > 3 ? 0.6 : 0)),
            laneHeight - 4);
      }
  });
  names.forEach(
      (name, row) =>
          p.text(name, p.left - 8, p.top + row * laneHeight + laneHeight / 2, {align: 'right', fill: 'faint'}));
};
const followLanes = V => p => {
  cross(V, p);
  if (hover)
    p.clipped(c => {
      c.strokeStyle = colour('text'), c.lineWidth = 2;
      for (const k of workOf(V, hover.op)) {
        const [x0, x1] = barOf(V, p, k), row = laneOf[V.S.what[V.work[k]]];
        if (row >= laneNames(V).length) continue;
        c.strokeRect(x0 - 1, p.top + row * laneHeight + 1, Math.max(x1 - x0, 1) + 2, laneHeight - 2);
      }
    });
};

{
  const box = byId('memory'), S = views.some(V => V.S), copying = views.some(V => V.S && V.S.begin);
  box.append(
      el('h2', {}, 'Memory over time'),
      el('p', {class: 'faint'},
         'Bytes in device memory during each operation. Point at a moment to see what runs and what is in memory' +
             (pair ? ', and when the same operation runs in the other plan' : '') +
             '; drag across to magnify, double-click for the whole. The arrow keys go from operation to operation.'));
  const mode = (name, words) =>
      el('button', {
        'aria-pressed': String(axis.mode === name),
        onclick: e => {
          axis.mode = name, hover = null, wholeAxis();
          for (const b of e.target.parentNode.querySelectorAll('button'))
            b.setAttribute('aria-pressed', String(b === e.target));
          repaint();
        }
      },
         words);
  if (before.time[B.at.length] > 0)
    box.append(el('div', {class: 'tools'}, 'along: ', mode('time', 'time'), mode('steps', 'operations')));
  const passes = new Set(D.ops.pass);
  const lanes = S && legend(
      ['forward', passes.has(1) ? 'forward' : 'runs first'], passes.has(1) && ['backward', 'backward'],
      views.some(V => V.again.length) && ['again', 'runs again'], copying && ['copied', 'copies']);
  box.append(legend(
      S && ['plan', pair ? 'the plan' : 'this plan', 'thin'], ['before', 'keeping everything'],
      ['budget', 'budget', 'thin dashes'], D.floor.size > 0 && ['floor', 'floor: no schedule needs less', 'thin dots'],
      limited && ['tight', 'tight: within 1\u00a0% of the budget']));
  if (pair) box.append(lanes);
  const columns = pair ? box.appendChild(el('div', {class: 'columns'})) : box;
  for (const V of views) {
    V.box = pair ? columns.appendChild(el('div', {})) : box;
    if (pair) V.box.append(el('h3', {}, nameOf(V)));
    V.says = el('p', {class: 'chosen', 'aria-live': 'polite'});
    if (!pair) box.append(V.says);
    V.memory = new Plot(V.box, pair ? 300 : 330, {bottom: 30}, drawMemory(V));
    V.memory.follow = followMemory(V), V.plots.push(V.memory);
    if (!V.S) continue;
    if (!pair) box.append(lanes);
    const plot = new Plot(V.box, 8 + laneHeight * laneNames(V).length, {top: 4, bottom: 4}, drawLanes(V));
    plot.follow = followLanes(V), V.plots.push(plot);
    if (pair) V.box.append(V.now = el('p', {class: 'now faint'}), V.says);
  }
}
