// Shows findings: each with its line and the corrected line, and a summary (number and worst severity) for a row
// of a table; and what its code means.

import { block, chip, copier, count, el, marked, note, number, prose } from './elements.mjs';

// What each code means, as Markdown. It is loaded with the page, which asks for nothing later.
const meanings = fetch(new URL('codes.json', import.meta.url)).then(answer => answer.json()).catch(() => ({}));

/** Severities, worst first. */
export const SEVERITIES = ['error', 'warning', 'note'];

/** A button with the number and worst severity of findings, and the element that it opens. */
export function foundIn(findings, page) {
  if (!findings.length) return { button: null, details: null };
  const [severity] = SEVERITIES.filter(one => findings.some(finding => finding.severity === one));
  const worst = findings.filter(finding => finding.severity === severity).length;
  const rest = findings.length - worst;
  const details = el('div', { className: 'details', hidden: true });
  const button = el('button', { type: 'button', className: `chip found ${severity}`, 'aria-expanded': false, 'data-found': findings[0].path }, `${count(worst, severity)}${rest ? `, ${number(rest)} more` : ''}`);
  button.addEventListener('click', async () => {
    details.hidden = !details.hidden;
    button.setAttribute('aria-expanded', !details.hidden);
    if (details.hidden || details.childElementCount) return;
    const [lines] = await page.lines([findings[0].path]);
    details.replaceChildren(...findings.map(one => finding(one, lines)));
  });
  return { button, details };
}

/** Sort key of findings: more errors first, then more warnings. */
export const weight = findings => -findings.reduce((sum, { severity }) => sum + 1000 ** (2 - SEVERITIES.indexOf(severity)), 0);

/** One finding. With `edit`, `{jump, apply}`, its place leads to the line in an editor, and its correction can be applied there. */
export function finding({ severity, code, line, column, message, help, fix }, lines, edit) {
  const from = fix?.line ?? line;
  const last = Math.min(fix?.last ?? from, from + 19);
  const was = from === undefined ? [] : lines.slice(from - 1, last);
  const shown = (text, index) => numbered(from + index, text, from + index === line ? column : undefined);
  const mended = fix?.with.split('\n').map((text, index) => numbered(from + index, text));
  const place = line === undefined ? 'whole file' : `line ${line}${column ? `, column ${column}` : ''}`;
  const figure = (label, kind, made) => el('figure', {}, el('figcaption', { className: 'top' }, label), el('pre', { className: kind }, made));
  return el('article', { className: 'finding' },
    el('div', { className: 'line' }, chip(severity, severity), el('code', { className: 'code' }, code),
      edit && line !== undefined ? button('opener', place, () => edit.jump({ line, column })) : el('span', { className: 'faint' }, place)),
    el('p', {}, prose(message)),
    help && el('p', { className: 'faint' }, prose(help)),
    was.length || mended ? el('div', { className: mended ? 'lines two' : 'lines' },
      was.length ? figure('Current', 'was', was.map(shown)) : null,
      mended ? fixed(figure, mended, edit ? button('copy apply', 'Apply', () => edit.apply(fix)) : fix.with) : null) : null,
    meaning(code));
}

/** A button that does this. */
export function button(className, label, act) {
  const made = el('button', { type: 'button', className }, label);
  made.addEventListener('click', act);
  return made;
}

// What a code means, filled in when it is opened.
function meaning(code) {
  const details = el('details', { className: 'meaning' }, el('summary', {}, 'What this means'));
  details.addEventListener('toggle', async () => {
    const text = (await meanings)[code];
    details.append(...(text === undefined ? [note(`The page has no text about \`${code}\`.`)] : explained(text)));
  }, { once: true });
  return details;
}

// The paragraphs and the fenced blocks of a text. The info string of a block is `text` and the path of a file, or `console`.
function explained(text) {
  const made = [];
  const parts = text.split(/^(`{3,})(.*)\n([^]*?)^\1$/m);
  for (let at = 0; at < parts.length; at += 4) {
    const paragraphs = parts[at].trim().split(/\n{2,}/).filter(Boolean).map(paragraph => paragraph.replaceAll('\n', ' '));
    made.push(...paragraphs.map(paragraph => el('p', {}, /^(Bad|Good)\b.*:$/.test(paragraph) ? el('strong', {}, paragraph) : prose(paragraph))));
    if (at + 3 < parts.length) made.push(block(parts[at + 2].replace(/^text /, ''), parts[at + 3]));
  }
  return made;
}

// The corrected lines, with a button: the one given, or one that copies the text.
function fixed(figure, mended, given) {
  const made = figure('Corrected', 'mended', mended);
  made.firstChild.append(typeof given === 'string' ? copier('the corrected text', () => given, made.lastChild) : given);
  return made;
}

// A line with its number, and the character of the finding marked.
function numbered(at, text, column) {
  const line = el('span', { className: 'source' }, el('span', { className: 'at', 'aria-hidden': true }, String(at)));
  const isIn = column >= 1 && column <= [...text].length;
  line.append(el('span', {}, isIn ? marked(text, [[column - 1, column]]) : text));
  return line;
}
