// The memory picture: each allocation is an area as high as its bytes, on those made before it that are still there.  The grey
// area above is what is too small for an area of its own.
(async () => {
const canvas = document.querySelector('canvas'), panel = document.querySelector('.event'), categories = [...document.querySelectorAll('.keys span')].map(e => e.textContent);
if (!window.DecompressionStream) return;
const {ns, names, list, others, peak} = JSON.parse(await unpack('allocations'));
const left = 84, below = 24;
const size = n => { const k = Math.min(Math.floor(Math.log2(Math.max(n, 1)) / 10), 4); return (n / 1024 ** k).toFixed(k ? 2 : 0) + ' ' + ['B', 'KiB', 'MiB', 'GiB', 'TiB'][k]; };
const all = [], live = [];
let top = 0, picked = null, most = 1, w = 0, h = 0;
const view = view_of(ns, 100, () => draw()), {show, redraw} = view;
// Since when each one lies where, and the sum of all.
const sums = [[0, 0]], changes = [];
for (let i = 0; i < list.length; i += 6) {
  const [begin, end, amount, category, name, freed] = list.slice(i, i + 6), each = {begin, end: end < 0 ? ns : end, kept: end < 0, bytes: amount, category, name, freed, at: []};
  all.push(each);
  changes.push([begin, 1, each], [each.end, 0, each]);
}
changes.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
for (const [at, is_new, each] of changes) {
  if (is_new) {
    each.at.push([at, top]);
    live.push(each);
    top += each.bytes;
  } else {
    for (let i = live.lastIndexOf(each) + 1; i < live.length; ++i) {
      const last = live[i].at.at(-1);
      last[0] === at ? last[1] -= each.bytes : live[i].at.push([at, last[1] - each.bytes]);
    }
    live.splice(live.lastIndexOf(each), 1);
    top -= each.bytes;
  }
  sums.push([at, top]);
}
const by_size = [...all].sort((a, b) => b.bytes - a.bytes);
const value = (steps, t) => {
  let low = 0, up = steps.length;
  while (low + 1 < up) { const middle = low + up >> 1; steps[middle][0] <= t ? low = middle : up = middle; }
  return steps[low][1];
};
const totals = [...new Set([...sums, ...others].map(([t]) => t))].sort((a, b) => a - b).map(t => [t, value(sums, t) + value(others, t)]);
const seen = () => {
  let most = value(totals, view.from);
  for (const [t, sum] of totals) if (t >= view.from && t <= view.to) most = Math.max(most, sum);
  return most || 1;
};
const x = t => left + (t - view.from) / (view.to - view.from) * (w - left), y = n => h - below - n / most * (h - below - 8);
const area = (pen, steps, end, height) => {
  pen.beginPath();
  const shown = [];
  for (let i = 0; i < steps.length; ++i) {
    const a = Math.max(steps[i][0], view.from), b = Math.min(i + 1 < steps.length ? steps[i + 1][0] : end, view.to);
    if (b > a) shown.push([x(a), x(b), steps[i][1]]);
  }
  for (const [a, b, low] of shown) { pen.lineTo(a, y(low)); pen.lineTo(b, y(low)); }
  for (const [a, b, low] of shown.reverse()) { pen.lineTo(b, y(low + height)); pen.lineTo(a, y(low + height)); }
  pen.closePath();
};
const draw = () => {
  [w, h] = [canvas.clientWidth, canvas.clientHeight];
  const pen = pen_of(canvas, w, h), colours = colours_of(canvas);
  most = seen();
  pen.fillStyle = colours.grid;
  pen.beginPath();
  pen.moveTo(x(view.from), y(0));
  pen.lineTo(x(view.from), y(value(totals, view.from)));
  let before = value(totals, view.from);
  for (const [t, sum] of totals) {
    if (t < view.from || t > view.to) continue;
    pen.lineTo(x(t), y(before));
    pen.lineTo(x(t), y(before = sum));
  }
  pen.lineTo(x(view.to), y(before));
  pen.lineTo(x(view.to), y(0));
  pen.fill();
  all.forEach((each, n) => {
    if (each.end < view.from || each.begin > view.to) return;
    area(pen, each.at, each.end, each.bytes);
    pen.globalAlpha = 0.6 + n % 3 * 0.2;
    pen.fillStyle = colours[each.category % 8];
    pen.fill();
    pen.globalAlpha = 1;
  });
  if (picked) {
    area(pen, picked.at, picked.end, picked.bytes);
    pen.strokeStyle = colours.text;
    pen.lineWidth = 2;
    pen.stroke();
  }
  pen.fillStyle = colours.muted;
  const unit = 1024 ** Math.floor(Math.log2(most) / 10), rough = most / unit / 5, ten = 10 ** Math.floor(Math.log10(rough)), step = [1, 2, 5, 10].find(n => n * ten >= rough) * ten * unit;
  pen.textAlign = 'right';
  for (let n = 0; n <= most; n += step) { pen.fillRect(left - 4, y(n), 4, 1); pen.fillText(size(n), left - 8, y(n) + 4); }
  pen.textAlign = 'center';
  const count = Math.max(2, Math.floor(w / 160));
  for (let i = 0; i < count; ++i) { const t = view.from + (view.to - view.from) * (i + 0.5) / count; pen.fillRect(x(t), h - below, 1, 4); pen.fillText(time(t), x(t), h - 6); }
};
const pick = each => {
  picked = each || null;
  const lines = !each ? [] : [['size', size(each.bytes)], ['category', categories[each.category]], ['allocated', time(each.begin) + ' in ' + names[each.name]],
    each.kept ? ['freed', 'not before the end'] : ['freed', time(each.end) + ', after ' + time(each.end - each.begin) + ', in ' + names[each.freed]]];
  panel.replaceChildren();
  for (const [name, text] of lines) fact(panel, name, text);
  redraw();
};
canvas.addEventListener('click', event => {
  if (view.moved > 5) return;
  const t = view.at(canvas, event, left), at = (h - below - event.offsetY) / (h - below - 8) * most;
  pick(all.find(each => t >= each.begin && t < each.end && at >= value(each.at, t) && at < value(each.at, t) + each.bytes));
});
view.drag(canvas, left);
view.wheel(canvas, canvas, left);
canvas.addEventListener('keydown', event => {
  const next = by => pick(by_size[picked ? Math.max(0, by_size.indexOf(picked) + by) : 0] || picked);
  const does = {...view.keys, ArrowRight: () => next(1), ArrowLeft: () => next(-1), Escape: () => picked ? pick() : show(0, ns),
    f: () => picked && show(2 * picked.begin - picked.end, 2 * picked.end - picked.begin)}[event.key];
  if (!does || event.ctrlKey || event.altKey || event.metaKey) return;
  does();
  event.preventDefault();
});
panel.after(make('p', {className: 'muted'}, 'Click an allocation, or walk from the largest with the arrow keys. Drag, pinch, Ctrl and the wheel, or W S A D zoom and move, ' +
  'F zooms to the allocation, 0 shows all.'));
draw();
const held = new Map();
for (const each of all) if (peak >= each.begin && peak < each.end) held.set(names[each.name], (held.get(names[each.name]) || 0) + each.bytes);
const smaller = value(others, peak);
if (smaller) held.set('(before the recording, and smaller ones)', smaller);
const row = (tag, ...texts) => make('tr', {}, ...texts.map(text => make(tag, {}, text)));
document.getElementById('peak').append(make('table', {}, row('th', 'name', 'bytes'),
  ...[...held].sort((a, b) => b[1] - a[1]).slice(0, 30).map(([name, bytes]) => row('td', name, size(bytes)))));
})();
