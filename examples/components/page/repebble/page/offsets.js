// ---- the map of offsets ----
const M = D.buffers;
function bufferColour(b) {
  const x = M.value[b], i = M.begin[b];
  if (x < 0) return 'workspace';
  if (S.what[i] === 'p') return 'copied';
  if (M.run[b] > 0) return 'again';
  return ['forward', 'backward', 'input'][D.ops.pass[D.values.op[x]]];
}
const bufferName = b => M.value[b] < 0 ? 'workspace of ' + opName(~M.value[b]) : valueName(M.value[b]);
function drawMap(p) {
  const high = 1.04 * Math.max(M.height, 1);
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
      c.fillStyle = colour(bufferColour(b)), c.globalAlpha = 0.85;
      c.fillRect(x0, y0, Math.max(x1 - x0, 0.7) - (thick ? 0.7 : 0), Math.max(y1 - y0, 0.4) - (thick ? 0.7 : 0));
      c.globalAlpha = 1;
      if (x1 - x0 > 60 && y1 - y0 > 13) named.push([Math.max(x0, p.left), y0, x1, y1, bufferName(b)]);
    }
    c.fillStyle = colour('on-bar'), c.textBaseline = 'middle', c.font = '11px ' + font.slice(5), c.textAlign = 'left';
    for (const [x0, y0, x1, y1, name] of named) {
      let words = name;
      while (words.length > 5 && c.measureText(words).width > x1 - x0 - 8)
        words = words.slice(0, -2).replace(/\u2026$/, '') + '\u2026';
      if (words.length > 5 || words === name) c.fillText(words, x0 + 4, (y0 + y1) / 2);
    }
  });
}
function followMap(p) {
  p.labels = [];
  p.clipped(c => {
    c.strokeStyle = colour('text'), c.lineWidth = 2;
    for (const box of p.boxes) {
      const [x0, y0, x1, y1, b] = box, isChosen = chosen && M.value[b] >= 0 && D.values.op[M.value[b]] === chosen.op;
      if (isChosen || box === p.under) c.strokeRect(x0, y0, x1 - x0, y1 - y0);
    }
  });
  cross(p);
}
// The largest buffers in memory during a step.
function resident(i, count) {
  const there = [];
  for (let b = 0; b < M.size.length; ++b)
    if (M.begin[b] <= i && i < M.end[b] && M.size[b] > 0) there.push(b);
  there.sort((a, b) => M.size[b] - M.size[a]);
  return [there.length, there.slice(0, count)];
}

{
  let map = null;
  if (S && M.offset) {
    const box = byId('memory');
    const larger = M.height > cost.peak ? ` for at most ${bytes(cost.peak)} at once` : '';
    const size = bytes(M.height) + (M.least ? ', and none is smaller' : larger);
    box.append(
        el('h2', {}, 'Where everything lies'),
        el('p', {class: 'faint'}, `One block of ${size}: time from left to right, addresses upwards, `,
           'a rectangle for every result and workspace. Point at one for its name.'));
    const passes = new Set(D.ops.pass), has = new Set(M.size.map((_, b) => bufferColour(b)));
    box.append(legend(
        has.has('input') && ['input', 'inputs'],
        ['forward', passes.has(1) ? 'results of the forward pass' : 'results'],
        has.has('backward') && ['backward', 'gradients'], has.has('again') && ['again', 'computed again'],
        has.has('copied') && ['copied', 'copied in'], has.has('workspace') && ['workspace', 'workspaces']));
    map = new Plot(box, 360, {}, drawMap);
    map.follow = followMap, memoryPlots.push(map);
  }
  // The mouse: one cross through all pictures; dragging magnifies.
  for (const p of memoryPlots) {
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
      hover = null, from = null, p.under = null, tip(null), memoryPlots.forEach(q => q.paintOver());
    };
    p.box.onpointermove = e => {
      hover = Math.max(axis.low, Math.min(axis.high, place(e)));
      const rect = p.box.getBoundingClientRect(), mx = e.clientX - rect.left, my = e.clientY - rect.top;
      p.under = null;
      if (p === map)
        for (const b of p.boxes)
          if (b[0] <= mx && mx <= b[2] && b[1] <= my && my <= b[3]) p.under = b;
      memoryPlots.forEach(q => q.paintOver());
      const kb = Math.min(B.at.length - 1, lastNotAfter(before[axis.mode], hover));
      if (!S) return tip(e, opName(B.at[kb]), `keeping everything: ${bytes(B.bytes[kb])}`);
      if (p.under) {
        const b = p.under[4];
        return tip(
            e, el('b', {}, bufferName(b)), `${bytes(M.size[b])} at address ${bytes(M.offset[b])}`,
            `from ${when(M.begin[b])} to ${when(M.end[b])} (steps ${M.begin[b]} to ${M.end[b]})` +
                (M.run[b] > 0 && M.value[b] >= 0 ? `, run ${M.run[b] + 1}` : ''));
      }
      let k = Math.min(W - 1, lastNotAfter(positions[axis.mode], hover));
      while (k > 0 && S.what[work[k]] === 'o') --k;  // what takes memory
      const i = work[k], [count, largest] = resident(i, 6);
      tip(e, el('b', {}, stepWords(i)),
          `at ${moment(start(i))}, step ${i.toLocaleString('en')} of ${N.toLocaleString('en')}`,
          `${bytes(S.bytes[i])} in memory, ${percent(S.bytes[i], D.budget)} of the budget`,
          `keeping everything, at this ${axis.mode === 'time' ? 'time' : 'operation'}: ${bytes(B.bytes[kb])}`,
          el('div', {class: 'faint'}, `largest of ${count} in memory:`),
          ...largest.map(b => el('div', {}, `${bytes(M.size[b])}\u2002${bufferName(b)}`)));
    };
  }
}
