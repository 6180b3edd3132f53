import { Readable } from 'node:stream';
import Router from '@koa/router';
import { z } from 'zod';
import { HttpProblem } from '../http/http-problem.ts';
import { parseInput } from '../http/read-input.ts';
import type { MailStore } from '../mail/mail-store.ts';
import type { IndexedMessage } from '../mail/message-index.ts';
import { presentMessage } from './present-message.ts';

const listSchema = z.object({
  to: z.string().optional(),
  subject: z.string().optional(),
  limit: z.coerce.number().int().min(0).default(50),
});

/** Messages are read in batches, so that a list of any size keeps the disk busy and uses little memory. */
const readAtOnce = { messages: 100, bytes: 8 * 1024 * 1024 };

export function messageRoutes(store: MailStore): Router {
  return new Router()
    .get('/api/messages', (ctx) => {
      const { limit, ...filter } = parseInput(listSchema, ctx.query);
      const { total, messages } = store.search(filter, limit);
      ctx.type = 'json';
      ctx.body = Readable.from(listJson(store, total, messages));
    })
    .get('/api/messages/:id', async (ctx) => {
      const message = findMessage(store, ctx.params.id);
      ctx.body = presentMessage(await store.read(message.line));
    })
    .delete('/api/messages', async (ctx) => {
      await store.clear();
      ctx.status = 204;
    });
}

/** @throws HttpProblem 404 */
export function findMessage(store: MailStore, id: string | undefined): IndexedMessage {
  const message = store.find(id ?? '');
  if (message === undefined) throw new HttpProblem(404, 'There is no such message in the inbox.');
  return message;
}

async function* listJson(
  store: MailStore,
  total: number,
  messages: readonly IndexedMessage[],
): AsyncGenerator<string> {
  yield `{"total":${total},"messages":[`;
  let isFirst = true;
  for (const group of groupsOf(store, messages)) {
    const read = await Promise.all(group.map(({ line }) => store.read(line)));
    const json = read.map((message) => JSON.stringify(presentMessage(message))).join(',');
    yield isFirst ? json : `,${json}`;
    isFirst = false;
  }
  yield ']}';
}

function* groupsOf(store: MailStore, messages: readonly IndexedMessage[]): Generator<IndexedMessage[]> {
  let group: IndexedMessage[] = [];
  let bytes = 0;
  for (const message of messages) {
    const { length } = store.readRecord(message.line).body;
    if (group.length === readAtOnce.messages || (group.length > 0 && bytes + length > readAtOnce.bytes)) {
      yield group;
      group = [];
      bytes = 0;
    }
    group.push(message);
    bytes += length;
  }
  if (group.length > 0) yield group;
}
