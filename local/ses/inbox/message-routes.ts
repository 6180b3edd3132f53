import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { sendJson, sendNothing } from '../http/answers.ts';
import { HttpProblem } from '../http/http-problem.ts';
import { parseInput } from '../http/read-input.ts';
import type { Route } from '../http/router.ts';
import type { MailStore } from '../mail/mail-store.ts';
import type { IndexedMessage } from '../mail/message-index.ts';
import { presentMessage } from './present-message.ts';

const listSchema = z.object({
  to: z.string().optional(),
  subject: z.string().optional(),
  limit: z.coerce.number().int().min(0).default(50),
});

/** Messages are read in batches, so that a list of any size keeps the disk busy and little in memory. */
const readAtOnce = { messages: 100, bytes: 8 * 1024 * 1024 };

export function messageRoutes(store: MailStore): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/messages',
      handle: async ({ response, query }) => {
        const { limit, ...filter } = parseInput(listSchema, query);
        const { total, messages } = store.search(filter, limit);
        response.writeHead(200, { 'content-type': 'application/json' });
        await pipeline(Readable.from(listJson(store, total, messages)), response);
      },
    },
    {
      method: 'GET',
      path: '/api/messages/:id',
      handle: async ({ response, params }) => {
        const message = findMessage(store, params.id);
        sendJson(response, 200, presentMessage(await store.read(message.line)));
      },
    },
    {
      method: 'DELETE',
      path: '/api/messages',
      handle: async ({ response }) => {
        await store.clear();
        sendNothing(response);
      },
    },
  ];
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
