// Says in one sentence what the matrix shows: which agent drops how many of the skills.

import { number } from './elements.mjs';

/** The dialects that most people look for, in the order in which they are shown; the others follow. */
export const BEST_KNOWN = ['agentskills', 'claude', 'cursor', 'codex', 'copilot', 'gemini', 'copilot-cli', 'opencode', 'goose'];

/** The names of all dialects, the best-known first. */
export function bestKnownFirst(tables) {
  const names = [...tables.keys()];
  const first = BEST_KNOWN.filter(name => tables.has(name));
  return [...first, ...names.filter(name => !first.includes(name))];
}

// What an agent is called stands before the colon. The standard is not an agent, and has no colon.
const AGENT = /^[^:]+(?=:)/;

export const isAgent = table => AGENT.test(table.about);

/** What people call this dialect. */
export const nameOf = table => AGENT.exec(table.about)?.[0] ?? table.name;

// The states of a cell in which the agent has the skill. A skill is `hidden` by its own wish, by the user's choice, or because it has
// nothing to show: the agent still has it, and the user can often call it.
const HAS = ['in-use', 'name-only', 'hidden'];

export const has = ({ state }) => HAS.includes(state);

/**
 * How many skills there are, how many of them no dialect has, and how many each agent drops: those that it does not have although another
 * dialect, or the standard, does: they are skipped, shadowed, left out of the prompt, or in a place that it does not look at.
 *
 * Files with the same name in folders with the same name are one skill, such as copies for two agents: an agent that has one
 * of them does not drop it.
 */
export function dropped({ dialects, rows }, tables) {
  const skills = new Map();
  for (const { path, name, cells } of rows) {
    const skill = JSON.stringify([name, path.split('/').at(-2)]);
    if (!skills.has(skill)) skills.set(skill, new Set());
    for (const dialect of dialects) if (has(cells[dialect])) skills.get(skill).add(dialect);
  }
  const all = [...skills.values()];
  const read = all.filter(dialects => dialects.size);
  const agents = bestKnownFirst(tables).filter(name => dialects.includes(name) && isAgent(tables.get(name)));
  return {
    sum: all.length,
    unread: all.length - read.length,
    agents: agents.map(name => ({ name, isKnown: BEST_KNOWN.includes(name), drops: read.filter(dialects => !dialects.has(name)).length })),
  };
}

/** The sentence. `these` is what comes before `skills`: `your` or `these`. */
export function sentence(matrix, tables, these) {
  const { sum, unread, agents } = dropped(matrix, tables);
  const losing = agents.filter(({ drops }) => drops);
  if (!sum || unread === sum) return sum ? `No agent sees ${any(sum, these)}.` : 'No agent finds a skill here.';
  if (!losing.length && !unread) return sum === 1 ? `Every agent sees ${any(1, these)}.` : `Every agent sees all ${number(sum)} skills.`;
  if (!losing.length) return `Every agent sees ${number(sum - unread)} of ${these} ${number(sum)} skills.`;
  // Of the best-known, the one that drops the most; the earlier one of equals.
  const [first] = [...losing].sort((a, b) => b.isKnown - a.isKnown || b.drops - a.drops);
  const what = sum === 1 ? any(1, these) : `${number(first.drops)} of ${these} ${number(sum)} skills`;
  const others = losing.length === 1 ? 'the other agents drop none' : `${losing.length === agents.length ? 'all' : `${number(losing.length)} of`} ${number(agents.length)} agents drop ${sum === 1 ? 'it' : 'at least one'}`;
  return `${nameOf(tables.get(first.name))} drops ${what}; ${others}.`;
}

const any = (sum, these) => sum === 1 ? `${these === 'these' ? 'this' : these} skill` : `any of ${these} ${number(sum)} skills`;
