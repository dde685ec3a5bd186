// Reads a zip archive, such as a `.skill` file: its files by name, and the entries that are refused, with the reason. Limits and
// reasons are those of the library's `ArchiveFs`, which the module does not include because of its size. Symbolic links are not
// followed, and archives inside the archive are plain files.

const MAX_ENTRIES = 10_000;
const MAX_BYTES = 64 * 2 ** 20;
const MAX_NAME_BYTES = 1024;
const MAX_DEPTH = 32;
// The highest compression ratio, and the size in bytes from which it is checked.
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

// Flags of an entry: encrypted, strongly encrypted, and sizes that follow the data.
const ENCRYPTED = 1 | 1 << 6 | 1 << 13;
const SIZES_LATER = 1 << 3;

const LIES = 'its local header does not match the directory';
const CHANGED = "it is damaged: its contents do not match the archive's checksum";

/** `{files, refused}`: bytes by name, null for a folder, `{error}` for an unreadable file; and `{name, why}` of each refused entry. */
export async function unzipped(blob) {
  if (blob.size > MAX_BYTES) throw new Error(`the archive has ${blob.size} bytes, expected at most ${MAX_BYTES}`);
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

// Reads the central directory.
function directory(bytes, view) {
  const { start, end, count } = span(bytes, view);
  if (count > MAX_ENTRIES) throw new Error(`the archive has ${count} entries, expected at most ${MAX_ENTRIES}`);
  const records = [];
  let at = start;
  for (let n = 0; n < count; n += 1) {
    if (at + CENTRAL_BYTES > end || view.getUint32(at, true) !== CENTRAL) throw damaged('its directory has fewer entries than it declares');
    const nameEnd = at + CENTRAL_BYTES + view.getUint16(at + 28, true);
    const next = nameEnd + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    if (next > end) throw damaged('its directory has fewer entries than it declares');
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
  if (at !== end) throw damaged('its directory has more entries than it declares');
  const size = records.reduce((sum, record) => sum + record.size, 0);
  if (size > MAX_BYTES) throw new Error(`the archive has ${size} bytes when unpacked, expected at most ${MAX_BYTES}`);
  return { records, start };
}

const damaged = why => new Error(`the archive cannot be read: ${why}`);

// Finds the central directory. Its end record may be followed by a comment, which must not look like another end record.
function span(bytes, view) {
  const last = bytes.length - END_BYTES;
  const ends = [];
  for (let at = last; at >= Math.max(0, last - 0xffff); at -= 1) {
    if (view.getUint32(at, true) === END && view.getUint16(at + 20, true) === last - at) ends.push(at);
  }
  if (!ends.length) throw new Error('not a zip archive, or a truncated one: no central directory at its end');
  if (ends.length > 1) throw damaged('it has two central directories, so its contents are ambiguous');
  const [end] = ends;
  const count = view.getUint16(end + 10, true);
  const start = view.getUint32(end + 16, true);
  const is64 = end >= 20 && view.getUint32(end - 20, true) === END_64_PLACE;
  if (is64 || start === 0xffffffff || count === 0xffff) throw damaged('zip64 is not supported, as a skill is never that large; pack it again without it');
  const isPart = view.getUint16(end + 4, true) || view.getUint16(end + 6, true) || view.getUint16(end + 8, true) !== count;
  if (isPart) throw damaged('multi-part archives are not supported');
  if (start + view.getUint32(end + 12, true) !== end) throw damaged('its directory is not where the archive says it is');
  return { start, end, count };
}

// An entry, its name checked, with the location of its data.
function judged(record, view, bytes, start) {
  const named = new TextDecoder().decode(record.raw);
  const isFolder = named.endsWith('/');
  const name = isFolder ? named.slice(0, -1) : named;
  const place = placeOf(record, view, bytes, start);
  const node = { ...record, name, isFolder, place, why: nameFault(record.raw, name) };
  if (node.why) return node;
  const isDir = record.kind === 0o040000;
  if (isFolder && ((record.kind && !isDir) || record.size)) node.why = "its name is a folder's, but it is a file";
  else if (!isFolder && isDir) node.why = "it is a folder, but its name is a file's";
  else if (!isFolder && record.kind && record.kind !== 0o100000) node.why = 'it is a symlink or another special file, and is not followed';
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
  if (name.includes('\\')) return 'its name contains a `\\`';
  if (/^[a-z]:/i.test(name)) return "its name starts with a drive letter";
  if (raw.length > MAX_NAME_BYTES) return 'its name is too long';
  if (parts.length > MAX_DEPTH) return 'it is nested too deeply';
  if (name === '') return 'it has no name';
  if (name.startsWith('/')) return 'its name is absolute';
  if (name.includes('\0')) return 'its name contains a NUL character';
  if (parts.includes('..')) return 'its name contains `..`';
  return parts.some(part => part === '' || part === '.') ? 'a part of its name is empty or `.`' : undefined;
}

// The data of an entry and the offset of its local header; undefined if the local header contradicts the directory.
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
  if (method !== STORED && method !== DEFLATED) return 'its compression method is not DEFLATE';
  if (!place) return LIES;
  if (method === STORED && size !== packed) return 'it is stored uncompressed, but its two lengths differ';
  return size > RATIO_FROM_BYTES && packed * MAX_RATIO < size ? 'its compression ratio is too high' : undefined;
}

// The accepted entries: each name once, in one letter case, and nothing below a file.
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
      if (!(first.isFolder && node.isFolder)) refuse(node, 'an earlier entry has the same name');
      continue;
    }
    // Parent folders must not differ in letter case either.
    const parts = node.name.split('/');
    const ways = parts.map((_, at) => parts.slice(0, at + 1).join('/'));
    if (ways.some(way => (cases.get(way.toLowerCase()) ?? way) !== way)) {
      refuse(node, "its name differs from another entry's only in letter case");
      continue;
    }
    for (const way of ways) cases.set(way.toLowerCase(), way);
    names.set(node.name, node);
  }
  return [...names.values()].filter(node => {
    const parts = node.name.split('/');
    const isBelowFile = parts.some((_, at) => at > 0 && names.get(parts.slice(0, at).join('/'))?.isFolder === false);
    if (isBelowFile) refuse(node, 'its parent is a file');
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

// The file's bytes, or an error.
async function unpacked({ method, place, size, crc }, archive) {
  const packed = archive.subarray(place.from, place.to);
  const bytes = method === STORED ? packed.slice() : await inflated(packed, size);
  return bytes?.length === size && crc32(bytes) === crc ? bytes : CHANGED;
}

/** The inflated bytes, or undefined if they are more than `atMost`. */
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
