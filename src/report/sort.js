// The first click sorts numbers in descending, texts in ascending order.
(() => {
const value = (row, n) => row.cells[n].dataset.v === undefined ? row.cells[n].textContent : +row.cells[n].dataset.v;
const sort = th => {
  const body = th.closest('table').tBodies[0], n = th.cellIndex, was = th.getAttribute('aria-sort');
  const down = was ? was === 'ascending' : !th.classList.contains('text');
  for (const other of th.parentNode.cells) other.removeAttribute('aria-sort');
  th.setAttribute('aria-sort', down ? 'descending' : 'ascending');
  const order = (a, b) => { const x = value(a, n), y = value(b, n); return x === y ? 0 : (x > y) === down ? -1 : 1; };
  body.append(...[...body.rows].sort(order));
};
for (const th of document.querySelectorAll('.sortable th')) {
  const button = document.createElement('button');
  button.append(...th.childNodes);
  button.addEventListener('click', () => sort(th));
  th.append(button);
}
})();
