// Compares two texts word by word.

// How many pairs of words are compared at most. Between longer texts everything from the first differing word to the last
// counts as different.
const MAX_PAIRS = 1_000_000;

// A word or a punctuation mark, with the blanks before it.
const WORD = /\s*(?:[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_])|\s+/gu;

/**
 * Where the words of each text stand that the other does not have there: for both `[[start, end], …]`, in characters. If only blanks
 * differ, that is all of each text.
 */
export function differing(left, right) {
  const both = [left, right].map(text => text.match(WORD) ?? []);
  const [a, b] = both.map(words => words.map(word => word.trim()));
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const shared = common(a.slice(start, a.length - end), b.slice(start, b.length - end));
  const marks = both.map((words, side) => places(words, start, words.length - end, new Set(shared.map(pair => start + pair[side]))));
  const isMarked = left === right || marks.some(side => side.length);
  return isMarked ? marks : [left, right].map(text => [[0, [...text].length]]);
}

// The longest common subsequence: pairs of positions in `a` and `b`.
function common(a, b) {
  if (a.length * b.length > MAX_PAIRS) return [];
  const width = b.length + 1;
  // The length of the longest one from here on.
  const longest = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const at = i * width + j;
      longest[at] = a[i] === b[j] ? longest[at + width + 1] + 1 : Math.max(longest[at + width], longest[at + 1]);
    }
  }
  const pairs = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const at = i * width + j;
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (longest[at + width] >= longest[at + 1]) i += 1;
    else j += 1;
  }
  return pairs;
}

// Where the words from `from` to `to` stand that are not shared. Adjacent ones are one place, which begins behind its blanks.
function places(words, from, to, shared) {
  const all = [];
  let at = 0;
  let isOpen = false;
  words.forEach((word, index) => {
    const end = at + [...word].length;
    const isDifferent = index >= from && index < to && !shared.has(index);
    if (isDifferent && isOpen) all.at(-1)[1] = end;
    else if (isDifferent) all.push([word.trim() ? at + word.length - word.trimStart().length : at, end]);
    isOpen = isDifferent;
    at = end;
  });
  return all;
}
