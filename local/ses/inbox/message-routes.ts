import { Readable } from 'node:stream';
import Router from '@koa/router';
import { z } from 'zod';
import { HttpProblem, parseInput } from '../http/read-input.ts';
import type { MailStore, StoredMessage } from '../mail/mail-store.ts';
import { presentMessage } from './present-message.ts';

const listSchema = z.object({
  to: z.string().optional(),
  subject: z.string().optional(),
  limit: z.coerce.number().int().min(0).default(50),
});

/** A list of any size is sent in parts of this length, so it uses little memory. */
const partCharacters = 64 * 1024;

export function messageRoutes(store: MailStore): Router {
  return new Router()
    .get('/api/messages', (ctx) => {
      const { limit, ...filter } = parseInput(listSchema, ctx.query);
      const { total, ids } = store.search(filter, limit);
      ctx.type = 'json';
      ctx.body = Readable.from(listJson(store, total, ids));
    })
    .get('/api/messages/:id', async (ctx) => {
      ctx.body = presentMessage(await readMessage(store, ctx.params.id));
    })
    .delete('/api/messages', (ctx) => {
      store.clear();
      ctx.status = 204;
    });
}

/** @throws HttpProblem 404 */
export async function readMessage(store: MailStore, id: string | undefined): Promise<StoredMessage> {
  const message = await store.read(id ?? '');
  if (message === undefined) throw noSuchMessage();
  return message;
}

export function noSuchMessage(): HttpProblem {
  return new HttpProblem(404, 'There is no such message in the inbox.');
}

async function* listJson(store: MailStore, total: number, ids: readonly string[]): AsyncGenerator<string> {
  let part = `{"total":${total},"messages":[`;
  let separator = '';
  for (const id of ids) {
    const message = await store.read(id);
    // Deleted in the meantime.
    if (message === undefined) continue;
    part += separator + JSON.stringify(presentMessage(message));
    separator = ',';
    if (part.length < partCharacters) continue;
    yield part;
    part = '';
  }
  yield `${part}]}`;
}
