// Shows two views as one table: items with the same id share a row, and differences are marked. `views.mjs` displays the
// items.

import { chip, count, el, note, rows } from './elements.mjs';
import * as words from './words.mjs';

/** The rows of two views; items with the same id share a row. */
export function paired(left, right) {
  const all = new Map();
  left.forEach(item => all.set(item.id, [item, undefined]));
  right.forEach(item => all.set(item.id, [all.get(item.id)?.[0], item]));
  return [...all.values()].map(([a, b]) => ({ a, b, any: a ?? b, ...difference(a, b) }));
}

// The names of the fields that differ, or that one side lacks the item.
function difference(a, b) {
  if (!a || !b) return { isOnly: true, differing: new Set() };
  const others = new Map(b.fields);
  const differing = a.fields.filter(([name, text]) => others.has(name) && others.get(name) !== text).map(([name]) => name);
  return { isOnly: false, differing: new Set(differing) };
}

// For both sides, the fields that differ, each with where the words stand in it that the other side does not have.
function wordsOf({ a, b, differing }) {
  const marks = [...differing].map(name => [name, words.differing(...[a, b].map(item => String(new Map(item.fields).get(name) ?? '')))]);
  return [0, 1].map(side => new Map(marks.map(([name, both]) => [name, both[side]])));
}

export const isDifferent = ({ isOnly, differing }) => isOnly || differing.size > 0;

/** The table. `sides` are `{name, about, view}`; `page.opener` creates the button that opens a file. */
export function pairs(sides, shown, page) {
  const heads = sides.map(({ name, about, view }) => el('th', { scope: 'col' }, el('span', { className: 'name' }, name), ' ', el('span', { className: 'sum' }, view.told), el('p', { className: 'about faint' }, about)));
  const made = el('table', { className: 'pairs', 'aria-label': 'Side by side' }, el('thead', {}, el('tr', {}, heads)));
  const cell = (item, side, differing) => el('td', { 'data-label': sides[side].name }, item ? item.half(differing) : el('p', { className: 'note' }, sides[side].view.absent ?? '–'));
  const drawn = rows(made, shown, pair => {
    const [left, right] = wordsOf(pair);
    return el('tbody', { className: isDifferent(pair) ? 'different' : '' },
      el('tr', {}, el('th', { colspan: 2, scope: 'rowgroup' }, page.isFile(pair.any) ? page.opener(pair.any.id, pair.any.label) : el('span', { className: 'part' }, pair.any.label), mark(pair, sides))),
      el('tr', {}, cell(pair.a, 0, left), cell(pair.b, 1, right)));
  });
  return shown.length ? drawn : [...drawn, note('No rows.')];
}

function mark({ a, b, isOnly, differing }, sides) {
  if (!isOnly && a.isUsed !== b.isUsed) return chip(`in use only in ${sides[a.isUsed ? 0 : 1].name}`, 'different');
  if (isOnly) return chip(`only in ${sides[a ? 0 : 1].name}`, 'different');
  const names = [...differing].filter(Boolean);
  return differing.size ? chip(names.length ? `differs: ${names.join(', ')}` : 'differs', 'different') : null;
}

export const summary = all => `${count(all.filter(isDifferent).length, 'difference')} in ${count(all.length, 'row')}`;
