import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '../../local/testing/listen.ts';

export interface SeenRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export type TestHttpServer = Awaited<ReturnType<typeof startHttpServer>>;

export async function startHttpServer(
  answer: (request: SeenRequest, response: ServerResponse, incoming: IncomingMessage) => void,
  port = 0,
) {
  const requests: SeenRequest[] = [];
  let connections = 0;
  let openConnections = 0;
  const server = createServer(async (incoming, response) => {
    const request: SeenRequest = {
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      headers: incoming.headers,
      body: await text(incoming),
    };
    requests.push(request);
    answer(request, response, incoming);
  });
  // Idle connections stay open: a client that reuses one while a busy machine closes it would fail.
  server.keepAliveTimeout = 0;
  server.on('connection', (socket) => {
    connections += 1;
    openConnections += 1;
    socket.on('close', () => {
      openConnections -= 1;
    });
  });
  const host = `127.0.0.1:${await listen(server, port)}`;
  return {
    url: `http://${host}`,
    host,
    requests,
    get connections() {
      return connections;
    },
    get openConnections() {
      return openConnections;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
