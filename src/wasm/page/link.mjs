// In: what is looked at, or a fragment of an address. Out: the one as the other. A fragment stays in the browser: it is not
// part of a request. Texts are compressed. A fragment comes from anybody: its size and all that is in it is held against what
// the page knows before anything of it counts. Absent: the address bar itself, and what the state means.

import { inflated } from './zip.mjs';

// What browsers and most mail take, and what a person reads before it is passed on.
const MAX_FRAGMENT = 32_000;
const MAX_TEXT_BYTES = 256 * 2 ** 10;
const MAX_VALUE = 1_000;

const base64 = bytes => btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join('')).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
const bytesOf = text => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), letter => letter.charCodeAt(0));

async function deflated(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The fragment of a state: `{fragment, isShort}`, the second where its text was too long to be in it. */
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

/** The state of a fragment. `known` has, by name, whether a value may be. Throws an Error that says why it is none. */
export async function stateOf(fragment, known) {
  if (fragment.length > MAX_FRAGMENT) throw new Error(`it has ${fragment.length} characters, and ${MAX_FRAGMENT} are the most`);
  const state = Object.create(null);
  for (const [name, value] of new URLSearchParams(fragment)) {
    if (name in state) throw new Error(`it says \`${name}\` twice`);
    if (name !== 'text' && !Object.hasOwn(known, name)) throw new Error(`it has a part that this page does not know: \`${shown(name)}\``);
    if (name !== 'text' && (value.length > MAX_VALUE || !known[name](value))) throw new Error(`its part \`${name}\` cannot be \`${shown(value)}\``);
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
    const why = error instanceof RangeError ? `has more than ${MAX_TEXT_BYTES} bytes` : 'is damaged or cut short';
    throw new Error(`the text in it ${why}`, { cause: error });
  }
}
