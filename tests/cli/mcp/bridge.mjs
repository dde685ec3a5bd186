// Speaks HTTP to one side and a server's standard streams to the other, for a suite of tests that knows HTTP alone:
// NAMES COMMAND WORD... Each session has a server of its own, and all requests without a session share one. NAMES is a
// JSON object: the suite asks for what its own server has, and each such name is replaced by what the server has of that
// kind. The port is printed; it ends with its own input.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

const [names, command, ...words] = process.argv.slice(2);
const renames = Object.entries(JSON.parse(names)).map((pair) => pair.map((name) => JSON.stringify(name)));

const MODERN = '2026-07-28';
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';

/** A running server, and who waits for its messages. */
class Server {
    #child = spawn(command, words, { stdio: ['pipe', 'pipe', 'inherit'] });
    #waiting = new Map();

    constructor() {
        createInterface({ input: this.#child.stdout }).on('line', (line) => this.#receive(JSON.parse(line)));
    }

    #receive(message) {
        const id = message.params?._meta?.[SUBSCRIPTION] ?? message.params?.progressToken ?? message.id;
        this.#waiting.get(String(id))?.(message);
    }

    /** Sends a request under an id of the bridge's own: the suite numbers those of each connection from 1. */
    request(message, receive) {
        const id = randomUUID();
        this.#waiting.set(id, (answer) => {
            const meta = answer.params?._meta;
            if (meta?.[SUBSCRIPTION] === id) meta[SUBSCRIPTION] = message.id;
            if (answer.id === id) answer.id = message.id;
            receive(answer);
        });
        this.send({ ...message, id });
        return () => {
            if (this.#waiting.delete(id))
                this.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
        };
    }

    send(message) {
        const line = renames.reduce((text, [theirs, ours]) => text.replaceAll(theirs, ours), JSON.stringify(message));
        this.#child.stdin.write(`${line}\n`);
    }

    end() {
        this.#child.stdin.end();
    }
}

const sessions = new Map();
let shared;

/** The server of a request: that of its session, a new one for the first request of a session, or the shared one. */
function serverOf(headers, message) {
    const id = headers['mcp-session-id'];
    if (id) return [id, sessions.get(id)];
    if (message.method !== 'initialize' || headers['mcp-protocol-version'] === MODERN) return [null, (shared ??= new Server())];
    const session = [randomUUID(), new Server()];
    sessions.set(...session);
    return session;
}

/** What HTTP says of an error in the revision that has no sessions. */
const statusOf = ({ error }) => (error === undefined ? 200 : error.code === -32601 ? 404 : 400);

async function answer(request, response) {
    const { method, headers } = request;
    let body = '';
    for await (const part of request) body += part;
    if (method === 'GET') return response.writeHead(405).end();
    const message = method === 'DELETE' ? {} : JSON.parse(body);
    const [session, server] = serverOf(headers, message);
    if (!server) return response.writeHead(404).end();
    if (method === 'DELETE') {
        server.end();
        sessions.delete(session);
        return response.writeHead(200).end();
    }
    if (message.method === undefined || message.id === undefined) {
        server.send(message);
        return response.writeHead(202).end();
    }
    const more = session ? { 'Mcp-Session-Id': session } : {};
    const stop = server.request(message, (answer) => {
        const isLast = answer.method === undefined;
        const text = JSON.stringify(answer);
        if (isLast && !response.headersSent) {
            response.writeHead(session ? 200 : statusOf(answer), { 'Content-Type': 'application/json', ...more }).end(text);
            return;
        }
        if (!response.headersSent) response.writeHead(200, { 'Content-Type': 'text/event-stream', ...more });
        response.write(`data: ${text}\n\n`);
        if (isLast) response.end();
    });
    response.on('close', () => (response.writableFinished ? null : stop()));
}

const server = createServer((request, response) =>
    answer(request, response).catch((error) => response.writeHead(500).end(String(error))),
);
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.resume().on('end', () => process.exit(0));
