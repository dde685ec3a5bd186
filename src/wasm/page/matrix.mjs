// Shows the matrix: a row for each skill, a column for each dialect, and below a row the reason for the cell that was chosen.

import { chip, el, prose, rows } from './elements.mjs';
import { BEST_KNOWN } from './found.mjs';

/** The states of a cell: their symbols, the words for people, and the kind of their chips. */
export const STATES = {
  'in-use': { symbol: '✓', word: 'in use', kind: 'in-use' },
  'name-only': { symbol: '~', word: 'by name only', kind: 'warning' },
  hidden: { symbol: '–', word: 'hidden', kind: 'hidden' },
  shadowed: { symbol: '=', word: 'shadowed', kind: 'shadowed' },
  skipped: { symbol: '!', word: 'skipped', kind: 'skipped' },
  'left-out': { symbol: '×', word: 'left out', kind: 'left-out' },
  unseen: { symbol: '·', word: 'not looked at', kind: 'quiet' },
};

/** What stands behind the state of a cell: the mark, and the words for people. */
export const MARKS = [
  { is: cell => cell.repaired, mark: '*', word: 'only thanks to a repair' },
  { is: cell => cell.withheld, mark: '†', word: 'withheld from the model here' },
];

// With more dialects than these, cells have symbols alone where they stand in columns.
const MAX_WORDS = 3;
// Where each skill is a block of its own, so many dialects are shown at first.
const MAX_AT_FIRST = BEST_KNOWN.length;

/**
 * The table of these rows, and a legend. `page.opener` creates the button that opens a file, `page.cell` names the open cell, and
 * `page.turn` is told when it changes.
 */
export function grid(shown, dialects, page) {
  const isDense = dialects.length > MAX_WORDS;
  const head = dialect => el('th', { role: 'columnheader', scope: 'col' }, el('span', {}, dialect));
  const body = el('tbody', { role: 'rowgroup' });
  const made = el('table', { role: 'table', className: isDense ? 'matrix dense' : 'matrix', 'aria-label': 'Skills by dialect' },
    el('thead', { role: 'rowgroup' }, el('tr', { role: 'row' }, el('th', { role: 'columnheader', scope: 'col' }, 'Skill'), dialects.map(head))),
    body);
  const drawn = rows(body, shown, item => row(item, dialects, page));
  const occurs = Object.entries(STATES).filter(([state]) => shown.some(({ cells }) => cells.some(cell => cell.state === state)));
  const marked = MARKS.filter(({ is }) => shown.some(({ cells }) => cells.some(is)));
  const legend = el('ul', { className: 'legend', 'aria-label': 'Legend' }, occurs.map(([, { symbol, word, kind }]) => el('li', {}, chip(symbol, kind), ` ${word}`)),
    marked.map(({ mark, word }) => el('li', {}, chip(mark, 'warning'), ` ${word}`)));
  return [isDense || marked.length ? legend : null, made, ...drawn.slice(1)].filter(Boolean);
}

function row(item, dialects, page) {
  const reason = el('td', { role: 'cell', colspan: dialects.length + 1 });
  const below = el('tr', { role: 'row', className: 'more-of-it', hidden: true }, reason);
  const open = at => {
    buttons.forEach((one, index) => one.setAttribute('aria-expanded', index === at));
    below.hidden = at < 0;
    reason.replaceChildren(...at < 0 ? [] : [why(item, dialects[at], item.cells[at])]);
  };
  const nameOf = at => `${dialects[at]} ${item.label}`;
  const buttons = item.cells.map((cell, at) => {
    const { symbol: state, word, kind } = STATES[cell.state];
    const marks = MARKS.filter(({ is }) => is(cell));
    const symbol = [state, ...marks.map(({ mark }) => mark)].join('');
    const button = el('button', {
      type: 'button', className: `chip cell ${kind}`, tabIndex: -1, 'aria-expanded': false, 'data-cell': `${dialects[at]} ${item.id}`,
      'aria-label': [`${dialects[at]}: ${symbol} ${word}`, ...marks.map(({ word }) => word)].join(', '),
    }, el('span', { className: 'symbol' }, symbol), el('span', { className: 'word' }, ` ${word}`));
    button.addEventListener('click', () => {
      const isOpen = button.getAttribute('aria-expanded') === 'true';
      open(isOpen ? -1 : at);
      page.turn(isOpen ? '' : nameOf(at));
    });
    return button;
  });
  const line = el('tr', { role: 'row' },
    el('th', { role: 'rowheader', scope: 'row' }, page.opener(item.id, item.name), el('span', { className: 'faint place' }, item.label), others(dialects, () => line.classList.add('whole'))),
    buttons.map((button, at) => el('td', { role: 'cell', 'data-label': dialects[at], className: at < MAX_AT_FIRST ? '' : 'later' }, button)));
  const chosen = dialects.findIndex((_, at) => nameOf(at) === page.cell);
  if (chosen >= 0) open(chosen);
  if (chosen >= MAX_AT_FIRST) line.classList.add('whole');
  return [line, below];
}

// The button that shows the cells of the other dialects, where they do not stand in columns.
function others(dialects, show) {
  if (dialects.length <= MAX_AT_FIRST) return null;
  const button = el('button', { type: 'button', className: 'others' }, `+ ${dialects.length - MAX_AT_FIRST} dialects`);
  button.addEventListener('click', () => {
    show();
    button.remove();
  });
  return button;
}

// The reason for a cell.
function why(item, dialect, cell) {
  const { state, code, rule, message, help, key } = cell;
  const { word, kind } = STATES[state];
  return el('div', { className: 'details', role: 'status' },
    el('div', { className: 'line' }, el('strong', {}, dialect), chip(word, kind), MARKS.filter(({ is }) => is(cell)).map(({ word }) => chip(word, 'warning')), code && el('code', { className: 'faint' }, code), rule && el('span', { className: 'faint' }, 'rule ', el('code', {}, rule))),
    el('p', {}, prose(message)),
    help && el('p', { className: 'faint' }, prose(help)),
    key === undefined ? null : el('p', {}, el('button', { type: 'button', className: 'in-one', 'data-dialect': dialect, 'data-path': item.id }, `Open in ${dialect}`)));
}
