// Converts the state of the page to the fragment of a URL and back. Browsers do not send fragments. Texts are
// compressed. A fragment is untrusted input: its size and every value are checked against what the page knows
// before it is used.

import { inflated } from './zip.mjs';

// The longest fragment, in characters: browsers and most mail programs accept it.
const MAX_FRAGMENT = 32_000;
const MAX_TEXT_BYTES = 256 * 2 ** 10;
const MAX_VALUE = 1_000;

const base64 = bytes => btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join('')).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
const bytesOf = text => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), letter => letter.charCodeAt(0));

async function deflated(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The fragment of a state: `{fragment, isShort}`; `isShort` if its text was too long and was left out. */
export async function fragmentOf({ text, ...values }) {
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value && value.length <= MAX_VALUE) parts.set(name, value);
  }
  if (text === undefined) return { fragment: parts.toString(), isShort: false };
  const packed = base64(await deflated(text));
  const isShort = packed.length > MAX_FRAGMENT - parts.toString().length - 20 || new Blob([text]).size > MAX_TEXT_BYTES;
  if (!isShort) parts.set('text', packed);
  return { fragment: parts.toString(), isShort };
}

/** The state in a fragment. `known` maps names to functions that validate values. Throws an Error with the reason if it is invalid. */
export async function stateOf(fragment, known) {
  if (fragment.length > MAX_FRAGMENT) throw new Error(`it has ${fragment.length} characters, expected at most ${MAX_FRAGMENT}`);
  const state = Object.create(null);
  for (const [name, value] of new URLSearchParams(fragment)) {
    if (name in state) throw new Error(`duplicate setting \`${name}\``);
    if (name !== 'text' && !Object.hasOwn(known, name)) throw new Error(`unknown setting \`${shown(name)}\``);
    if (name !== 'text' && (value.length > MAX_VALUE || !known[name](value))) throw new Error(`invalid value \`${shown(value)}\` for \`${name}\``);
    state[name] = name === 'text' ? await textOf(value) : value;
  }
  return state;
}

const shown = text => text.length > 40 ? `${text.slice(0, 40)}…` : text;

async function textOf(packed) {
  try {
    const bytes = await inflated(bytesOf(packed), MAX_TEXT_BYTES);
    if (!bytes) throw new RangeError();
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    const why = error instanceof RangeError ? `is larger than ${MAX_TEXT_BYTES} bytes` : 'is damaged or truncated';
    throw new Error(`the text in it ${why}`, { cause: error });
  }
}
