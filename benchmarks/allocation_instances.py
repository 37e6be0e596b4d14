#!/usr/bin/env python3
"""Deterministic generator of buffer-lifetime instances that look like training traces.

CSV out: id,lower,upper,size   (half-open lifetime [lower,upper), size in bytes)

  allocation_instances.py train   N SEED OUT   -- transformer/conv-like forward + backward step(s)
  allocation_instances.py ckpt    N SEED OUT   -- same with sqrt-checkpointing (segments recomputed)
  allocation_instances.py pipe    N SEED OUT   -- 1F1B pipeline stage: many micro-batches in flight (FIFO, not nested)
  allocation_instances.py moe     N SEED OUT   -- 1F1B stage with experts of random load, bucketed collectives and prefetched weights
  allocation_instances.py tiling  N SEED OUT   -- rectangle dissected in N parts: OPTIMUM == max-live == 2**40 exactly
Only the standard library is used; random.Random(seed) is stable across CPython 3.x.
"""
import random, sys

A = 512  # sizes are multiples of 512 B, as caching allocators round

def rnd(x):
    return max(A, (int(x) + A - 1) // A * A)

class T:
    """time-stepped builder: every op occupies one time step"""
    def __init__(s):
        s.t = 0
        s.b = []           # [lower, upper, size]
    def alloc(s, size):
        s.b.append([s.t, None, rnd(size)])
        return len(s.b) - 1
    def free(s, i):        # dies after the present step
        s.b[i][1] = s.t + 1
    def step(s):
        s.t += 1

def layer_profile(r, kind):
    """list of (relative size, kept_for_backward, n_workspace) per op in a layer"""
    if kind == 'tf':   # transformer block: ln, qkv, scores, softmax, ctx, proj, ln, fc1, gelu, fc2
        h = 1.0
        s = r.choice([0.5, 1.0, 2.0, 4.0])     # seq*heads/hidden ratio
        return [(h, 1, 0), (3*h, 1, 1), (s*h, 0, 1), (s*h, 1, 0), (h, 1, 1), (h, 0, 1),
                (h/16, 1, 0), (h, 1, 0), (4*h, 1, 1), (4*h, 1, 0), (h, 0, 1)]
    h = r.choice([1, 1, .5, .5, .25, 2])       # conv block: conv, bn, relu x k
    return [(h, 1, 1), (h, 0, 0), (h, 1, 0), (h*r.choice([1, 4]), 1, 2), (h, 0, 0), (h, 1, 0)]

def forward(tb, r, prof, base, kept, prev):
    """emit the ops of one layer; returns the layer's output buffer. kept: list to append (buf, relsize)"""
    for rel, keep, nws in prof:
        out = tb.alloc(base * rel)
        ws = [tb.alloc(base * r.choice([1/64, 1/8, 1/4, 1/2, 1, 2]) * r.uniform(.5, 1)) for _ in range(nws)]
        for w in ws: tb.free(w)
        if prev is not None and not prev[1]: tb.free(prev[0])     # input dies here if not kept
        if keep: kept.append((out, rel))
        prev = (out, keep)
        tb.step()
    return prev

def backward(tb, r, prof, base, kept, grad, wgrads, wsize):
    for rel, keep, nws in reversed(prof):
        g = tb.alloc(base * rel)
        for _ in range(nws):
            w = tb.alloc(base * r.choice([1/64, 1/8, 1/4, 1/2, 1, 2]) * r.uniform(.5, 1)); tb.free(w)
        if nws: wgrads.append(tb.alloc(wsize * rel * r.choice([.25, 1, 4])))
        if grad is not None: tb.free(grad)
        if keep and kept: tb.free(kept.pop()[0])
        grad = g
        tb.step()
    return grad

def train(n, r, ckpt=False):
    tb = T(); nth = 0
    while len(tb.b) < n:                      # one training step after another until n buffers exist
        left = n - len(tb.b)
        L = max(2, min(left // (30 if ckpt else 24), r.choice([48, 96, 200, 400, 1000]) if n > 20000 else 160))
        kind = r.choice(['tf', 'conv']); base = r.choice([1 << 18, 1 << 20, 3 << 20]) * r.uniform(.7, 1.3)
        profs = []; p = layer_profile(r, kind); bs = base
        for l in range(L):
            if kind == 'conv' and l % 12 == 11: bs /= 2
            if r.random() < (.05 if kind == 'tf' else .3): p = layer_profile(r, kind)
            profs.append((p, max(bs, 4096)))
        wg = []; wsize = base / 8
        seg = max(1, int(L ** .5)) if ckpt else None
        keptL = [[] for _ in range(L)]; prev = None; cps = []; skips = []
        for l, (p, b) in enumerate(profs):
            k = keptL[l]
            prev = forward(tb, r, p, b, k, prev)
            if r.random() < .1:               # long skip (U-net / dense connection)
                skips.append((tb.alloc(b * .5), r.randint(l, L)))
            for s in [s for s in skips if s[1] <= l]: tb.free(s[0]); skips.remove(s)
            if ckpt:
                for (x, _) in k: tb.b[x][1] = tb.t + r.randint(1, 2)   # released soon after the layer
                k.clear()
                if l % seg == 0: cps.append((l, tb.alloc(b)))
        if prev and tb.b[prev[0]][1] is None and not prev[1]: tb.free(prev[0])
        for s in skips: tb.free(s[0])
        grad = tb.alloc(base); tb.step()
        if not ckpt:
            for l in range(L - 1, -1, -1):
                p, b = profs[l]
                grad = backward(tb, r, p, b, keptL[l], grad, wg, wsize)
        else:
            hi = L
            while cps:
                lo, cp = cps.pop(); prev = None
                for l in range(lo, hi): prev = forward(tb, r, profs[l][0], profs[l][1], keptL[l], prev)
                if prev and not prev[1] and tb.b[prev[0]][1] is None: tb.free(prev[0])
                for l in range(hi - 1, lo - 1, -1):
                    grad = backward(tb, r, profs[l][0], profs[l][1], keptL[l], grad, wg, wsize)
                tb.free(cp); hi = lo
        tb.free(grad)
        for w in wg: tb.free(w); tb.step()     # optimiser consumes the weight gradients one by one
        tb.step(); nth += 1
    for x in tb.b:
        if x[1] is None: x[1] = tb.t
    return tb.b[:n]

def pipe(n, r):
    """1F1B stage: p micro-batches in flight, F then B per micro-batch in FIFO order"""
    tb = T(); p = r.choice([4, 8, 16]); L = 12
    base = 1 << 20; prof = [(layer_profile(r, 'tf'), base * r.uniform(.8, 1.2)) for _ in range(L)]
    fl = []; wg = []
    while len(tb.b) < n:
        keptL = [[] for _ in range(L)]; prev = None; f = r.uniform(.5, 1.5)   # variable sequence length
        for l in range(L): prev = forward(tb, r, prof[l][0], prof[l][1] * f, keptL[l], prev)
        if not prev[1]: tb.free(prev[0])
        fl.append((keptL, f))
        if len(fl) == p:
            k, f = fl.pop(0); g = None
            for l in range(L - 1, -1, -1): g = backward(tb, r, prof[l][0], prof[l][1] * f, k[l], g, wg, base / 8)
            tb.free(g)
            for w in wg: tb.free(w)
            wg = []
    for x in tb.b:
        if x[1] is None: x[1] = tb.t
    return tb.b[:n]

def moe(n, r):
    """interleaved micro-batches of random length; per layer: gathered weights (prefetched, overlap two layers),
    expert buffers with heavy-tailed random load (kept or not), dispatch/combine workspaces, gradient buckets that
    span several layers.  Lifetimes are neither nested nor uniform: greedy planners leave gaps of some per cent."""
    tb = T(); L = r.choice([6, 10, 16]); E = 8; p = r.choice([3, 5, 8]); fl = []
    W = [(3 << 20) * r.uniform(.5, 2) for _ in range(L)]
    while len(tb.b) < n:
        f = r.choice([.25, .5, 1, 1, 2]) * r.uniform(.8, 1.25) * (1 << 20); keep = []; x = tb.alloc(f); w = None
        for l in range(L):
            nw = tb.alloc(W[l]); ks = [x]
            if w is not None: tb.free(w)
            w = nw; load = [r.paretovariate(1.3) for _ in range(E)]; t = sum(load)
            d = tb.alloc(2 * f); tb.step(); outs = []
            for e in range(E):
                h = tb.alloc(8 * f * load[e] / t); tmp = tb.alloc(4 * f * load[e] / t); tb.free(tmp); outs.append(h); tb.step()
            c = tb.alloc(2 * f); tb.free(d); tb.step()
            for h in outs:
                (ks.append if r.random() < .6 else tb.free)(h)
            tb.free(c); x = tb.alloc(f); tb.step(); keep.append(ks)
        tb.free(w); tb.free(x); fl.append((keep, f)); tb.step()
        if len(fl) >= p or (fl and r.random() < .2):
            keep, f = fl.pop(0 if r.random() < .8 else r.randrange(len(fl))); g = tb.alloc(f); bucket = None
            for l in range(L - 1, -1, -1):
                w = tb.alloc(W[l])
                if bucket is None: bucket = tb.alloc(sum(W[max(0, l - 3):l + 1]) * 2); left = r.randint(2, 4)
                for h in keep[l]:
                    a = tb.alloc(tb.b[h][2] * r.uniform(.5, 2)); tb.free(h); tb.step(); tb.free(a)
                g2 = tb.alloc(f); tb.free(g); g = g2; tb.free(w); left -= 1
                if left == 0 or l == 0:
                    tb.b[bucket][1] = tb.t + r.randint(1, 40); bucket = None      # collective finishes later
                tb.step()
            tb.free(g); tb.step()
    for x in tb.b:
        if x[1] is None: x[1] = tb.t + 1
    return tb.b[:n]

def tiling(n, r, W=1 << 40, H=1 << 40):
    """random guillotine dissection, always of the largest-area piece among a few; OPT == H"""
    import heapq
    h = [(-(W * H), 0, W, 0, H)]; out = []
    while len(h) < n:
        _, x0, x1, y0, y1 = heapq.heappop(h)
        w, hh = x1 - x0, y1 - y0
        f = r.uniform(.2, .8)
        if (r.random() < .5 and w > 1) or hh <= 1:
            c = x0 + max(1, min(w - 1, int(w * f))); parts = [(x0, c, y0, y1), (c, x1, y0, y1)]
        else:
            c = y0 + max(1, min(hh - 1, int(hh * f))); parts = [(x0, x1, y0, c), (x0, x1, c, y1)]
        for a in parts: heapq.heappush(h, (-((a[1]-a[0])*(a[3]-a[2])) * r.uniform(.3, 1),) + a)
    b = [[x0, x1, y1 - y0] for _, x0, x1, y0, y1 in h]
    r.shuffle(b)
    return b

if __name__ == '__main__':
    kind, n, seed, out = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    r = random.Random(seed)
    b = {'train': train, 'ckpt': lambda n, r: train(n, r, True), 'pipe': pipe, 'moe': moe, 'tiling': tiling}[kind](n, r)
    assert len(b) == n and all(x[0] < x[1] and x[2] > 0 for x in b)
    with open(out, 'w') as f:
        f.write('id,lower,upper,size\n')
        f.writelines('%d,%d,%d,%d\n' % (i, x[0], x[1], x[2]) for i, x in enumerate(b))
