// Zips as no well-meaning program writes them: entry by entry, with whatever each shall say.

import { deflateRawSync } from 'node:zlib';

const crcTable = Array.from({ length: 256 }, (_, n) => {
  let crc = n;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? 0xedb88320 ^ crc >>> 1 : crc >>> 1;
  return crc >>> 0;
});
const crc32 = bytes => ~bytes.reduce((crc, byte) => crcTable[(crc ^ byte) & 0xff] ^ crc >>> 8, 0xffffffff) >>> 0;

/** A file that is packed. What is given after the text is told instead of what is so, in the directory and at its place. */
export function file(name, text, told = {}) {
  const bytes = Buffer.from(text);
  const data = told.method === 0 ? bytes : deflateRawSync(bytes);
  return { name, data, flags: 0x800, method: 8, crc: crc32(bytes), packed: data.length, size: bytes.length, mode: 0o100644, ...told };
}

/** The zip of these entries; `count` is how many its end tells of. */
export function zip(entries, { count = entries.length, comment = '' } = {}) {
  const parts = [];
  const records = [];
  let at = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.name, entry.encoding ?? 'utf8');
    const both = Buffer.alloc(26);
    both.writeUInt16LE(20, 0);
    both.writeUInt16LE(entry.flags, 2);
    both.writeUInt16LE(entry.method, 4);
    both.writeUInt16LE(33, 8);
    both.writeUInt32LE(entry.crc, 10);
    both.writeUInt32LE(entry.packed, 14);
    both.writeUInt32LE(entry.size, 18);
    both.writeUInt16LE(name.length, 22);
    const placed = Buffer.from(both);
    if (entry.sizeAtPlace !== undefined) placed.writeUInt32LE(entry.sizeAtPlace, 18);
    const head = Buffer.alloc(6);
    head.writeUInt32LE(0x02014b50, 0);
    head.writeUInt16LE(3 << 8 | 20, 4);
    const tail = Buffer.alloc(14);
    tail.writeUInt16LE(entry.mode, 8);
    tail.writeUInt32LE(entry.offset ?? at, 10);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), placed, name, entry.data]);
    parts.push(local);
    records.push(Buffer.concat([head, both, tail, name]));
    at += local.length;
  }
  const directory = Buffer.concat(records);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...parts, directory, end, Buffer.from(comment)]);
}
