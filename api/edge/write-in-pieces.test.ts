import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { expect, it } from 'vitest';
import { busy } from '../../core/testing/busy.ts';
import type { AppContext, RequestState } from './context.ts';
import { writeInPieces } from './write-in-pieces.ts';

async function answerOf(body: unknown) {
  const app = new Koa<RequestState, AppContext>();
  app.use(writeInPieces());
  app.use((ctx) => {
    ctx.body = body;
  });
  const server = createServer(app.callback()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // as: a server that listens on a port has such an address.
  const { port } = server.address() as AddressInfo;
  try {
    const answer = await fetch(`http://127.0.0.1:${port}`);
    return { type: answer.headers.get('Content-Type'), text: await answer.text() };
  } finally {
    server.close();
  }
}

const type = 'application/json; charset=utf-8';

it('writes a list as JSON.stringify does', async () => {
  const at = new Date('2030-01-01');
  const lists = [
    { data: [] },
    { data: [{ at, left: undefined, text: 'é "1"' }, { id: 2 }], total: 2, next: undefined, from: null },
    { data: [1, null], cursor: 'x' },
  ];
  for (const list of lists) expect(await answerOf(list)).toEqual({ type, text: JSON.stringify(list) });
});

it('leaves other answers alone', async () => {
  expect(await answerOf({ data: { id: 1 } })).toEqual({ type, text: '{"data":{"id":1}}' });
  expect(await answerOf({ count: 1 })).toEqual({ type, text: '{"count":1}' });
});

it('lets other work run while it writes a list that takes long', async () => {
  let turns = 0;
  const counting = setInterval(() => (turns += 1), 1);
  const seen: number[] = [];
  const item = { toJSON: () => busy(20) ?? seen.push(turns) };
  await answerOf({ data: Array.from({ length: 10 }, () => item) });
  clearInterval(counting);
  expect(new Set(seen).size).toBeGreaterThan(5);
});
