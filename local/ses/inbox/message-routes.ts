import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { sendJson, sendNothing } from '../http/answers.ts';
import { HttpProblem } from '../http/http-problem.ts';
import type { Route } from '../http/router.ts';
import type { MailStore } from '../mail/mail-store.ts';
import type { IndexedMessage } from '../mail/message-index.ts';
import { presentMessage } from './present-message.ts';
import { parseInput } from './read-input.ts';

const listSchema = z.object({
  to: z.string().optional(),
  subject: z.string().optional(),
  limit: z.coerce.number().int().min(0).default(50),
});

/** Read together, so that a list of any size keeps the disk busy and little in memory. */
const readAtOnce = 100;

/** `GET /api/messages`, `GET /api/messages/:id` and `DELETE /api/messages`. */
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
  for (let start = 0; start < messages.length; start += readAtOnce) {
    const group = await Promise.all(
      messages.slice(start, start + readAtOnce).map(({ line }) => store.read(line)),
    );
    const json = group.map((message) => JSON.stringify(presentMessage(message))).join(',');
    yield start === 0 ? json : `,${json}`;
  }
  yield ']}';
}
