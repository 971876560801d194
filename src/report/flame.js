// Fits the picture to its window, the largest boxes first; zooms the clicked box and those around it to the width of the window.
// Arrow keys move to the parent, children and siblings; the focused or hovered box is described at the top.
(() => {
const svg = document.currentScript.ownerSVGElement, column = 7.3, open = [];
const frames = [...svg.querySelectorAll('.frame')].map(box => ({box, share: parseFloat(box.getAttribute('width')), y: +box.getAttribute('y'),
  text: box.querySelector('text'), about: box.querySelector('title').textContent, inside: []}));
for (const frame of frames) {
  frame.name = frame.about.split('\n')[0];
  frame.depth = Math.round((frame.y - frames[0].y) / 18);
  frame.parent = frame.depth ? open[frame.depth - 1] : null;
  if (frame.parent) frame.parent.inside.push(frame);
  open[frame.depth] = frame;
}
let root = frames[0], by_size = true, found = 0, width = 0;
// A telephone shows a picture as small as if it were 980 wide, which is made up for.
const tall = svg.height.baseVal.value;
const measure = () => {
  const narrow = matchMedia('(pointer:coarse)').matches && innerWidth > 1.5 * screen.width;
  width = narrow ? screen.width : svg.getBoundingClientRect().width;
  if (!narrow) return;
  svg.setAttribute('viewBox', `0 0 ${width} ${tall}`);
  svg.setAttribute('height', tall * innerWidth / width);
};
const fit = (name, width) => {
  const letters = [...name], columns = Math.floor((width - 6) / column);
  return letters.length <= columns ? name : columns < 2 ? '' : letters.slice(0, columns - 1).join('') + '…';
};
const place = (frame, x, share) => {
  frame.x = x;
  frame.wide = share;
  let next = x;
  for (const inner of by_size ? [...frame.inside].sort((a, b) => b.share - a.share) : frame.inside) {
    place(inner, next, inner.share / frame.share * share);
    next += inner.wide;
  }
};
const draw = () => {
  const around = new Set();
  for (let frame = root; frame; frame = frame.parent) around.add(frame);
  place(root, 0, 100);
  for (const frame of frames) {
    let seen = around.has(frame);
    if (seen && frame !== root) [frame.x, frame.wide] = [0, 100];
    for (let each = frame; each && !seen; each = each.parent) seen = each === root;
    frame.shown = seen && frame.wide * width > 10;
    frame.box.style.display = frame.shown ? '' : 'none';
    frame.box.classList.toggle('around', around.has(frame) && frame !== root);
    if (!frame.shown) continue;
    frame.box.setAttribute('x', frame.x + '%');
    frame.box.setAttribute('width', frame.wide + '%');
    frame.text.textContent = fit(frame.name, frame.wide / 100 * width);
  }
};
const zoom = to => { root = to; draw(); };
const said = svg.querySelector('.said'), usage = said.textContent;
const say = text => { said.textContent = fit(text || usage, width - 8); };
const go = to => {
  if (!to) return;
  if (!to.shown) zoom(to);
  for (const frame of frames) frame.box.setAttribute('tabindex', frame === to ? 0 : -1);
  to.box.focus();
};
const beside = (from, key) => {
  const level = depth => frames.filter(frame => frame.shown && frame.depth === depth).sort((a, b) => a.x - b.x);
  if (key === 'ArrowUp') return from.parent;
  if (key === 'ArrowDown') return level(from.depth + 1).filter(frame => frame.parent === from).sort((a, b) => b.wide - a.wide)[0];
  const row = level(from.depth);
  return row[row.indexOf(from) + (key === 'ArrowRight' ? 1 : -1)];
};
for (const frame of frames) {
  frame.box.setAttribute('tabindex', -1);
  frame.box.addEventListener('click', () => zoom(frame));
  for (const on of ['focus', 'pointerenter']) frame.box.addEventListener(on, () => say(frame.about.replace('\n', ': ')));
  for (const off of ['blur', 'pointerleave']) frame.box.addEventListener(off, () => say());
  frame.box.addEventListener('keydown', event => {
    if (event.key === 'Enter') zoom(frame);
    else if (event.key.startsWith('Arrow')) go(beside(frame, event.key));
    else return;
    event.preventDefault();
  });
}
frames[0].box.setAttribute('tabindex', 0);

// Where a name is searched: matching boxes keep their colour; those within others of them count once.
const corner = svg.appendChild(document.createElementNS(svg.namespaceURI, 'svg')), field = document.createElementNS(svg.namespaceURI, 'foreignObject');
for (const [name, value] of [['x', '100%'], ['overflow', 'visible']]) corner.setAttribute(name, value);
for (const [name, value] of [['x', -174], ['y', 3], ['width', 170], ['height', 26]]) field.setAttribute(name, value);
const search = document.createElementNS('http://www.w3.org/1999/xhtml', 'input');
search.type = 'search';
search.placeholder = 'Search';
search.setAttribute('aria-label', 'Search names');
field.append(search);
corner.append(field);
const find = () => {
  const text = search.value.toLowerCase();
  let share = 0;
  found = 0;
  for (const frame of frames) {
    frame.match = !!text && frame.name.toLowerCase().includes(text);
    frame.in_match = frame.parent && (frame.parent.match || frame.parent.in_match);
    if (frame.match && !frame.in_match) share += frame.share;
    found += frame.match;
    frame.box.classList.toggle('other', !!text && !frame.match);
  }
  say(text && `${search.value}: ${found} found, ${share.toFixed(2)}%; Enter: next`);
};
search.addEventListener('input', find);
search.addEventListener('keydown', event => { if (event.key === 'Enter') next(); });
const next = () => {
  const now = frames.findIndex(frame => frame.box === document.activeElement || frame.box.getAttribute('tabindex') === '0');
  go([...frames.slice(now + 1), ...frames.slice(0, now + 1)].find(frame => frame.match));
};
document.addEventListener('keydown', event => {
  if (event.key === 'Escape') { search.value = ''; find(); zoom(frames[0]); }
  if (event.target === search || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === '/') { search.focus(); event.preventDefault(); }
  if (event.key === 'n') next();
  if (event.key === 'o') { by_size = !by_size; draw(); }
});
const title = svg.querySelector('text'), whole = title.textContent;
const show = () => { measure(); title.textContent = fit(whole, width - 180); draw(); say(); };
addEventListener('resize', show);
show();
})();
