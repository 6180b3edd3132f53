/**
 * Test program: ClickHouse's HTTP interface in front of the embedded engine, to test the client for servers against
 * real responses. Arguments: folder of the engine, port (0: any). Prints its port when listening, and rejects
 * settings in the URL, because ours belong in the SQL text.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { drainPending, Session } from 'chdb';

const [directory, port] = process.argv.slice(2);
const session = new Session(directory ?? '');

const harmless = new Set(['query', 'query_id', 'database']);
let tail: Promise<unknown> = Promise.resolve();

const server = createServer((request, response) => {
  tail = tail.then(() => answer(request, response)).catch(() => response.destroy());
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const body = await text(request);
  if (url.pathname === '/ping') return void response.end('Ok.\n');
  const settings = [...url.searchParams.keys()].filter(
    (key) => !harmless.has(key) && !key.startsWith('param_'),
  );
  if (settings.length > 0)
    return refuse(response, `Code: 1. DB::Exception: ${settings} in the URL. (REFUSED)`);
  try {
    const database = url.searchParams.get('database');
    await session.queryAsync(`USE ${database ?? 'default'}`);
    const query = url.searchParams.get('query');
    const result = await session.queryBindAsync(
      query === null ? body : `${query}\n${body}`,
      readParameters(url.searchParams),
      { format: 'TabSeparated' },
    );
    response.end(result.bytes());
  } catch (error) {
    refuse(response, error instanceof Error ? error.message : String(error));
  }
}

function refuse(response: ServerResponse, message: string): void {
  const code = /^Code: (\d+)/.exec(message)?.[1] ?? '1001';
  response.writeHead(500, { 'X-ClickHouse-Exception-Code': code }).end(message);
}

/** Removes the client's escapes, because the engine's binding adds its own. */
function readParameters(search: URLSearchParams): Record<string, unknown> {
  const entries = [...search].filter(([key]) => key.startsWith('param_'));
  return Object.fromEntries(entries.map(([key, value]) => [key.slice('param_'.length), readValue(value)]));
}

function readValue(value: string): string | string[] {
  if (!/^\[.*\]$/s.test(value)) return unescaped(value);
  return [...value.matchAll(/'((?:[^'\\]|\\.)*)'/gs)].map((match) => unescaped(match[1] ?? ''));
}

function unescaped(value: string): string {
  const controls: Record<string, string> = { t: '\t', n: '\n', r: '\r' };
  return value.replace(/\\(.)/gs, (_, character: string) => controls[character] ?? character);
}

process.once('SIGTERM', () => {
  server.close(async () => {
    session.close();
    await drainPending();
    process.exit(0);
  });
  server.closeAllConnections();
});
server.listen(Number(port ?? 0), '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
});
