import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { listen } from '../../local/testing/listen.ts';
import { closeApiServer, createApiServer } from './api-server.ts';

async function get(port: number, agent: Agent, path = '/') {
  const sent = request({ host: '127.0.0.1', port, agent, path }).end();
  const [response] = await once(sent, 'response');
  response.resume();
  await once(response, 'end');
  return { isReused: sent.reusedSocket, connection: response.headers.connection };
}

it('answers requests on an open connection while it closes, and tells the client to close it', async () => {
  const server = createApiServer((_request, response) => response.end('ok'));
  const port = await listen(server);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  expect(await get(port, agent)).toEqual({ isReused: false, connection: 'keep-alive' });
  const closed = closeApiServer(server, 10_000);
  expect(await get(port, agent)).toEqual({ isReused: true, connection: 'close' });
  await closed;
  await expect(get(port, agent)).rejects.toThrow('ECONNREFUSED');
});

it('lets a running request finish, and closes connections that stay idle', async () => {
  let finish = () => {};
  const server = createApiServer((incoming, response) => {
    if (incoming.url === '/slow') finish = () => response.end('ok');
    else response.end('ok');
  });
  const port = await listen(server);
  const [busy, idle] = [new Agent({ keepAlive: true }), new Agent({ keepAlive: true })];
  await get(port, idle);
  const answer = get(port, busy, '/slow');
  await once(server, 'request');
  let isClosed = false;
  const closed = closeApiServer(server, 60_000).then(() => {
    isClosed = true;
  });
  await once(server, 'close', { signal: AbortSignal.timeout(1_500) }).catch(() => undefined);
  expect(isClosed).toBe(false);
  finish();
  await answer;
  await closed;
});

it('cuts off a request that outlasts the grace time, and ends at once without connections', async () => {
  const server = createApiServer(() => {});
  const port = await listen(server);
  const answer = get(port, new Agent());
  const refused = expect(answer).rejects.toThrow('socket hang up');
  await once(server, 'request');
  await closeApiServer(server, 100);
  await refused;

  const unused = createApiServer(() => {});
  await listen(unused);
  await closeApiServer(unused, 60_000);
  expect(unused.listening).toBe(false);
});

it('answers a request as it ends, although bytes that are not HTTP follow its body', async () => {
  let finish = () => {};
  const server = createApiServer((incoming, response) => {
    incoming.resume();
    finish = () => response.end('ok');
  });
  const port = await listen(server);
  const socket = connect(port, '127.0.0.1');
  const broken = once(server, 'clientError');
  // Such as the NUL that ends a string in C.
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}\0');
  await broken;
  finish();
  const answers = (await text(socket)).match(/HTTP\/1\.1 \d+/g);
  expect(answers).toEqual(['HTTP/1.1 200']);
  await closeApiServer(server, 60_000);
});
