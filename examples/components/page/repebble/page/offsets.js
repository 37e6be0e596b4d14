// ---- the map of offsets ----
function bufferColour({S, M}, b) {
  const x = M.value[b], i = M.begin[b];
  if (x < 0) return 'workspace';
  if (S.what[i] === 'p') return 'copied';
  if (M.run[b] > 0) return 'again';
  return ['forward', 'backward', 'input'][D.ops.pass[D.values.op[x]]];
}
const bufferOp = ({M}, b) => M.value[b] < 0 ? ~M.value[b] : D.values.op[M.value[b]];
const bufferName = ({M}, b) => M.value[b] < 0 ? 'workspace of ' + opName(~M.value[b]) : valueName(M.value[b]);
const mostHeight = 1.04 * Math.max(1, ...D.plans.map(p => p.buffers.height || 0));
const drawMap = V => p => {
  const {M, at} = V, high = mostHeight;
  p.scale(axis.low, axis.high, 0, high);
  p.axes(along(), byteTicks(0, high, 6));
  p.boxes = [];
  const named = [];
  p.clipped(c => {
    for (let b = 0; b < M.size.length; ++b) {
      const x0 = p.x(at(M.begin[b])), x1 = p.x(at(M.end[b])), y0 = p.y(M.offset[b] + M.size[b]),
            y1 = p.y(M.offset[b]);
      if (x1 < p.left || x0 > p.right || M.size[b] === 0) continue;
      p.boxes.push([x0, y0, Math.max(x1, x0 + 1), y1, b]);
      const thick = x1 - x0 > 3 && y1 - y0 > 3;
      c.fillStyle = colour(bufferColour(V, b)), c.globalAlpha = 0.85;
      c.fillRect(x0, y0, Math.max(x1 - x0, 0.7) - (thick ? 0.7 : 0), Math.max(y1 - y0, 0.4) - (thick ? 0.7 : 0));
      c.globalAlpha = 1;
      if (x1 - x0 > 60 && y1 - y0 > 13) named.push([Math.max(x0, p.left), y0, x1, y1, bufferName(V, b)]);
    }
    c.fillStyle = colour('on-bar'), c.textBaseline = 'middle', c.font = '11px ' + font.slice(5), c.textAlign = 'left';
    for (const [x0, y0, x1, y1, name] of named) {
      let words = name;
      while (words.length > 5 && c.measureText(words).width > x1 - x0 - 8)
        words = words.slice(0, -2).replace(/\u2026$/, '') + '\u2026';
      if (words.length > 5 || words === name) c.fillText(words, x0 + 4, (y0 + y1) / 2);
    }
  });
};
const followMap = V => p => {
  const {M, chosen} = V;
  p.labels = [];
  p.clipped(c => {
    c.strokeStyle = colour('text'), c.lineWidth = 2;
    for (const box of p.boxes) {
      const [x0, y0, x1, y1, b] = box, isChosen = chosen && M.value[b] >= 0 && D.values.op[M.value[b]] === chosen.op;
      const isHovered = hover && (hover.V !== V || pair) && M.value[b] >= 0 && D.values.op[M.value[b]] === hover.op;
      if (isChosen || isHovered || box === p.under) c.strokeRect(x0, y0, x1 - x0, y1 - y0);
    }
  });
  cross(V, p);
};
// The largest buffers in memory during a step.
function resident({M}, i, count) {
  const there = [];
  for (let b = 0; b < M.size.length; ++b)
    if (M.begin[b] <= i && i < M.end[b] && M.size[b] > 0) there.push(b);
  there.sort((a, b) => M.size[b] - M.size[a]);
  return [there.length, there.slice(0, count)];
}

// ---- the cursor ----
// It marks an operation in all views: in V, where one is given, at work k, which is at x along the axis.
function mark(op, V, k, x) {
  hover = op === undefined ? null : {op, V, x};
  repaintOver();
  for (const U of pair ? views : [])
    U.now.textContent = hover ? momentsOf(U, op, U === V ? k : V && sameWork(U, V, k)) : '';
}
// When a view runs and copies an operation, and its memory at work k.
function momentsOf(V, op, k) {
  const all = workOf(V, op).map(q => V.work[q]);
  const times = [['c', 'runs at '], ['o', 'is copied out at '], ['p', 'is copied in at ']].flatMap(([kind, words]) => {
    const steps = all.filter(i => V.S.what[i] === kind);
    return steps.length ? words + steps.slice(0, 4).map(V.when).join(', ') + (steps.length > 4 ? ', \u2026' : '') : [];
  });
  return `${opName(op)} ${times.join('; ') || 'does not run'}` +
      (k === undefined ? '' : `; ${bytes(V.S.bytes[V.work[k]])} in memory at ${V.when(V.work[k])}`);
}
// The work of U that is work k of V: the same run of the same operation, or its last.
function sameWork(U, V, k) {
  const {what, run} = V.S, i = V.work[k];
  const all = workOf(U, V.opOf(i)).filter(q => U.S.what[U.work[q]] === what[i]);
  return all.find(q => U.S.run[U.work[q]] === run[i]) ?? all.at(-1);
}
// Puts it on a work of a view, and says at a place of the screen what runs and what is in memory then.
function pointAt(V, k, x, place) {
  const {S, work, N, start, stepWords} = V, i = work[k], kb = beforeAt(x), [count, largest] = resident(V, i, 6);
  mark(V.opOf(i), V, k, x);
  tip(place, el('b', {}, stepWords(i)),
      `at ${moment(start(i))}, step ${i.toLocaleString('en')} of ${N.toLocaleString('en')}`,
      `${bytes(S.bytes[i])} in memory, ${percent(S.bytes[i], D.budget)} of the budget`,
      `keeping everything, at this ${axis.mode === 'time' ? 'time' : 'operation'}: ${bytes(B.bytes[kb])}`,
      el('div', {class: 'faint'}, `largest of ${count} in memory:`),
      ...largest.map(b => el('div', {}, `${bytes(V.M.size[b])}\u2002${bufferName(V, b)}`)));
}
const beforeAt = x => Math.min(B.at.length - 1, lastNotAfter(before[axis.mode], x));
// The arrow keys go from operation to operation.
function addKeys(V) {
  const {box} = V.memory;
  for (const [name, value] of Object.entries({
         tabindex: 0,
         role: 'slider',
         'aria-label': 'moment' + (pair ? ' of ' + nameOf(V) : ''),
         'aria-valuemin': 0,
         'aria-valuemax': V.W - 1,
         'aria-valuenow': 0
       }))
    box.setAttribute(name, value);
  let k = 0;
  box.onkeydown = e => {
    const to = {
      ArrowLeft: k - 1,
      ArrowRight: k + 1,
      PageUp: k - 10,
      PageDown: k + 10,
      Home: 0,
      End: V.W - 1
    }[e.key];
    if (e.key === 'Escape') return mark(), tip(null);
    if (to === undefined) return;
    e.preventDefault();
    k = Math.max(0, Math.min(V.W - 1, to));
    const x = V.positions[axis.mode][k];
    if (x < axis.low || x > axis.high) wholeAxis(), repaint();
    const r = box.getBoundingClientRect();
    pointAt(V, k, x, {clientX: r.left + V.memory.x(x), clientY: r.top + r.height / 2, target: box});
    box.setAttribute('aria-valuenow', k), box.setAttribute('aria-valuetext', byId('tip').innerText);
  };
  box.onblur = () => {
    mark(), tip(null);
  };
}
// The mouse in a picture along time: dragging magnifies all.
function addMouse(V, p, map) {
  let from = null;
  const place = e => p.xOf(e.clientX - p.box.getBoundingClientRect().left);
  p.box.onpointerdown = e => {
    from = e.clientX;
  };
  p.box.onpointerup = e => {
    if (from !== null && Math.abs(e.clientX - from) > 6) {
      const left = p.box.getBoundingClientRect().left, a = p.xOf(from - left), b = p.xOf(e.clientX - left);
      axis.low = Math.max(0, Math.min(a, b)), axis.high = Math.min(Math.max(a, b), axis.high), repaint();
    }
    from = null;
  };
  p.box.ondblclick = () => {
    wholeAxis(), repaint();
  };
  p.box.onpointerleave = () => {
    from = null, p.under = null, tip(null), mark();
  };
  p.box.onpointermove = e => {
    const x = Math.max(axis.low, Math.min(axis.high, place(e)));
    const rect = p.box.getBoundingClientRect(), mx = e.clientX - rect.left, my = e.clientY - rect.top;
    const {S, M, W, work, when} = V;
    p.under = null;
    if (p === map)
      for (const b of p.boxes)
        if (b[0] <= mx && mx <= b[2] && b[1] <= my && my <= b[3]) p.under = b;
    if (!S) {
      const kb = beforeAt(x);
      mark(B.at[kb], V, 0, x);
      return tip(e, opName(B.at[kb]), `keeping everything: ${bytes(B.bytes[kb])}`);
    }
    let k = Math.min(W - 1, lastNotAfter(V.positions[axis.mode], x));
    while (k > 0 && S.what[work[k]] === 'o') --k;  // what takes memory
    if (!p.under) return pointAt(V, k, x, e);
    const b = p.under[4];
    mark(bufferOp(V, b), V, V.rank[M.begin[b]], x);
    tip(e, el('b', {}, bufferName(V, b)), `${bytes(M.size[b])} at address ${bytes(M.offset[b])}`,
        `from ${when(M.begin[b])} to ${when(M.end[b])} (steps ${M.begin[b]} to ${M.end[b]})` +
            (M.run[b] > 0 && M.value[b] >= 0 ? `, run ${M.run[b] + 1}` : ''));
  };
}

{
  const mapped = views.filter(V => V.S && V.M.offset);
  if (mapped.length) {
    const box = byId('memory');
    const lies = ({M, cost}) => {
      const larger = M.height > cost.peak ? ` for at most ${bytes(cost.peak)} at once` : '';
      return bytes(M.height) + (M.least ? ', and none is smaller' : larger);
    };
    box.append(
        el('h2', {}, 'Where everything lies'),
        el('p', {class: 'faint'},
           pair ? 'One block for each: time from left to right, addresses upwards, ' :
                  `One block of ${lies(mapped[0])}: time from left to right, addresses upwards, `,
           'a rectangle for every result and workspace. Point at one for its name.'));
    const passes = new Set(D.ops.pass);
    const has = new Set(mapped.flatMap(V => V.M.size.map((_, b) => bufferColour(V, b))));
    box.append(legend(
        has.has('input') && ['input', 'inputs'],
        ['forward', passes.has(1) ? 'results of the forward pass' : 'results'],
        has.has('backward') && ['backward', 'gradients'], has.has('again') && ['again', 'computed again'],
        has.has('copied') && ['copied', 'copied in'], has.has('workspace') && ['workspace', 'workspaces']));
    const columns = pair ? box.appendChild(el('div', {class: 'columns'})) : box;
    for (const V of mapped) {
      const column = pair ? columns.appendChild(el('div', {}, el('h3', {}, `${nameOf(V)}: ${lies(V)}`))) : box;
      const map = new Plot(column, 360, {}, drawMap(V));
      map.follow = followMap(V), V.plots.push(map), V.map = map;
    }
  }
  for (const V of views) {
    for (const p of V.plots) addMouse(V, p, V.map);
    if (V.W) addKeys(V);
  }
}
