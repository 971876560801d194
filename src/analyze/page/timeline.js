// The timeline: turns the rows that the page has without a script into pictures of single events that zoom, pan, answer clicks and
// can be searched.  A row is drawn only while it is seen, and of events within one pixel only the first.
(() => {
const tracks = document.querySelector('.tracks');
if (!tracks || !window.DecompressionStream) return;
const {ns, each, shift} = Object.fromEntries(Object.entries(tracks.dataset).map(([name, text]) => [name, +text]));
const file = tracks.dataset.file, activities = [...document.querySelectorAll('#timeline .keys span')].map(e => e.textContent);
const strip = 18, high = 15, wide = 6.6, least = 20;
const button = (text, title, click) => {
  const e = make('button', {type: 'button', title, onclick: click}, text);
  e.setAttribute('aria-label', title);
  return e;
};
let picked = null, matches = [], found = null, names = [], left = 0, shortest = 0, texts = null, colours = {};
const rows = [], byId = new Map(), byName = new Map(), works = new Map();
const view = view_of(ns, 20, () => paint()), {show, zoom, pan, redraw} = view, visible = () => view.to - view.from;

// Events come by begin, outer ones first; each is one line below the innermost that it lies in.
const read = (row, numbers) => {
  let begin = 0, id = 0;
  const ends = [], last = [];
  for (let i = 0; i < numbers.length; i += 5) {
    begin += numbers[i];
    id += numbers[i + 3];
    const event = {b: begin, e: begin + numbers[i + 1], name: numbers[i + 2], id, launch: numbers[i + 4] - 1, row};
    let lane = ends.length;
    while (lane && ends[lane - 1] <= begin) --lane;
    ends.length = lane + 1;
    ends[lane] = event.e;
    event.lane = lane;
    event.parent = lane ? last[lane - 1] : null;
    last[lane] = event;
    (row.lanes[lane] ||= []).push(event);
    byId.set(id, event);
    byName.has(event.name) ? byName.get(event.name).push(event) : byName.set(event.name, [event]);
    if (event.launch >= 0) works.has(event.launch) ? works.get(event.launch).push(event) : works.set(event.launch, [event]);
  }
};
// The first of a line that fits; all after it do.
const first = (lane, fits) => {
  let low = 0, up = lane.length;
  while (low < up) { const middle = low + up >> 1; fits(lane[middle]) ? up = middle : low = middle + 1; }
  return low;
};
// Kernels without what many share at the front.
const brief = event => {
  const [name, kind] = names[event.name];
  return kind ? name : name.replace(/^void /, '').replace(/^(?:\w+::)+(?=\w)/, '');
};
const outline = (pen, x, y, w, dashed) => {
  pen.strokeStyle = colours.text;
  pen.lineWidth = 2;
  pen.setLineDash(dashed ? [3, 2] : []);
  pen.strokeRect(Math.max(x, -2) + 1, y + 1, Math.max(Math.min(w, 1e4) - 2, 1), high - 3);
};
const is_linked = event => picked && (event === picked || event.id === picked.launch || event.launch === picked.id);
const paint_lane = (pen, lane, y, w, scale) => {
  for (let i = first(lane, event => event.e >= view.from); i < lane.length && lane[i].b < view.to;) {
    const event = lane[i], x = (event.b - view.from) * scale, width = (event.e - event.b) * scale, seen = Math.max(x, 0);
    const kind = names[event.name][1], bright = found ? found.has(event.name) ? 0.95 : 0.15 : 0.4 + event.name % 3 * 0.12;
    pen.globalAlpha = bright;
    pen.fillStyle = colours[kind];
    pen.fillRect(seen, y, Math.max(Math.min(x + width, w) - seen - (width > 3 ? 0.5 : 0), 1), high - 1);
    pen.globalAlpha = 1;
    const room = Math.floor((Math.min(x + width, w) - seen - 6) / wide);
    if (room > 2) {
      const text = brief(event);
      pen.fillStyle = colours.text;
      pen.fillText(text.length <= room ? text : text.slice(0, room - 1) + '…', seen + 3, y + 11);
    }
    if (is_linked(event)) outline(pen, x, y, width, event !== picked);
    i = width >= 1 ? i + 1 : Math.max(first(lane, next => (next.b - view.from) * scale >= Math.floor(x) + 1), i + 1);
  }
};
const paint_row = (row, w) => {
  const pen = pen_of(row.canvas, w, row.height), scale = w / visible();
  for (const [kind, column, columns, top, tall] of row.strips) {
    const x = (column * each - view.from) * scale, end = ((column + columns) * each - view.from) * scale;
    if (end < 0 || x > w) continue;
    pen.fillStyle = colours[kind];
    pen.fillRect(x, top * strip / 24, end - x, tall * strip / 24);
  }
  if (!row.folded) row.lanes.forEach((lane, n) => paint_lane(pen, lane, strip + 3 + n * high, w, scale));
  if (picked && picked.row === row) {  // however short
    const x = (picked.b - view.from) * scale;
    if (x >= -1 && x <= w) outline(pen, x - 1, row.folded ? 0 : strip + 3 + picked.lane * high, Math.max((picked.e - picked.b) * scale, 3));
  }
};
const paint_ruler = w => {
  const pen = pen_of(ruler, w, 34), scale = w / visible(), rough = visible() / Math.max(w / 80, 2), ten = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(n => n * ten).find(n => n >= rough), [by, name] = unit(view.to + shift);
  const digits = Math.max(0, Math.ceil(Math.log10(by / step) - 1e-9));
  pen.fillStyle = colours.muted;
  for (let t = Math.ceil((view.from + shift) / step) * step; t <= view.to + shift; t += step) {
    const x = (t - shift - view.from) * scale;
    pen.fillRect(x, 0, 1, 14);
    if (x < w - 40) pen.fillText((t / by).toFixed(Math.min(digits, 6)) + name, x + 3, 11);
  }
  for (const [number, begin, length] of steps) {
    const x = (begin - view.from) * scale, seen = Math.max(x, 0), end = Math.min((begin + length - view.from) * scale, w);
    if (end < 0 || x > w) continue;
    pen.globalAlpha = 0.25;
    pen.fillRect(seen, 18, Math.max(end - seen - 1, 1), 14);
    pen.globalAlpha = 1;
    const text = 'step ' + number;
    if (end - seen > text.length * wide + 6) pen.fillText(text, seen + 3, 29);
  }
};
const paint = () => {
  const w = ruler.clientWidth;
  colours = colours_of(ruler);
  tracks.dataset.seen = [view.from, view.to].map(Math.round).join(' ');
  paint_ruler(w);
  const seen = tracks.getBoundingClientRect();
  for (const row of rows) {
    const place = row.canvas.getBoundingClientRect();
    if (place.bottom < Math.max(seen.top, 0) || place.top > Math.min(seen.bottom, innerHeight)) row.canvas.width = 0;
    else paint_row(row, w);
  }
  some.hidden = !left || visible() / w > shortest;
  if (!some.hidden) {
    some.replaceChildren(`${left} events shorter than ${time(shortest)} are not here, only counted in the strips. A file of this part, for another page: `,
      make('code', {}, `vitro trace cut ${file} -o part.json.gz --from ${Math.floor(view.from + shift)}ns --to ${Math.ceil(view.to + shift)}ns`));
  }
};

const about_moment = (row, t) => {
  const column = Math.floor(t / each), lines = [time(t + shift)];
  for (const [kind, begin, columns, , tall] of row.strips)
    if (column >= begin && column < begin + columns) lines.push(activities[kind] + ' ' + Math.round(100 * tall / 24) + '%');
  return lines.length > 1 ? lines.join('\n') : lines[0] + '\nnothing';
};
const event_at = (row, x, y) => {
  const lane = !row.folded && row.lanes[Math.floor((y - strip - 3) / high)], scale = ruler.clientWidth / visible();
  if (!lane || y < strip + 3) return null;
  const at = view.from + x / scale, near = 2 / scale, i = first(lane, event => event.e >= at - near);
  return i < lane.length && lane[i].b <= at + near ? lane[i] : null;
};
// Brings an event into view: as wide as a third of it where it would not be seen, or `close`.
const go = (event, close) => {
  const length = event.e - event.b, middle = (event.b + event.e) / 2, w = ruler.clientWidth;
  if (close || length / visible() * w < 3) show(middle - 1.5 * length - 5, middle + 1.5 * length + 5);
  else if (event.b < view.from || event.e > view.to) show(middle - Math.max(visible(), 1.5 * length) / 2, middle + Math.max(visible(), 1.5 * length) / 2);
  pick(event);
  if (event.row.folded) fold(event.row);
  const place = event.row.canvas.getBoundingClientRect(), seen = tracks.getBoundingClientRect();
  const y = place.top + strip + event.lane * high;
  if (y < seen.top + 40 || y > seen.bottom - 30) tracks.scrollTop += y - seen.top - seen.height / 2;
};
const link = event => make('button', {type: 'button', className: 'link', onclick: () => go(event)}, names[event.name][0]);
const arguments_of = async (list, event) => {
  texts ||= unpack('arguments').then(all => new Map(all.split('\n').map(line => [parseInt(line), line.slice(line.indexOf(' ') + 1)])));
  const text = (await texts).get(event.id);
  if (picked !== event) return;
  if (text === undefined) return fact(list, 'arguments', make('code', {}, `vitro trace find ${file} --id ${event.id} --args`));
  try {
    for (const [name, value] of Object.entries(JSON.parse(text))) fact(list, name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  } catch { fact(list, 'arguments', text); }
};
const pick = event => {
  picked = event;
  panel.hidden = !event;
  tip.hidden = true;
  tracks.classList.toggle('short', !!event);
  redraw();
  if (!event) return;
  const list = make('dl'), same = byName.get(event.name), place = same.indexOf(event), chain = [];
  fact(list, 'time', `${time(event.b + shift)}, for ${time(event.e - event.b)}`);
  fact(list, 'row', event.row.name);
  for (let each = event.parent; each; each = each.parent) chain.unshift(' › ', link(each));
  if (chain.length) fact(list, 'within', ...chain.slice(1));
  const launch = byId.get(event.launch), work = works.get(event.id);
  if (launch) fact(list, 'launched by', link(launch), ` ${time(event.b - launch.b)} before`, ...(launch.parent ? [' in ', link(launch.parent)] : []));
  if (work) fact(list, 'launched', ...work.slice(0, 20).flatMap(each => [link(each), ` ${time(each.b - event.b)} later, for ${time(each.e - each.b)} `]));
  const calls = [`${place + 1} of ${same.length} `];
  if (place) calls.push(button('‹', 'Previous of this name', () => go(same[place - 1])));
  if (place + 1 < same.length) calls.push(button('›', 'Next of this name', () => go(same[place + 1])));
  fact(list, 'call', ...calls);
  fact(list, 'event', String(event.id));
  panel.replaceChildren(make('div', {className: 'top'}, make('strong', {}, names[event.name][0]),
    button('⤢', 'Zoom to this event', () => go(event, true)), button('×', 'Close', () => pick(null))), list);
  arguments_of(list, event);
};
// What takes the time in view: of each name, the time that is not that of an event within it.
const sum_up = () => {
  const sums = new Map(), add = (event, ns, calls) => {
    const sum = sums.get(event.name) || {ns: 0, calls: 0, longest: event};
    sum.ns += ns;
    sum.calls += calls;
    if (event.e - event.b > sum.longest.e - sum.longest.b) sum.longest = event;
    sums.set(event.name, sum);
  };
  for (const event of byId.values()) {
    const ns = Math.min(event.e, view.to) - Math.max(event.b, view.from);
    if (ns <= 0) continue;
    add(event, ns, 1);
    if (event.parent) add(event.parent, -ns, 0);
  }
  pick(null);
  panel.hidden = false;
  tracks.classList.add('short');
  const list = make('dl');
  for (const sum of [...sums.values()].sort((a, b) => b.ns - a.ns).slice(0, 24)) fact(list, time(sum.ns), link(sum.longest), ` ${sum.calls} call${sum.calls === 1 ? "" : "s"}`);
  panel.replaceChildren(make('div', {className: 'top'}, make('strong', {}, `${time(view.from + shift)} to ${time(view.to + shift)}: own time by name`),
    button('×', 'Close', () => pick(null))), list);
};
const fold = row => {
  row.folded = !row.folded;
  row.height = strip + (row.folded ? 0 : 4 + row.lanes.length * high);
  row.canvas.style.height = row.height + 'px';
  redraw();
};

const search = make('input', {type: 'search', placeholder: 'Search'}), count = make('output');
search.setAttribute('aria-label', 'Search events');
search.addEventListener('input', () => {
  const text = search.value.toLowerCase();
  found = text ? new Set(names.flatMap(([name], n) => name.toLowerCase().includes(text) ? [n] : [])) : null;
  matches = found ? [...found].flatMap(n => byName.get(n) || []).sort((a, b) => a.b - b.b) : [];
  count.value = found ? `${matches.length} found` : '';
  redraw();
});
const next = by => {
  if (!matches.length) return;
  const middle = (view.from + view.to) / 2, now = matches.indexOf(picked);
  let place = now < 0 ? matches.findIndex(event => by > 0 ? event.b >= view.from : event.b >= middle) - (by < 0) : now + by;
  place = (place + matches.length) % matches.length;
  go(matches[place]);
  count.value = `${place + 1} of ${matches.length}`;
};
search.addEventListener('keydown', event => {
  if (event.key === 'Enter') next(event.shiftKey ? -1 : 1);
  else if (event.key === 'Escape' && search.value) { search.value = ''; search.dispatchEvent(new Event('input')); }
  else return;
  event.preventDefault();
});
const tools = make('div', {className: 'tools'}, search, button('‹', 'Previous match', () => next(-1)), button('›', 'Next match', () => next(1)),
  button('+', 'Zoom in', () => zoom(0.5)), button('−', 'Zoom out', () => zoom(2)), button('◂', 'Earlier', () => pan(-0.3)),
  button('▸', 'Later', () => pan(0.3)), button('all', 'Show all', () => show(0, ns)), button('Σ', 'Sum up what is in view', sum_up), count);
const ruler = make('canvas', {className: 'ruler'}), some = make('p', {className: 'muted', hidden: true});
const panel = make('div', {className: 'event', hidden: true}), tip = make('div', {className: 'tip', hidden: true});
for (const [name, text] of [['role', 'region'], ['aria-label', 'Selected event'], ['aria-live', 'polite']]) panel.setAttribute(name, text);
ruler.setAttribute('aria-hidden', 'true');
tip.setAttribute('aria-hidden', 'true');
let steps = [];

const watch = (canvas, row) => {
  view.drag(canvas, 0, dy => { tracks.scrollTop -= dy; });
  canvas.addEventListener('pointermove', event => { if (event.pointerType === 'mouse' && row) event.buttons ? tip.hidden = true : hint(row, event); });
  canvas.addEventListener('pointerleave', () => { tip.hidden = true; });
  canvas.addEventListener('click', event => {
    if (view.moved > 5) return;
    if (!row) {
      const at = view.at(canvas, event), step = steps.find(([, begin, length]) => at >= begin && at < begin + length);
      return step && show(step[1], step[1] + step[2]);
    }
    row.track.focus({preventScroll: true});
    pick(event_at(row, event.offsetX, event.offsetY));
  });
  canvas.addEventListener('dblclick', event => { const at = row && event_at(row, event.offsetX, event.offsetY); if (at) go(at, true); });
};
const hint = (row, event) => {
  const at = event_at(row, event.offsetX, event.offsetY);
  tip.textContent = at ? `${names[at.name][0]}\n${time(at.e - at.b)} at ${time(at.b + shift)}` :
    event.offsetY < strip ? about_moment(row, view.from + event.offsetX / ruler.clientWidth * visible()) : '';
  tip.hidden = !tip.textContent;
  tip.style.left = Math.max(0, Math.min(event.clientX + 12, innerWidth - tip.offsetWidth - 8)) + 'px';
  tip.style.top = (event.clientY + 16 + tip.offsetHeight > innerHeight ? event.clientY - tip.offsetHeight - 8 : event.clientY + 16) + 'px';
};
view.wheel(tracks, ruler);

// Arrows walk over the events of a row; without one they begin at the first that is seen.
const walk = (row, key) => {
  const lanes = row.folded ? [] : row.lanes;
  if (!picked || picked.row !== row) {
    const lane = lanes[0] || [], at = first(lane, event => event.e > view.from);
    return lane[Math.min(at, lane.length - 1)];
  }
  const lane = row.lanes[picked.lane], place = lane.indexOf(picked);
  if (key === 'ArrowUp') return picked.parent;
  if (key === 'ArrowDown') { const below = row.lanes[picked.lane + 1] || [], child = below[first(below, event => event.b >= picked.b)]; return child && child.parent === picked && child; }
  return lane[place + (key === 'ArrowRight' ? 1 : -1)];
};
tracks.addEventListener('keydown', event => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const row = rows.find(each => each.track === event.target), key = event.key;
  const does = {...view.keys, '/': () => search.focus(), m: sum_up, f: () => picked && go(picked, true), n: () => next(1), N: () => next(-1),
    Enter: () => row && fold(row), Escape: () => panel.hidden ? show(0, ns) : pick(null)}[key];
  if (does) does();
  else if (row && key.startsWith('Arrow')) { const to = walk(row, key); if (to) go(to); }
  else return;
  event.preventDefault();
});

const build = all => {
  ({names, steps, left, shortest} = all);
  for (const track of tracks.querySelectorAll('.track[tabindex]')) {
    const canvas = make('canvas'), svg = track.querySelector('svg'), row = {track, canvas, lanes: [], strips: [], folded: true};
    [row.name] = track.getAttribute('aria-label').split('\n');
    for (const path of svg.querySelectorAll('path'))
      for (const m of path.getAttribute('d').matchAll(/M(\d+) (\d+)h(\d+)v(\d+)/g)) row.strips.push([+path.getAttribute('class').slice(4), +m[1], +m[3], +m[2], +m[4]]);
    canvas.setAttribute('aria-hidden', 'true');
    svg.replaceWith(canvas);
    rows.push(row);
    read(row, all.rows[track.id] || []);
    fold(row);
    watch(canvas, row);
    track.querySelector('.name').addEventListener('click', () => fold(row));
  }
  tracks.prepend(make('div', {className: 'track head'}, make('span', {className: 'name'}), ruler));
  watch(ruler);
  tracks.before(make('details', {}, make('summary', {}, 'Keys and gestures'), make('p', {}, 'Drag or pinch; Ctrl and the wheel, or the wheel after a click; ' +
    'W S A D, + and -: zoom and move. Click an event, or Tab to a row and walk with the arrow keys: its arguments. F: zoom to it, Escape: leave it, ' +
    '0: show everything, Enter or a click on its name: fold a row, /: search, N: next match, M: sum up what is in view.')), tools);
  tracks.after(some, panel);
  document.body.append(tip);
  tracks.addEventListener('scroll', redraw);
  addEventListener('beforeprint', () => { for (const row of rows) paint_row(row, ruler.clientWidth); });
  redraw();
};
const ready = unpack('events').then(text => build(JSON.parse(text)));
for (const a of document.querySelectorAll('a[href^="#event-"]')) {
  a.addEventListener('click', async click => {
    click.preventDefault();
    await ready;
    const [, id, begin] = a.hash.split('-'), event = byId.get(+id), at = begin - shift;
    tools.scrollIntoView();
    if (!event) return show(at - ns / 100, at + ns / 100);
    event.row.track.focus({preventScroll: true});
    go(event);
  });
}
})();
