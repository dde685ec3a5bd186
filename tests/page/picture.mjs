// picture.mjs SITE RUNTIMES CHROMIUM FILE: the page in SITE as it is when it is opened, as a picture of 1200 × 630 dots: what
// the README shows, and what other sites show in a preview of the page.

import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { extname, join, resolve } from 'node:path';

const [site, runtimes, executablePath, out] = process.argv.slice(2).map(given => resolve(given));
const { chromium } = createRequire(join(runtimes, 'package.json'))('playwright-core');
const MAX_BYTES = 120_000;
const TYPES = { '.html': 'text/html; charset=utf-8', '.css': 'text/css', '.mjs': 'text/javascript', '.svg': 'image/svg+xml', '.wasm': 'application/wasm' };

const server = createServer(async (request, response) => {
  const path = request.url === '/' ? '/index.html' : request.url;
  const bytes = await readFile(join(site, path)).catch(() => null);
  response.writeHead(bytes ? 200 : 404, { 'content-type': TYPES[extname(path)] ?? 'application/octet-stream' }).end(bytes);
});
await new Promise(done => server.listen(0, '127.0.0.1', done));

const browser = await chromium.launch({ executablePath, headless: true, args: ['--no-sandbox', '--disable-gpu'] });
// More of the page than fits letter by letter, but large enough to be read.
const page = await browser.newPage({ viewport: { width: 1600, height: 840 }, deviceScaleFactor: 3 / 4, colorScheme: 'light' });
await page.goto(`http://127.0.0.1:${server.address().port}/`);
await page.waitForSelector('.matrix tbody');
await page.waitForFunction(() => !document.querySelector('[aria-busy]') && / drops? /.test(document.querySelector('#found').textContent));
const picture = await page.screenshot();
await browser.close();
server.close();

const [width, height] = [16, 20].map(at => picture.readUInt32BE(at));
if (width !== 1200 || height !== 630) throw new Error(`expected a picture of 1200 × 630, got ${width} × ${height}`);
if (picture.length > MAX_BYTES) throw new Error(`the picture has ${picture.length} bytes, and ${MAX_BYTES} are the most`);
await writeFile(out, picture);
console.log(`${out}: ${picture.length} bytes`);
