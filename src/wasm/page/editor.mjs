// The editor of one SKILL.md: a text field, and beside it what each agent would do with the text, and its findings with their
// corrections, as one types. What it edits stays in the page.

import { chip, copier, count, el, note, number, prose, refused } from './elements.mjs';
import { SEVERITIES, button, finding } from './findings.mjs';
import { bestKnownFirst, has, isAgent, nameOf } from './found.mjs';
import { MARKS, STATES } from './matrix.mjs';

// How long to wait after the last key before the text is judged, in milliseconds.
const PAUSE_MS = 150;

const $ = id => document.getElementById(id);

/**
 * `judge(path, text, isAlone)` resolves to `{dialect, tables, check, matrix}`. The function that is returned opens the editor: `path(text, name)`
 * says where the text stands, `isNew` whether it stands alone, and `take(text, name)` gets it in the end.
 */
export function editor(judge) {
  const [dialog, area, gutter, result] = ['writing', 'writing-text', 'gutter', 'writing-result'].map($);
  let current;
  // A text that was pasted is there again when the dialog is opened again.
  let pasted = { text: '', name: '' };
  // The severities of lines that have findings.
  let worst = new Map();
  let turn = 0;
  let timer;

  const text = () => area.value.replaceAll('\n', current.end);

  function numbered() {
    const lines = area.value.split('\n').map((_, at) => worst.has(at + 1) ? el('span', { className: worst.get(at + 1) }, `${at + 1}\n`) : `${at + 1}\n`);
    gutter.replaceChildren(...lines);
    gutter.scrollTop = area.scrollTop;
  }

  function changed() {
    turn += 1;
    result.setAttribute('aria-busy', true);
    if (gutter.textContent.split('\n').length !== area.value.split('\n').length + 1) numbered();
    clearTimeout(timer);
    timer = setTimeout(judged, PAUSE_MS);
  }

  async function judged() {
    const mine = turn;
    const answer = area.value.trim()
      ? await judge(current.path(text(), $('writing-name').value), text(), current.isNew).catch(error => ({ error }))
      : null;
    if (mine !== turn) return;
    draw(answer);
    result.removeAttribute('aria-busy');
  }

  function draw(answer) {
    const isJudged = answer && !answer.error;
    const found = isJudged ? [...answer.check.findings ?? []].sort((a, b) => (a.line ?? 0) - (b.line ?? 0)) : [];
    worst = new Map([...SEVERITIES].reverse().flatMap(severity => found.filter(one => one.severity === severity).map(({ line }) => [line, severity])));
    numbered();
    const lines = area.value.split('\n');
    const cells = isJudged ? answer.matrix.rows[0]?.cells : undefined;
    const fixes = found.flatMap(({ fix }) => fix ?? []);
    const agents = cells ? bestKnownFirst(answer.tables).filter(name => isAgent(answer.tables.get(name))) : [];
    $('writing-sum').textContent = cells ? `${number(agents.filter(name => has(cells[name])).length)} of ${count(agents.length, 'agent')} take it; ${count(found.length, 'finding')}` : '';
    if (!isJudged) {
      result.replaceChildren(answer ? refused(answer.error) : note('Write or paste the text of a SKILL.md to see what each agent does with it.'));
      return;
    }
    result.replaceChildren(
      el('h3', {}, 'Agents, with this skill alone'), el('ul', { className: 'outcomes' }, verdicts(cells ?? {}, answer.tables)),
      el('div', { className: 'line' }, el('h3', {}, `Findings in ${answer.dialect}`),
        fixes.length > 1 && button('copy all', `Apply all ${number(fixes.length)}`, () => applyAll(fixes))),
      ...found.length ? found.map(one => finding(one, lines, { jump, apply })) : [note('No findings.')]);
  }

  // Where a line starts and ends in the text field.
  function span(first, last = first) {
    const lines = area.value.split('\n');
    const length = some => some.reduce((sum, line) => sum + line.length + 1, 0);
    return [length(lines.slice(0, first - 1)), length(lines.slice(0, last)) - 1];
  }

  function select(start, end, line) {
    area.focus();
    area.setSelectionRange(start, end);
    area.scrollTop = (line - 2) * parseFloat(getComputedStyle(area).lineHeight);
  }

  function jump({ line, column = 1 }) {
    const [start, end] = span(line);
    const before = [...area.value.slice(start, end)].slice(0, column - 1).join('').length;
    select(start + before, end, line);
  }

  // Replaces lines, such that the browser can undo it. Findings of an earlier text are not applied.
  function apply({ line, last, with: text }) {
    if (result.hasAttribute('aria-busy')) return;
    const [start, end] = span(line, last);
    select(start, text ? end : Math.min(end + 1, area.value.length), line);
    document.execCommand(text ? 'insertText' : 'delete', false, text);
  }

  // Replaces the lines of all corrections at once, the last ones first, so that the numbers of the others stay true. Of corrections
  // of one line the first is applied; what is left is found again.
  function applyAll(fixes) {
    if (result.hasAttribute('aria-busy')) return;
    const lines = area.value.split('\n');
    let below = Infinity;
    for (const { line, last = line, with: text } of [...fixes].sort((a, b) => b.line - a.line)) {
      if (last >= below) continue;
      lines.splice(line - 1, last - line + 1, ...text ? text.split('\n') : []);
      below = line;
    }
    select(0, area.value.length, 1);
    document.execCommand('insertText', false, lines.join('\n'));
  }

  area.addEventListener('input', changed);
  $('writing-name').addEventListener('input', changed);
  area.addEventListener('scroll', () => { gutter.scrollTop = area.scrollTop; });
  $('download').before(copier('the text', text, area));
  $('download').addEventListener('click', () => {
    const href = URL.createObjectURL(new Blob([text()], { type: 'text/markdown' }));
    el('a', { href, download: 'SKILL.md' }).click();
    setTimeout(() => URL.revokeObjectURL(href));
  });

  function ended() {
    clearTimeout(timer);
    turn += 1;
    result.removeAttribute('aria-busy');
    const name = $('writing-name').value;
    if (current.isNew) pasted = { text: area.value, name };
    const isTaken = dialog.returnValue === 'take' && area.value;
    dialog.returnValue = '';
    return isTaken ? current.take(text(), name) : undefined;
  }

  function open(what) {
    current = { end: what.text?.includes('\r\n') ? '\r\n' : '\n', ...what };
    $('writing-title').textContent = what.title;
    $('writing-take').textContent = what.isNew ? 'Open' : 'Use this text';
    $('for-writing-name').hidden = !what.isNew;
    $('writing-name').value = what.isNew ? pasted.name : '';
    area.value = what.isNew ? pasted.text : what.text;
    worst = new Map();
    draw(null);
    dialog.showModal();
    area.setSelectionRange(0, 0);
    area.scrollTop = 0;
    changed();
  }

  return { open, ended };
}

// The states of all dialects, those that are alike together, and the reason for each but `in use`.
function verdicts(cells, tables) {
  const all = new Map();
  for (const dialect of bestKnownFirst(tables).filter(name => cells[name])) {
    const { state, message, help, ...cell } = cells[dialect];
    const why = state === 'in-use' ? [] : [message.replaceAll(`\`${dialect}\``, 'the agent'), ...help ? [help] : []];
    const marks = MARKS.filter(({ is }) => is(cell)).map(({ word }) => word);
    const alike = JSON.stringify([state, marks, why]);
    if (!all.has(alike)) all.set(alike, { state, marks, why, names: [] });
    all.get(alike).names.push(nameOf(tables.get(dialect)));
  }
  const order = Object.keys(STATES);
  const sorted = [...all.values()].sort((a, b) => order.indexOf(a.state) - order.indexOf(b.state) || a.marks.length - b.marks.length);
  return sorted.map(({ state, marks, why: [message, help], names }) => el('li', {},
    el('div', { className: 'line' }, chip(STATES[state].word, STATES[state].kind), marks.map(word => chip(word, 'warning')), el('span', {}, names.join(', '))),
    message && el('p', { className: 'faint' }, prose(message)),
    help && el('p', { className: 'faint' }, prose(help))));
}
