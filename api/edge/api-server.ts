import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Includes the 30 s that a large body may wait for memory. */
const defaultRequestTimeoutMs = 90_000;
const headersTimeoutMs = 15_000;
/** Longer than the idle timeout of common load balancers (60 s), so that they close idle connections first. */
const keepAliveTimeoutMs = 65_000;
const maxHeaderBytes = 32 * 1024;

/**
 * The HTTP server of the API. Slow requests end with 408 and malformed HTTP with 400 or 431, in the error
 * envelope; a complete request gets its own answer first, and the connection ends with it. A client that closes its half of
 * the connection while its request runs gets no answer, as with nginx: it can't be told from one that has left, whose write
 * must not run when its turn comes (`takePlace`).
 */
export function createApiServer(
  handler: RequestListener,
  { requestTimeoutMs: requestTimeout = defaultRequestTimeoutMs } = {},
): Server {
  const server = createServer(
    {
      requestTimeout,
      headersTimeout: Math.min(headersTimeoutMs, requestTimeout),
      connectionsCheckingInterval: Math.min(5_000, requestTimeout),
      keepAliveTimeout: keepAliveTimeoutMs,
      maxHeaderSize: maxHeaderBytes,
    },
    handler,
  );
  finishBeforeRefusing(server);
  return server;
}

/**
 * Refuses requests that the parser can't read. If the one before is still being answered, that answer ends the connection
 * instead: the client would take a refusal for it, and repeat what has been done.
 */
function finishBeforeRefusing(server: Server): void {
  const latest = new WeakMap<Duplex, ServerResponse>();
  const ending = new WeakSet<Duplex>();
  server.prependListener('request', ({ socket }, response) => latest.set(socket, response));
  server.on('clientError', (error: Error & { code?: string }, socket) => {
    // One event for each further piece.
    if (ending.has(socket)) return;
    const answer = latest.get(socket);
    const isUnderWay = answer?.req.complete === true && !answer.writableFinished;
    if (!isUnderWay || error.code === 'ECONNRESET') {
      answerBrokenRequest(error, socket);
      return;
    }
    ending.add(socket);
    answer.once('close', () => socket.end(() => socket.destroy()));
  });
}

const leaveMs = 500;

/**
 * Closes the server without cutting off a request. For half a second it still accepts requests and answers them with
 * `Connection: close`: an idle connection that is closed at once may be carrying the client's next request. Then it
 * waits for running requests.
 *
 * @param graceMs after which running requests are cut off
 */
export async function closeApiServer(server: Server, graceMs: number): Promise<void> {
  server.prependListener('request', (_request, response) => response.setHeader('Connection', 'close'));
  const leftBy = Date.now() + leaveMs;
  while (Date.now() < leftBy && (await countConnections(server)) > 0) await delay(50);
  const closed = once(server, 'close');
  server.close();
  // A busy connection becomes idle later, and nothing else would close it.
  const idle = setInterval(() => server.closeIdleConnections(), 100);
  const force = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(force);
  clearInterval(idle);
}

const countConnections = (server: Server) => promisify(server.getConnections.bind(server))();

const brokenRequests: Record<string, [number, string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive'],
  HPE_HEADER_OVERFLOW: [431, 'The headers of the request are too large'],
};

// The parser failed before there was a request object, so the answer goes straight to the socket.
function answerBrokenRequest(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [statusCode, message] = brokenRequests[error.code ?? ''] ?? [400, 'The request is not valid HTTP'];
  const requestId = randomUUID();
  const body = JSON.stringify({
    success: false,
    error: { code: 'BAD_REQUEST', message, statusCode, requestId },
    timestamp: new Date().toISOString(),
  });
  socket.end(
    `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\nConnection: close\r\n` +
      `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Request-Id: ${requestId}\r\n\r\n${body}`,
  );
}
