// Zooms the clicked box and its ancestors to the width of the picture and refits the texts.  Arrow
// keys move to the parent, children and siblings; the focused or hovered box is described at the
// top.
(() => {
const svg = document.currentScript.ownerSVGElement, margin = 10, full = 1180, column = 7.3, near = 0.02;
const frames = [...svg.querySelectorAll('.frame')].map(box => ({box, x: +box.getAttribute('x'),
  width: +box.getAttribute('width'), y: +box.getAttribute('y'), text: box.querySelector('text'),
  name: [...box.querySelector('title').textContent.split('\n')[0]]}));
const fit = (name, width) => {
  const columns = Math.floor((width - 6) / column);
  return name.length <= columns ? name.join('') : columns < 2 ? '' : name.slice(0, columns - 1).join('') + '…';
};
const show = (frame, x, width) => {
  frame.box.setAttribute('x', x);
  frame.box.setAttribute('width', width);
  frame.text.textContent = fit(frame.name, width);
};
const zoom = to => {
  for (const frame of frames) {
    const around = frame.y < to.y && frame.x <= to.x + near && frame.x + frame.width >= to.x + to.width - near;
    const inside = frame.y >= to.y && frame.x >= to.x - near && frame.x + frame.width <= to.x + to.width + near;
    frame.box.style.display = around || inside ? '' : 'none';
    frame.box.classList.toggle('around', around);
    if (around) show(frame, margin, full);
    if (inside) show(frame, margin + (frame.x - to.x) / to.width * full, frame.width / to.width * full);
  }
};
const said = svg.querySelector('.said'), usage = said.textContent;
const say = frame => { said.textContent = frame ? fit([...frame.box.querySelector('title').textContent.replace('\n', ': ')], 0.64 * full) : usage; };
const now = frame => +frame.box.getAttribute('x'), wide = frame => +frame.box.getAttribute('width');
const go = to => {
  if (!to) return;
  for (const frame of frames) frame.box.setAttribute('tabindex', frame === to ? 0 : -1);
  to.box.focus();
};
const beside = (from, key) => {
  const seen = frames.filter(frame => frame.box.style.display !== 'none');
  const level = y => seen.filter(frame => Math.abs(frame.y - y) < 1).sort((a, b) => now(a) - now(b));
  if (key === 'ArrowUp') return level(from.y - 18).findLast(frame => now(frame) <= now(from) + near);
  if (key === 'ArrowDown') return level(from.y + 18).filter(frame => now(frame) >= now(from) - near && now(frame) < now(from) + wide(from) - near)
    .sort((a, b) => wide(b) - wide(a))[0];
  const row = level(from.y);
  return row[row.indexOf(from) + (key === 'ArrowRight' ? 1 : -1)];
};
for (const frame of frames) {
  frame.box.setAttribute('tabindex', -1);
  frame.box.addEventListener('click', () => zoom(frame));
  for (const on of ['focus', 'pointerenter']) frame.box.addEventListener(on, () => say(frame));
  for (const off of ['blur', 'pointerleave']) frame.box.addEventListener(off, () => say());
  frame.box.addEventListener('keydown', event => {
    if (event.key === 'Enter') zoom(frame);
    else if (event.key.startsWith('Arrow')) go(beside(frame, event.key));
    else return;
    event.preventDefault();
  });
}
frames[0].box.setAttribute('tabindex', 0);
document.addEventListener('keydown', event => { if (event.key === 'Escape') zoom(frames[0]); });
})();
