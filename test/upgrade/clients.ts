import { setTimeout as delay } from 'node:timers/promises';
import type { TestAnswer, TestSender } from '../setup/sender.ts';

/** What clients were told while the version changed. */
export interface Told {
  /** Of accepted emails, one each. */
  sentTo: string[];
  /** Of accepted events, one each. */
  seen: string[];
  reads: number;
  /** Requests whose connection ended before an answer; a client repeats them with the same key. */
  withoutAnswer: number;
  faults: string[];
}

/** Pages of the dashboard that both versions have. */
const lists = ['/contacts', '/campaigns', '/workflows', '/templates', '/segments'];
const mostTries = 120;

/** Sends, tracks and reads until it is stopped. */
export function startClients(sender: TestSender): { stop(): Promise<Told> } {
  const told: Told = { sentTo: [], seen: [], reads: 0, withoutAnswer: 0, faults: [] };
  let isOver = false;
  const repeat = async (act: (n: number) => Promise<void>) => {
    for (let n = 0; !isOver; n += 1) {
      await act(n);
      await delay(200);
    }
  };
  const running = Promise.all([
    repeat(async (n) => {
      const to = `meanwhile-${n}@example.org`;
      const content = { from: `hello@${sender.domain}`, subject: 'Meanwhile', body: '<p>Meanwhile</p>' };
      if (await ask(sender, '/v1/send', { to, ...content }, `send ${n}`, told)) told.sentTo.push(to);
    }),
    repeat(async (n) => {
      const email = `seen-${n}@example.org`;
      if (await ask(sender, '/v1/track', { event: 'seen', email }, `track ${n}`, told)) told.seen.push(email);
    }),
    repeat(async (n) => {
      const path = lists[n % lists.length] ?? '';
      const answer = await orNothing(sender.get(path), told);
      told.reads += 1;
      if (answer !== undefined && answer.status !== 200) told.faults.push(describe(`GET ${path}`, answer));
    }),
  ]);
  return {
    async stop() {
      isOver = true;
      await running;
      return told;
    },
  };
}

/**
 * Repeats what got no answer with the same key. What was refused keeps its key, so it is repeated with another one.
 *
 * @returns whether it was accepted
 */
async function ask(
  sender: TestSender,
  path: string,
  body: object,
  key: string,
  told: Told,
): Promise<boolean> {
  let refusals = 0;
  for (let tries = 0; tries < mostTries; tries += 1) {
    const answer = await orNothing(
      sender.post(path, body, { 'Idempotency-Key': `${key} ${refusals}` }),
      told,
    );
    // A repeat answers what became of the first try: 200, or null while it runs.
    const first = answer?.status === 409 ? answer.body.error.details.originalStatusCode : undefined;
    if (answer?.status === 200 || first === 200) return true;
    if (answer !== undefined && first !== null) {
      told.faults.push(describe(`POST ${path} (${key})`, answer));
      refusals += 1;
    }
    await delay(500);
  }
  told.faults.push(`POST ${path} (${key}) was never accepted`);
  return false;
}

const orNothing = (asking: Promise<TestAnswer>, told: Told) =>
  asking.catch(() => {
    told.withoutAnswer += 1;
    return undefined;
  });

const describe = (request: string, { status, body }: TestAnswer) =>
  `${new Date().toISOString().slice(11, 19)} ${request} was answered ${status} ${JSON.stringify(body?.error)}`;
