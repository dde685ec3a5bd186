// Shows skills as a table. A column with the same value in every row becomes a line above it. Rows are neither filtered nor
// sorted here.

import { chip, el, rows } from './elements.mjs';
import { foundIn } from './findings.mjs';

// The columns that may be left out, and the text of each for a row.
const COLUMNS = ['Name', 'Description', 'Source', 'State'];

/** The table of `shown`, with the columns that differ among `all`. The page handles clicks on `orders`. */
export function table(shown, all, orders, page) {
  const same = new Map(all.length > 1 ? COLUMNS.map(column => [column, constant(all, column)]).filter(([, value]) => value) : []);
  const columns = ['Key', ...COLUMNS.filter(column => !same.has(column)), ...all.some(item => item.findings.length) ? ['Findings'] : []];
  const body = el('tbody', { role: 'rowgroup' });
  const made = el('table', { role: 'table', className: 'skills', 'aria-label': 'Skills' },
    el('thead', { role: 'rowgroup' }, el('tr', { role: 'row' }, columns.map(column => head(column, orders, page)))),
    body);
  const drawn = rows(body, shown, item => row(item, columns, page));
  const above = same.size
    ? el('dl', { className: 'same' }, el('dt', {}, 'In every row'), [...same].map(([column, value]) => el('dd', {}, `${column}: `, el('span', { 'data-column': column }, value))))
    : null;
  return [above, made, ...drawn.slice(1)].filter(Boolean);
}

/** The table of what a search has found. */
export function hits(items) {
  const columns = ['Rank', 'Key', 'Matched', 'Description'];
  const body = el('tbody', { role: 'rowgroup' });
  const made = el('table', { role: 'table', className: 'skills hits', 'aria-label': 'Search results' },
    el('thead', { role: 'rowgroup' }, el('tr', { role: 'row' }, columns.map(column => el('th', { role: 'columnheader', scope: 'col' }, column)))),
    body);
  const cell = (item, column) => column === 'Key'
    ? el('th', { role: 'rowheader', scope: 'row' }, item.cells[column]())
    : el('td', { role: 'cell', 'data-label': column }, item.cells[column]());
  const drawn = rows(body, items, item => [el('tr', { role: 'row' }, columns.map(column => cell(item, column)))]);
  return [made, ...drawn.slice(1)];
}

function constant(all, column) {
  if (column === 'Name' && all.every(({ cells }) => cells.Name === cells.Key)) return 'the same as the key';
  const [{ cells: first }] = all;
  return all.every(({ cells }) => cells[column] === first[column]) ? first[column] : undefined;
}

function head(column, orders, page) {
  const order = column.toLowerCase();
  const isBy = page.order === order || page.order === `-${order}`;
  const sorted = isBy ? page.order.startsWith('-') ? 'descending' : 'ascending' : 'none';
  if (!orders.includes(order)) return el('th', { role: 'columnheader', scope: 'col' }, column);
  return el('th', { role: 'columnheader', scope: 'col', 'aria-sort': sorted },
    el('button', { type: 'button', className: 'sort', 'data-order': order }, column,
      el('span', { 'aria-hidden': true, className: 'arrow' }, { ascending: '▲', descending: '▼', none: '' }[sorted])));
}

function row(item, columns, page) {
  const { button, details } = foundIn(item.findings, page);
  const content = {
    Name: item.cells.Name,
    Description: item.cells.Description,
    Source: item.cells.Source,
    State: item.chips.map(([text, kind]) => chip(text, kind)),
    Findings: button,
  };
  const line = el('tr', { role: 'row' },
    el('th', { role: 'rowheader', scope: 'row' }, page.opener(item.id, item.cells.Key)),
    columns.slice(1).map(column => el('td', { role: 'cell', 'data-label': column }, content[column])));
  if (!details) return [line];
  const cell = el('td', { role: 'cell', colspan: columns.length }, details);
  const below = el('tr', { role: 'row', className: 'more-of-it', hidden: true }, cell);
  button.addEventListener('click', () => { below.hidden = details.hidden; });
  return [line, below];
}
