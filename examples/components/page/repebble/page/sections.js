// ---- why ----
// Whom a result that comes back serves in the end: past what runs again itself.
function servedBy({reasonOf}, r) {
  let i = r.needed;
  for (let next = reasonOf.get(i); next && next.needed >= 0; next = reasonOf.get(i)) i = next.needed;
  return i;
}
// Why a result is not simply held: the counterfactual.
function why(V, r) {
  const {S, opOf, when} = V, served = servedBy(V, r), copy = r.copy;
  const whom = served >= 0 ? `, for ${opName(opOf(served))} at ${when(served)}` : '';
  const head = `${returnName(r)} ${copy ? 'is copied back' : 'runs again'}${whom}. `;
  if (r.saved === 0)
    return head + (copy || r.value >= 0 ? 'It takes no memory of its own.' : 'Its results were still in memory.');
  const gone = `Not in memory from ${when(r.from + 1)} to ${when(r.step)}; `;
  const tightest = `step ${r.tight}, ${opName(opOf(r.tight))}`;
  if (r.above > 0) {
    const where =
        many(r.above, 'step') + (r.above > 1 ? ` from ${when(r.first)} to ${when(r.last)}, by up to ` : ' by ');
    const used = percent(S.bytes[r.tight], D.budget);
    return head + gone + `held, it would pass the budget at ${where}${bytes(r.held - D.budget)} ` +
        `(${tightest}, where the plan has ${used} of the budget in memory).`;
  }
  if (!r.held) return head + gone + 'nothing runs in between.';
  const room = bytes(D.budget - r.held);
  return head + gone + `held alone, it would fit: the least room, ${room} then, is at ${tightest}. ` +
      'The budget alone does not force this.';
}
// Shows in the pictures of a view when a result is not in memory; once more, or nothing: not any longer.
function choose(V, r) {
  V.chosen = V.chosen === r ? null : r;
  V.says.textContent = V.chosen ? why(V, V.chosen) : '';
  V.plots.forEach(p => p.paintOver());
}
const fateNames = ['held', 'runs again', 'copied', 'may run once only'],
      fateColours = ['held', 'again', 'copied', 'fixed'];
if (views[0].S && !pair) {
  const V = views[0], {P, S, cost, R, again, copies, across, crux, opOf, stepWords, when} = V;
  const there =
      B.there.map((x, k) => ({x, op: D.values.op[x], size: D.values.size[x], fate: P.fate[k], time: P.back[k]}))
          .filter(t => t.size > 0);
  const box = byId('why');
  box.append(
      el('h2', {}, again.length || !copies.length ? 'Why it recomputes what it does' : 'Why it copies what it does'));
  if (R.length === 0) {
    say(box, 'It recomputes nothing: ',
        D.budget >= B.peak ? 'everything fits.' :
                             'in this order of operations every result can stay until its last use.');
  } else {
    say(box, `Keeping every result until its last use needs ${bytes(B.peak)}, when ${opName(B.peak_op)} runs. `,
        limited ? `The budget is ${bytes(B.peak - D.budget)} less, so that much must be out of memory then.` : '');
    say(box, 'The crux of this plan, the step that would need most memory if nothing were let go, is ',
        `${stepWords(crux)}, at ${when(crux)} (step ${crux}): `,
        `${bytes(S.bytes[crux])} are in memory, ${percent(S.bytes[crux], D.budget)} of the budget, and `,
        `${many(across.length, 'result')} with ${bytes(sum(across, r => r.saved))} ${be(across.length)} not: `,
        `let go before, and brought back after. Were they held, that step would need ${bytes(P.crux.if_held)}.`);
    const forced = R.filter(r => r.above > 0).length, free = R.filter(r => r.above === 0 && r.saved > 0).length;
    const returns = [];
    if (again.length)
      returns.push(
          `${many(again.length, 'operation')} ${be(again.length, 'runs', 'run')} again, ` +
          `which takes ${time(sum(again, r => r.time))}`);
    if (copies.length)
      returns.push(
          `${many(copies.length, 'result')} ${be(copies.length)} copied back, ${bytes(cost.bytes_in)} together`);
    say(box, `${returns.join(', and ')}. `,
        forced ? `For ${forced === R.length ? 'each' : forced} of these results, memory would pass the budget at ` +
                'some step if that one alone stayed: it had to go, or another in its place. ' : '',
        free ? `${free} could stay in memory one at a time, but not all together.` : '');
    if (S.begin && cost.bytes_out > 0)
      say(box, `Over the link, ${bytes(cost.bytes_out)} go out and ${bytes(cost.bytes_in)} come in; at most `,
          `${bytes(cost.host_peak)} lie on the host. Computations wait ${time(cost.for_data)} for values, `,
          `${time(cost.for_memory)} for memory that is still copied out, and ${time(cost.at_end)} at the end.`);
    const rate = fate => {
      const all = there.filter(t => t.fate === fate);
      return sum(all, t => t.size) / sum(all, t => t.time);
    };
    const held = rate(0), cheap = rate(1),
          perUnit = v => bytes(secondsOf ? v * 1e-3 / secondsOf : v) + (secondsOf ? ' per ms' : ' per unit of time');
    if (again.length && isFinite(held) && isFinite(cheap) && cheap > held)
      say(box, 'It lets go what gives many bytes for little work: the results below that run again free ',
          `${perUnit(cheap)} of work to bring them back, from what is in memory at the crux; `,
          `those that are held would free ${perUnit(held)}.`);

    const columns = el('div', {class: 'columns'}), left = el('div'), right = el('div');
    columns.append(left, right), box.append(columns);
    // by kind
    const kinds = new Map();
    for (const t of there) {
      const name = D.ops.kind.length ? D.ops.kinds[D.ops.kind[t.op]] || 'other' :
                                       ['results', 'gradients', 'inputs'][D.ops.pass[t.op]];
      const k = kinds.get(name) ||
          kinds.set(name, {name, count: 0, size: 0, time: 0, fates: [0, 0, 0, 0], freed: 0}).get(name);
      ++k.count, k.size += t.size, k.time += t.time, ++k.fates[t.fate];
      if (t.fate === 1 || t.fate === 2) k.freed += t.size;
    }
    const all = [...kinds.values()].sort((a, b) => b.freed - a.freed || b.size - a.size).slice(0, 12);
    left.append(
        el('p', {}, el('b', {}, 'Results in memory at the peak of keeping everything, by kind')),
        table(
            [
              'kind', '#of them', '#run again', ...(copies.length ? ['#copied'] : []), '#bytes', '#freed',
              secondsOf ? '#bytes per ms to bring back' : '#bytes per unit of time'
            ],
            all.map(
                k =>
                    [k.name, k.count, k.fates[1], ...(copies.length ? [k.fates[2]] : []), bytes(k.size),
                     bytes(k.freed), k.time > 0 ? perUnit(k.size / k.time).replace(/ per .*/, '') : 'free'])));
    right.append(
        el('p', {}, el('b', {}, 'What each of them takes in memory, and costs to bring back')),
        legend(...[1, 2, 0, 3]
                   .filter(f => there.some(t => t.fate === f))
                   .map(f => [fateColours[f], fateNames[f], 'dot'])));
    const bySize = there.slice().sort((a, b) => b.size - a.size);
    const shownOnes = bySize.filter(t => t.size * 1000 >= bySize[0].size).slice(0, 3000),
          timed = shownOnes.filter(t => t.time > 0);
    const scatter = new Plot(right, 300, {left: 72, bottom: 44}, p => {
      const lowTime = Math.min(...timed.map(t => t.time), 1e300),
            highTime = Math.max(...timed.map(t => t.time), 1e-300);
      const sizes = shownOnes.map(t => t.size), l = timed.length ? lowTime / 1.6 : 0.5,
            h = timed.length ? highTime * 1.6 : 2;
      const low = Math.min(...sizes) / 1.7, high = Math.max(...sizes) * 1.7;
      p.scale(l, h, low, high, true);
      p.axes(logTicks(l, h, x => time(x).replace(/\.0+(?=\u00a0)/, '')), logByteTicks(low, high));
      p.text(
          'time to bring it back from what is in memory at the crux', (p.left + p.right) / 2, p.height - 8,
          {align: 'center', fill: 'faint'});
      p.points = [];
      for (const f of [3, 0, 2, 1])
        for (const t of shownOnes) {
          if (t.fate !== f) continue;
          const x = p.x(Math.max(t.time, l)), y = p.y(t.size);
          p.to.globalAlpha = 0.75, p.dot(x, y, 4, fateColours[f]), p.to.globalAlpha = 1, p.points.push([x, y, t]);
        }
    });
    const small = bySize.slice(shownOnes.length);
    if (small.length)
      right.append(el('p', {class: 'faint'}, `${many(small.length, 'smaller one')}, ${bytes(sum(small, t => t.size))} `,
                      `together, ${be(small.length)} left out.`));
    scatter.box.onpointermove = e => {
      const r = scatter.box.getBoundingClientRect(), mx = e.clientX - r.left, my = e.clientY - r.top;
      let best = null, nearest = 100;
      for (const [x, y, t] of scatter.points) {
        const d = (x - mx) ** 2 + (y - my) ** 2;
        if (d <= nearest) nearest = d, best = t;
      }
      if (best)
        tip(e, el('b', {}, valueName(best.x)),
            `${bytes(best.size)}, ${time(best.time)} to bring it back: ${fateNames[best.fate]}`);
      else tip(null);
    };
    scatter.box.onpointerleave = () => tip(null);

    // every one
    const list = el('div'),
          filter = el('input', {type: 'search', placeholder: 'name', 'aria-label': 'filter by name'});
    const order =
        el('select', {'aria-label': 'order'},
           ...[['saved', 'most bytes'], ['time', 'most time'], ['step', 'in time']].map(
               ([v, w]) => el('option', {value: v}, w)));
    const told = R.filter(r => r.saved > 0 || r.time > 0), untold = R.length - told.length;
    const fill = () => {
      const wanted = filter.value.toLowerCase();
      const found =
          told.filter(r => (opName(r.op) + (r.value >= 0 ? valueName(r.value) : '')).toLowerCase().includes(wanted));
      found.sort(
          (a, b) => order.value === 'step' ? a.step - b.step : b[order.value] - a[order.value] || a.step - b.step);
      firstRows(
          list, ['when', 'result', '#time', '#bytes let go', 'why'], found,
          r =>
              [when(r.step),
               el('span', {class: 'named'},
                  ...swatched(r)),
               r.copy ? 'copied' : time(r.time), bytes(r.saved), why(V, r)],
          (row, r) => {
            row.dataset.step = r.step, row.onclick = () => {
              choose(V, r), markRows();
              if (V.chosen) byId('memory').scrollIntoView({behavior: 'smooth'});
            };
            markRow(row);
          },
          'reasons');
    };
    const markRow = row => row.className = V.chosen && row.dataset.step === String(V.chosen.step) ? 'chosen' : '';
    const markRows = () => list.querySelectorAll('#reasons tbody tr').forEach(markRow);
    filter.oninput = order.onchange = fill;
    say(box, el('b', {}, 'Every result that comes back'),
        ' \u2013 click one to see in the pictures above when it is not in memory, and what memory would be if it ' +
            'were held.',
        untold ? ` ${many(untold, 'view')} at no cost ${be(untold)} left out.` : '');
    box.append(el('div', {class: 'tools'}, filter, order), list);
    fill();
  }
}

// ---- budget against time ----
{
  const C = D.curve, box = byId('trade'), points = [];
  for (let k = 0; k < C.budget.length; ++k)
    points.push({budget: C.budget[k], overhead: C.overhead[k], bound: C.bound[k], proven: C.proven[k]});
  const cost = D.plans.map(p => p.cost).filter(c => c.peak <= D.budget).sort((a, b) => a.overhead - b.overhead)[0];
  if (cost && !points.some(q => q.budget === D.budget))
    points.push({budget: D.budget, overhead: cost.overhead, bound: cost.lower_bound, proven: cost.proven});
  points.sort((a, b) => a.budget - b.budget);
  const fits = points.filter(q => q.overhead !== null), shownHere = pair ? views.map(nameOf) : ['automatic'];
  const rows = D.rows.filter(r => r.peak !== undefined && r.peak > 0 && !shownHere.includes(r.name));
  if (fits.length) {
    const of = t => 100 * t / (D.once || 1);
    const here = pair ? views.map(V => ({name: nameOf(V), ...V.cost})) :
        cost          ? [{name: 'this plan', ...cost, peak: D.budget}] :
                        [];
    const most = Math.max(...[...fits, ...here].map(q => of(q.overhead)), ...points.map(q => of(q.bound)), 1);
    const near = rows.filter(r => of(r.overhead) <= 2.5 * most), far = rows.filter(r => !near.includes(r));
    const dots = [...here, ...near];
    box.append(
        el('h2', {}, 'Budget against time'),
        el('p', {class: 'faint'},
           'Time above computing everything once, of the best plan known for each budget' +
               (points.length > 1 ? ', and a bound that no schedule is below. ' : '. No other budget was tried. ') +
               (far.length ? 'Above the picture: ' +
                        far.map(r => `${r.name} (${percent(r.overhead, D.once)})`).join(', ') + '.' :
                             '')));
    // What a twentieth more and less memory would bring, or the budgets next to that.
    if (cost && !pair) {
      const words = [`This plan, in ${bytes(D.budget)}: ${percent(cost.overhead, D.once)} more time.`];
      const told = (side, best) => {
        const wanted = D.budget * (1 + 0.05 * side);
        const q = points.filter(q => side * (q.budget - D.budget) > 0)
                      .sort((a, b) => Math.abs(a.budget - wanted) - Math.abs(b.budget - wanted))[0];
        if (!q) return;
        const overhead = Math.min(q.overhead === null ? Infinity : q.overhead, best);
        const bound = percent(q.bound, D.once);
        words.push(
            `With ${percent(side * (q.budget - D.budget), D.budget)} ${side > 0 ? 'more' : 'less'} memory, ` +
            bytes(q.budget) + ': ' +
            (overhead < Infinity ? percent(overhead, D.once) + ' more time' +
                     (q.proven || bound === percent(overhead, D.once) ? '' : `, and no schedule below ${bound}`) :
                 q.proven ? 'none exists' :
                            'no plan is known') +
            '.');
      };
      told(1, cost.overhead), told(-1, Infinity);
      if (words.length > 1) say(box, words.join(' '));
    }
    box.append(legend(
        points.length > 1 && ['plan', 'best plan known', 'thin'],
        points.length > 1 && ['plan', 'lower bound', 'thin dashes'],
        here.length > 0 && ['budget', pair ? 'these plans, at their peak' : 'this plan', 'dot'],
        near.length > 0 && ['fixed', 'other strategies, at their peak', 'dot'],
        D.floor.size > 0 && ['floor', 'floor', 'thin dots']));
    const trade = new Plot(box, 330, {bottom: 46, left: 84}, p => {
      const low = Math.min(D.floor.size || Infinity, ...points.map(q => q.budget), ...dots.map(r => r.peak));
      const high = Math.max(...points.map(q => q.budget), ...dots.map(r => r.peak), B.peak),
            wide = (high - low) * 0.05 || 1;
      const top = 1.12 * Math.max(most, ...dots.map(r => of(r.overhead)));
      p.scale(low - wide, high + wide, 0, top);
      const none = Math.max(D.floor.size, ...points.filter(q => q.overhead === null && q.proven).map(q => q.budget));
      const c = p.to;
      if (none > low - wide)
        c.fillStyle = colour('budget'), c.globalAlpha = 0.1,
        c.fillRect(p.left, p.top, p.x(none) - p.left, p.bottom - p.top), c.globalAlpha = 1;
      p.axes(byteTicks(low - wide, high + wide, 9), ticks(0, top, 6).map(t => [t, plain(t) + SPACE + '%']));
      p.text(
          'budget; upwards, more time than computing everything once', (p.left + p.right) / 2, p.height - 8,
          {align: 'center', fill: 'faint'});
      const path = (all, y) =>
          all.forEach((q, k) => k ? c.lineTo(p.x(q.budget), p.y(of(y(q)))) : c.moveTo(p.x(q.budget), p.y(of(y(q)))));
      const bounded = points.filter(q => q.overhead !== null || !q.proven);
      if (fits.length > 1) {
        c.beginPath(), path(fits, q => q.overhead), path2(fits.slice().reverse()), c.closePath();
        c.fillStyle = colour('plan'), c.globalAlpha = 0.14, c.fill(), c.globalAlpha = 1;
        c.beginPath(), path(fits, q => q.overhead), c.strokeStyle = colour('plan'), c.lineWidth = 2, c.stroke();
      }
      function path2(all) {
        for (const q of all) c.lineTo(p.x(q.budget), p.y(of(q.bound)));
      }
      c.beginPath(), path(bounded, q => q.bound), c.setLineDash([5, 3]),
          c.strokeStyle = colour('plan'), c.lineWidth = 1.3, c.stroke(), c.setLineDash([]);
      for (const q of fits) p.dot(p.x(q.budget), p.y(of(q.overhead)), 3.2, 'plan');
      if (D.floor.size > 0) {
        p.line(p.x(D.floor.size), p.top, p.x(D.floor.size), p.bottom, 'floor', 1.4, [2, 3]);
        p.textAt(
            'floor ' + bytes(D.floor.size),
            [[p.x(D.floor.size) + 6, p.top + 10, 'left'], [p.x(D.floor.size) + 6, p.bottom - 10, 'left']],
            {fill: 'floor', bold: true});
      }
      const around = (x, y) => [
          [x + 9, y - 9, 'left'], [x + 9, y + 10, 'left'], [x - 9, y - 9, 'right'], [x - 9, y + 10, 'right'],
          [x, y - 16, 'center'], [x, y + 17, 'center']];
      const spots = [];
      for (const r of dots) {
        const x = p.x(r.peak), y = p.y(of(r.overhead)), big = here.includes(r);
        spots.push([x, y, big ? 'budget' : 'fixed', r.name + (big ? ': ' + percent(r.overhead, D.once) : ''), big]);
      }
      for (const [x, y, fill, , big] of spots.slice().reverse()) p.dot(x, y, big ? 6 : 4.5, fill, 'back');
      for (const [x, y] of spots) p.reserve(x - 5, y - 5, x + 5, y + 5);
      for (const q of fits)
        p.reserve(p.x(q.budget) - 3, p.y(of(q.overhead)) - 3, p.x(q.budget) + 3, p.y(of(q.overhead)) + 3);
      for (const [x, y, fill, words, big] of spots)
        p.textAt(words, around(x, y), {fill: big ? fill : 'faint', bold: big});
      p.spots = [
        ...dots.map(
            r =>
                [p.x(r.peak), p.y(of(r.overhead)), r.name,
                 `${bytes(r.peak)}, ${percent(r.overhead, D.once)} more time`]),
        ...fits.map(
            q =>
                [p.x(q.budget), p.y(of(q.overhead)), `budget ${bytes(q.budget)}`,
                 `${percent(q.overhead, D.once)} more time; ` +
                     (q.proven || q.bound >= q.overhead ? 'time least' :
                                                          `no schedule below ${percent(q.bound, D.once)}`)])
      ];
    });
    trade.box.onpointermove = e => {
      const r = trade.box.getBoundingClientRect(), mx = e.clientX - r.left, my = e.clientY - r.top;
      let best = null, nearest = 150;
      for (const s of trade.spots) {
        const d = (s[0] - mx) ** 2 + (s[1] - my) ** 2;
        if (d <= nearest) nearest = d, best = s;
      }
      if (best) tip(e, el('b', {}, best[2]), best[3]);
      else tip(null);
    };
    trade.box.onpointerleave = () => tip(null);
  }
}

// ---- costs ----
if (D.rows.length)
  byId('costs').append(
      el('h2', {}, 'Costs'),
      table(
          ['strategy', '#peak', '#of keeping everything', '#more time', '#in per cent', '#planned in', 'remark'],
          D.rows.map(
              r => r.peak === undefined ?
                  [
                    r.name, '\u2013', '\u2013', '\u2013', '\u2013', r.seconds.toFixed(2) + SPACE + 's',
                    r.remark || 'no plan'
                  ] :
                  [
                    r.name, bytes(r.peak), percent(r.peak, B.peak), time(r.overhead), percent(r.overhead, D.once),
                    r.seconds.toFixed(2) + SPACE + 's', r.remark || (r.fits ? '' : 'does not fit')
                  ])));

// ---- floor ----
if (D.floor.op !== undefined) {
  const F = D.floor, box = byId('floor'), size = x => D.values.size[x];
  box.append(el('h2', {}, 'The floor'));
  if (F.results >= F.size) {
    say(box, `No schedule needs less than ${bytes(F.size)}: so many bytes have the results that stay to the end, `,
        `the largest from ${opName(F.op)}.`);
  } else {
    const parts = [
      ...F.reads.map(x => ['reads', valueName(x), size(x)]), ...F.writes.map(x => ['writes', valueName(x), size(x)]),
      ...(F.workspace ? [['workspace', opName(F.op), F.workspace]] : [])
    ].sort((a, b) => b[2] - a[2]);
    const whole = sum(parts, q => q[2]);
    if (whole > F.size) parts.push(['in place', 'written over what it reads', F.size - whole]);
    say(box, `No schedule needs less than ${bytes(F.size)}: while ${opName(F.op)} runs, `,
        'all that it reads and writes is in memory at once.',
        !pair && D.plans.length ? ` This plan has ${(D.plans[0].cost.peak / F.size).toFixed(2)} times that.` : '');
    box.append(table(['part', 'of', '#bytes', '#share'],
                     parts.slice(0, 12).map(q => [q[0], q[1], bytes(q[2]), percent(q[2], F.size)])));
    if (parts.length > 12) box.append(el('p', {class: 'faint'}, `and ${parts.length - 12} smaller ones`));
  }
}

function paintAll() {
  for (const p of plots) p.paint();
}
paintAll();
let waiting = 0;
window.addEventListener('resize', () => {
  cancelAnimationFrame(waiting), waiting = requestAnimationFrame(paintAll);
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', paintAll);
document.body.dataset.ready = 'yes';
