// What pictures over time share: texts of Html::packed, times, and a part of `ns` nanoseconds, from `view.from` to `view.to`, that
// wheel, fingers, pointer and keys zoom and move; each change asks for one `draw`.
const unpack = async id => {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), c => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
};
const unit = t => t < 1e3 ? [1, 'ns'] : t < 1e6 ? [1e3, 'us'] : t < 1e9 ? [1e6, 'ms'] : [1e9, 's'];
const time = t => { const [by, name] = unit(Math.abs(t)); return (t / by).toFixed(by === 1 ? 0 : 3) + name; };
const make = (tag, about = {}, ...inside) => { const e = Object.assign(document.createElement(tag), about); e.append(...inside); return e; };
const fact = (list, name, ...inside) => list.append(make('div', {}, make('dt', {}, name), make('dd', {}, ...inside)));
// A canvas of this size in pixels of the page, empty, and colours by the names of the style's variables.
const pen_of = (canvas, w, h) => {
  const sharp = window.devicePixelRatio || 1, pen = canvas.getContext('2d'), sizes = [w, h].map(n => Math.round(n * sharp));
  if (canvas.width !== sizes[0] || canvas.height !== sizes[1]) [canvas.width, canvas.height] = sizes;
  pen.setTransform(sharp, 0, 0, sharp, 0, 0);
  pen.clearRect(0, 0, w, h);
  pen.font = '11px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace';
  return pen;
};
const colours_of = element => {
  const style = getComputedStyle(element);
  return Object.fromEntries(['text', 'muted', 'grid', 0, 1, 2, 3, 4, 5, 6, 7].map(name => [name, style.getPropertyValue('--' + (name >= 0 ? 'c' : '') + name)]));
};
const view_of = (ns, least, draw) => {
  let due = 0;
  const pointers = new Map(), span = () => view.to - view.from;
  const view = {from: 0, to: ns, moved: 0};
  view.redraw = () => { due ||= requestAnimationFrame(() => { due = 0; draw(); }); };
  view.show = (a, b) => {
    const wanted = Math.min(Math.max(b - a, least), ns);
    view.from = Math.min(Math.max((a + b - wanted) / 2, 0), ns - wanted);
    view.to = view.from + wanted;
    view.redraw();
  };
  view.zoom = (by, part = 0.5) => { const at = view.from + part * span(); view.show(at - part * span() * by, at + (1 - part) * span() * by); };
  view.pan = part => view.show(view.from + part * span(), view.to + part * span());
  view.keys = {w: () => view.zoom(0.6), s: () => view.zoom(1 / 0.6), a: () => view.pan(-0.2), d: () => view.pan(0.2), '+': () => view.zoom(0.6),
    '=': () => view.zoom(0.6), '-': () => view.zoom(1 / 0.6), 0: () => view.show(0, ns)};
  // Where an event is, as a part of the view; a canvas may have `left` pixels of text.
  const part = (canvas, x, left) => { const place = canvas.getBoundingClientRect(); return (x - place.left - left) / (place.width - left); };
  view.at = (canvas, event, left = 0) => view.from + part(canvas, event.clientX, left) * span();
  // One pointer moves, two zoom about their middle.
  view.drag = (canvas, left = 0, moves = () => {}) => {
    canvas.addEventListener('pointerdown', event => {
      if (event.button) return;
      if (!pointers.size) view.moved = 0;
      pointers.set(event.pointerId, event);
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', event => {
      const before = pointers.get(event.pointerId), other = [...pointers.values()].find(each => each.pointerId !== event.pointerId);
      if (!before) return;
      const dx = event.clientX - before.clientX, dy = event.clientY - before.clientY, apart = each => Math.max(Math.abs(each.clientX - other.clientX), 20);
      view.moved += Math.abs(dx) + Math.abs(dy);
      if (other) view.zoom(apart(before) / apart(event), part(canvas, (event.clientX + other.clientX) / 2, left));
      view.pan((part(canvas, before.clientX, left) - part(canvas, event.clientX, left)) / (other ? 2 : 1));
      if (event.pointerType === 'mouse') moves(dy);
      pointers.set(event.pointerId, event);
    });
    for (const end of ['pointerup', 'pointercancel']) canvas.addEventListener(end, event => pointers.delete(event.pointerId));
  };
  // The wheel zooms if the element has the focus or with Ctrl, and else scrolls the page.
  view.wheel = (element, canvas, left = 0) => element.addEventListener('wheel', event => {
    const sideways = event.shiftKey ? event.deltaX || event.deltaY : Math.abs(event.deltaX) > Math.abs(event.deltaY) ? event.deltaX : 0;
    const active = event.ctrlKey || event.metaKey || element.contains(document.activeElement);
    if (sideways) view.pan(sideways / canvas.clientWidth);
    else if (active && !(event.deltaY > 0 && span() === ns)) view.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / (event.ctrlKey ? 100 : 300)))), part(canvas, event.clientX, left));
    else return;
    event.preventDefault();
  }, {passive: false});
  for (const on of ['resize', 'scroll']) addEventListener(on, view.redraw);
  matchMedia('(prefers-color-scheme:dark)').addEventListener('change', view.redraw);
  return view;
};
