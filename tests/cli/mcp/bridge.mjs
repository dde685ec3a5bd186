// Speaks HTTP to one side and a server's standard streams to the other, for a suite of tests that knows HTTP alone:
// COMMAND WORD... Each session has a server of its own. The port is printed; it ends with its own input.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [command, ...args] = process.argv.slice(2);
const beside = createRequire(`${process.env.SKILLTREE_RUNTIMES}/package.json`);
const load = (path) => import(pathToFileURL(beside.resolve(`@modelcontextprotocol/sdk/${path}`)).href);
const { StreamableHTTPServerTransport } = await load('server/streamableHttp.js');
const { StdioClientTransport } = await load('client/stdio.js');

const sessions = new Map();

async function session() {
    const inner = new StdioClientTransport({ command, args });
    const outer = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => sessions.set(id, outer),
    });
    outer.onmessage = (message) => inner.send(message);
    inner.onmessage = (message) => outer.send(message);
    outer.onclose = () => inner.close();
    await inner.start();
    await outer.start();
    return outer;
}

const server = createServer(async (request, response) => {
    const known = sessions.get(request.headers['mcp-session-id']);
    await (known ?? (await session())).handleRequest(request, response);
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.resume().on('end', () => process.exit(0));
