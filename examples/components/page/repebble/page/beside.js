// ---- two plans beside each other: figures, and what comes back in one of them only ----
if (pair) {
  const names = views.map(nameOf), costs = views.map(V => V.cost), box = byId('head');
  document.body.className = 'pair';
  box.append(
      el('h1', {}, (D.title ? D.title + ': ' : '') + names.join(' beside ')),
      el('p', {}, `Keeping everything needs ${bytes(B.peak)}, and the budget is ${bytes(D.budget)}. `,
         ...views.map((V, k) => {
           const returns = returnsOf(V), {peak, overhead} = V.cost;
           return `${names[k]} needs ${bytes(peak)}${peak > D.budget ? ', which is above it,' : ''} and takes ` +
               (returns ? `${percent(overhead, D.once)} more time, because ${returns}. ` : 'no more time. ');
         })));
  const signed = (f, x) => (x > 0 ? '+' : x < 0 ? '\u2212' : '') + f(Math.abs(x));
  const figure = (words, of, f) => [words, ...costs.map(c => f(of(c))), signed(f, of(costs[1]) - of(costs[0]))];
  box.append(table(['', ...names.map(n => '#' + breakable(n)), '#difference'], [
    figure('peak of memory', c => c.peak, bytes),
    ['of the budget', ...costs.map(c => percent(c.peak, D.budget)), ''],
    figure('time', c => c.time, time),
    figure('above computing everything once', c => c.overhead, time),
    ['in per cent', ...costs.map(c => percent(c.overhead, D.once)), ''],
    figure('operations that run again', c => c.runs_again, shown),
    figure('copied to the host', c => c.bytes_out, bytes),
    figure('copied back', c => c.bytes_in, bytes),
    ...(costs.some(c => c.host_peak > 0) ? [figure('most on the host', c => c.host_peak, bytes)] : [])
  ], 'figures'));

  // By operation that runs again, and by value that is copied back: how often in each.
  const returns = new Map();
  views.forEach((V, side) => {
    for (const r of V.R) {
      const key = r.copy ? 'copy ' + V.S.at[r.step] : r.op, one = returns.get(key) || {key, ...r, often: [0, 0]};
      ++one.often[side], returns.set(key, one);
    }
  });
  const found = [...returns.values()], moreOf = r => r.often[0] - r.often[1];
  const told = (copy, one, more, verb) => {
    const all = found.filter(r => r.copy === copy), both = all.filter(r => r.often[0] && r.often[1]);
    if (!all.length) return;
    const only = side => {
      const mine = all.filter(r => !r.often[1 - side]);
      const of = copy ? '' : `, which takes ${time(sum(mine, r => r.time * r.often[side]))}`;
      return `${many(mine.length, one, more)} only in ${names[side]}${mine.length ? of : ''}`;
    };
    say(byId('differences'), `${verb} ${only(0)}; ${only(1)}; ${many(both.length, one, more)} in both`,
        both.some(moreOf) ? `, of them ${both.filter(moreOf).length} more often in one.` : '.');
  };
  byId('differences').append(el('h2', {}, 'What comes back in one and not in the other'));
  if (!found.length) say(byId('differences'), 'Nothing runs again, and nothing is copied.');
  told(false, 'operation', 'operations', 'Run again:');
  told(true, 'result', 'results', 'Copied back:');
  const differing = found.filter(moreOf).sort(
      (a, b) => Math.abs(moreOf(b)) * b.time - Math.abs(moreOf(a)) * a.time || b.saved - a.saved);
  // Shows in each plan why it comes back, or says that it does not.
  const show = r => views.forEach((V, side) => {
    V.chosen = null, choose(V, V.R.find(q => r.copy ? 'copy ' + V.S.at[q.step] === r.key : !q.copy && q.op === r.op));
    const not = r.copy ? 'is not copied back' : 'does not run again';
    if (!V.chosen) V.says.textContent = `${returnName(r)} ${not} here.`;
    if (!side) byId('memory').scrollIntoView({behavior: 'smooth'});
  });
  if (differing.length) {
    const list = el('div');
    say(byId('differences'), 'Choose one to see in the pictures why it comes back.');
    byId('differences').append(list);
    firstRows(
        list, ['operation', ...names.map(n => '#in ' + breakable(n)), '#time of a run'], differing,
        r =>
            [el('button', {
               class: 'named',
               onclick: () => show(r),
               onfocus: () => mark(r.op),
               onblur: () => mark()
             },
                ...swatched(r)),
             ...r.often.map(shown), r.copy ? 'copied' : time(r.time)],
        (row, r) => {
          row.onpointerenter = () => mark(r.op), row.onpointerleave = () => mark();
        },
        'differing');
  }
}
