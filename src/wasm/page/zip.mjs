// In: the bytes of a zip, as a `.skill` file is one. Out: its files by name, and what of it is refused, with the reason. The
// limits and the reasons are those of the library's `ArchiveFs`, which the module leaves out for its size. Absent: links, which
// are not followed, and archives within it, which are files.

const MAX_ENTRIES = 10_000;
const MAX_BYTES = 64 * 2 ** 20;
const MAX_NAME_BYTES = 1024;
const MAX_DEPTH = 32;
// A file may be so many times larger than packed, where it has more than the second.
const MAX_RATIO = 200;
const RATIO_FROM_BYTES = 2 ** 20;

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END_64_PLACE = 0x07064b50;
const LOCAL_BYTES = 30;
const CENTRAL_BYTES = 46;
const END_BYTES = 22;

const STORED = 0;
const DEFLATED = 8;

// Bits of an entry that say: encrypted, in one way or another; and that its sizes follow the data.
const ENCRYPTED = 1 | 1 << 6 | 1 << 13;
const SIZES_LATER = 1 << 3;

const LIES = 'what stands at its place is not what the directory says';
const CHANGED = 'it is damaged: its bytes are not what the archive says';

/** `{files, refused}`: bytes by name, null for a folder, `{error}` for what cannot be read; and `{name, why}` of each refused entry. */
export async function unzipped(blob) {
  if (blob.size > MAX_BYTES) throw new Error(`the archive has ${blob.size} bytes, and ${MAX_BYTES} are the most`);
  const bytes = new Uint8Array(await blob.arrayBuffer());
  const view = new DataView(bytes.buffer);
  const { records, start } = directory(bytes, view);
  const refused = [];
  const nodes = kept(records.map(record => judged(record, view, bytes, start)), refused);
  overlapping(nodes);
  const files = new Map();
  for (const node of nodes) {
    if (node.isFolder) {
      files.set(node.name, null);
      continue;
    }
    const content = node.fault ?? await unpacked(node, bytes).catch(() => CHANGED);
    if (typeof content === 'string') refused.push({ name: node.name, why: content });
    files.set(node.name, typeof content === 'string' ? { error: content } : content);
  }
  return { files, refused };
}

// What the directory at the end says of each entry.
function directory(bytes, view) {
  const { start, end, count } = span(bytes, view);
  if (count > MAX_ENTRIES) throw new Error(`the archive has ${count} entries, and ${MAX_ENTRIES} are the most`);
  const records = [];
  let at = start;
  for (let n = 0; n < count; n += 1) {
    if (at + CENTRAL_BYTES > end || view.getUint32(at, true) !== CENTRAL) throw damaged('its directory holds fewer entries than it says');
    const nameEnd = at + CENTRAL_BYTES + view.getUint16(at + 28, true);
    const next = nameEnd + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    if (next > end) throw damaged('its directory holds fewer entries than it says');
    const isUnix = [3, 19].includes(view.getUint16(at + 4, true) >> 8);
    records.push({
      raw: bytes.subarray(at + CENTRAL_BYTES, nameEnd),
      flags: view.getUint16(at + 8, true),
      method: view.getUint16(at + 10, true),
      crc: view.getUint32(at + 16, true),
      packed: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      kind: isUnix ? view.getUint16(at + 40, true) & 0o170000 : 0,
      offset: view.getUint32(at + 42, true),
    });
    at = next;
  }
  if (at !== end) throw damaged('its directory holds more than the entries that it counts');
  const size = records.reduce((sum, record) => sum + record.size, 0);
  if (size > MAX_BYTES) throw new Error(`the archive has ${size} bytes when unpacked, and ${MAX_BYTES} are the most`);
  return { records, start };
}

const damaged = why => new Error(`the archive cannot be read: ${why}`);

// Where the directory begins and ends. Its end may be followed by a comment, which must not look like another end.
function span(bytes, view) {
  const last = bytes.length - END_BYTES;
  const ends = [];
  for (let at = last; at >= Math.max(0, last - 0xffff); at -= 1) {
    if (view.getUint32(at, true) === END && view.getUint16(at + 20, true) === last - at) ends.push(at);
  }
  if (!ends.length) throw new Error('expected a zip, and it does not end with the directory of one; it may be cut short');
  if (ends.length > 1) throw damaged('it has two directories, and which one counts is not certain');
  const [end] = ends;
  const count = view.getUint16(end + 10, true);
  const start = view.getUint32(end + 16, true);
  const is64 = end >= 20 && view.getUint32(end - 20, true) === END_64_PLACE;
  if (is64 || start === 0xffffffff || count === 0xffff) throw damaged('it is a zip64, for more than a skill may hold; pack it again without');
  const isPart = view.getUint16(end + 4, true) || view.getUint16(end + 6, true) || view.getUint16(end + 8, true) !== count;
  if (isPart) throw damaged('it is one part of several');
  if (start + view.getUint32(end + 12, true) !== end) throw damaged('its directory is not where it says');
  return { start, end, count };
}

// An entry, judged by its name, and where its data are.
function judged(record, view, bytes, start) {
  const named = new TextDecoder().decode(record.raw);
  const isFolder = named.endsWith('/');
  const name = isFolder ? named.slice(0, -1) : named;
  const place = placeOf(record, view, bytes, start);
  const node = { ...record, name, isFolder, place, why: nameFault(record.raw, name) };
  if (node.why) return node;
  const isDir = record.kind === 0o040000;
  if (isFolder && ((record.kind && !isDir) || record.size)) node.why = 'it is named as a folder and is none';
  else if (!isFolder && isDir) node.why = 'it is a folder and not named as one';
  else if (!isFolder && record.kind && record.kind !== 0o100000) node.why = 'it is a link, or something else that is no file, and is not followed';
  else if (!isFolder) node.fault = dataFault(record, place);
  return node;
}

function nameFault(raw, name) {
  const parts = name.split('/');
  try {
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw);
  } catch {
    return 'its name is not UTF-8';
  }
  if (name.includes('\\')) return 'its name holds a `\\`';
  if (/^[a-z]:/i.test(name)) return "its name begins with a drive's letter";
  if (raw.length > MAX_NAME_BYTES) return 'its name is too long';
  if (parts.length > MAX_DEPTH) return 'it lies too deep';
  if (name === '') return 'it has no name';
  if (name.startsWith('/')) return 'its name is absolute';
  if (name.includes('\0')) return 'its name holds a NUL';
  if (parts.includes('..')) return 'its name climbs by `..`';
  return parts.some(part => part === '' || part === '.') ? 'a part of its name is empty, or `.`' : undefined;
}

// The bytes of the data, and where their header begins; none where the header says otherwise than the directory.
function placeOf(record, view, bytes, start) {
  const { offset } = record;
  if (offset + LOCAL_BYTES > start || view.getUint32(offset, true) !== LOCAL) return undefined;
  const nameAt = offset + LOCAL_BYTES;
  const nameEnd = nameAt + view.getUint16(offset + 26, true);
  const from = nameEnd + view.getUint16(offset + 28, true);
  const to = from + record.packed;
  const said = [14, 18, 22].map(at => view.getUint32(offset + at, true));
  const agrees = (value, known) => value === known || value === 0xffffffff;
  const isSized = record.flags & SIZES_LATER || said[0] === record.crc && agrees(said[1], record.packed) && agrees(said[2], record.size);
  const isSame = to <= start && isSized && view.getUint16(offset + 8, true) === record.method
    && ((view.getUint16(offset + 6, true) ^ record.flags) & (ENCRYPTED | SIZES_LATER)) === 0
    && nameEnd - nameAt === record.raw.length && record.raw.every((byte, at) => byte === bytes[nameAt + at]);
  return isSame ? { offset, from, to } : undefined;
}

function dataFault({ flags, method, size, packed }, place) {
  if (flags & ENCRYPTED) return 'it is encrypted';
  if (method !== STORED && method !== DEFLATED) return 'it is packed by a method other than DEFLATE';
  if (!place) return LIES;
  if (method === STORED && size !== packed) return 'it is stored as it is, and its two lengths differ';
  return size > RATIO_FROM_BYTES && packed * MAX_RATIO < size ? 'it grows more when unpacked than any file of a skill' : undefined;
}

// The entries that are there: each name once, in one letter case, and nothing below a file.
function kept(all, refused) {
  const names = new Map();
  const cases = new Map();
  const refuse = (node, why) => refused.push({ name: node.name, why });
  for (const node of all) {
    if (node.why) {
      refuse(node, node.why);
      continue;
    }
    const first = names.get(node.name);
    if (first) {
      if (!(first.isFolder && node.isFolder)) refuse(node, 'its name is taken by an entry before it');
      continue;
    }
    // A folder of another letter case counts as well, on the way to a file.
    const parts = node.name.split('/');
    const ways = parts.map((_, at) => parts.slice(0, at + 1).join('/'));
    if (ways.some(way => (cases.get(way.toLowerCase()) ?? way) !== way)) {
      refuse(node, 'its name differs from another one in letter case alone');
      continue;
    }
    for (const way of ways) cases.set(way.toLowerCase(), way);
    names.set(node.name, node);
  }
  return [...names.values()].filter(node => {
    const parts = node.name.split('/');
    const isBelowFile = parts.some((_, at) => at > 0 && names.get(parts.slice(0, at).join('/'))?.isFolder === false);
    if (isBelowFile) refuse(node, 'it would lie below a file');
    return !isBelowFile;
  });
}

function overlapping(nodes) {
  let end = 0;
  for (const node of nodes.filter(({ place }) => place).sort((a, b) => a.place.offset - b.place.offset)) {
    if (node.place.offset < end) node.fault ??= 'it overlaps another entry';
    end = Math.max(end, node.place.to);
  }
}

// The file's bytes; or why it has none.
async function unpacked({ method, place, size, crc }, archive) {
  const packed = archive.subarray(place.from, place.to);
  const bytes = method === STORED ? packed.slice() : await inflated(packed, size);
  return bytes?.length === size && crc32(bytes) === crc ? bytes : CHANGED;
}

/** What DEFLATE makes of bytes, as soon as it is more than `atMost`: undefined. */
export async function inflated(packed, atMost) {
  const out = new Uint8Array(atMost);
  const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  let end = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return out.subarray(0, end);
    if (end + value.length > atMost) {
      await reader.cancel();
      return undefined;
    }
    out.set(value, end);
    end += value.length;
  }
}

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let crc = n;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? 0xedb88320 ^ crc >>> 1 : crc >>> 1;
  return crc;
});

function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = TABLE[(crc ^ byte) & 0xff] ^ crc >>> 8;
  return ~crc >>> 0;
}
