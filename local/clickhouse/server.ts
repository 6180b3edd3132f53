import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Engine } from './engine.ts';
import { bindParameters } from './parameters.ts';
import { StatementError } from './statement-error.ts';

export interface Access {
  user: string;
  password: string;
}

/** The limit of a ClickHouse server: parameters are part of the URL. */
const longestUrl = 1024 * 1024;

/** ClickHouse's HTTP interface in front of the engine, as far as clients and `curl` need it. */
export function createClickHouseServer(engine: Engine, access: Access): Server {
  const server = createServer({ maxHeaderSize: longestUrl }, (request, response) => {
    answer(engine, access, request, response)
      .catch((error: unknown) => ({ error }))
      .then((result) => {
        // While the process is ending, its connections must not wait for another request.
        if (!server.listening) response.setHeader('Connection', 'close');
        if (result instanceof Uint8Array) response.end(result);
        else refuse(response, result.error);
      })
      .catch(() => response.destroy());
  });
  return server;
}

async function answer(
  engine: Engine,
  access: Access,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Uint8Array> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const url = new URL(request.url ?? '/', 'http://localhost');
  const body = await text(request);
  if (url.pathname === '/ping') return Buffer.from('Ok.\n');
  requireAccess(request, access);
  const { statement, database } = readStatement(url.searchParams, body);
  return engine.run(statement, database, gone.signal);
}

function requireAccess({ headers }: IncomingMessage, { user, password }: Access): void {
  const [scheme, encoded = ''] = headers.authorization?.split(' ') ?? [];
  const given =
    scheme?.toLowerCase() === 'basic'
      ? Buffer.from(encoded, 'base64').toString()
      : `${headers['x-clickhouse-user'] ?? 'default'}:${headers['x-clickhouse-key'] ?? ''}`;
  const digest = (value: string) => createHash('sha256').update(value).digest();
  if (timingSafeEqual(digest(given), digest(`${user}:${password}`))) return;
  throw new StatementError(516, 'AUTHENTICATION_FAILED', 'The user or password is wrong', 403);
}

function readStatement(search: URLSearchParams, body: string): { statement: string; database: string } {
  const values = new Map<string, string>();
  for (const [key, value] of search) {
    if (key.startsWith('param_')) values.set(key.slice('param_'.length), value);
    else if (!['query', 'query_id', 'database'].includes(key)) {
      throw new StatementError(
        48,
        'NOT_IMPLEMENTED',
        `${key} in the URL: the engine would keep a setting for later statements of others, so put it into the SETTINGS clause`,
      );
    }
  }
  const database = search.get('database') ?? 'default';
  if (!/^\w+$/.test(database)) {
    throw new StatementError(81, 'UNKNOWN_DATABASE', `${database} is not a database name`, 404);
  }
  const query = search.get('query');
  const statement = bindParameters(query ?? body, values);
  if (statement.trim() === '') throw new StatementError(62, 'SYNTAX_ERROR', 'The statement is empty', 400);
  return { statement: query === null || body === '' ? statement : `${statement}\n${body}`, database };
}

function refuse(response: ServerResponse, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  const [, code = '1001'] = /Code: (\d+)/.exec(message) ?? [];
  const status = error instanceof StatementError ? error.status : 500;
  response.writeHead(status, { 'X-ClickHouse-Exception-Code': code }).end(`${message}\n`);
}
