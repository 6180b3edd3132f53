import { setTimeout as delay } from 'node:timers/promises';
import type { TestAnswer } from '../setup/answer.ts';
import type { TestSender } from '../setup/sender.ts';

/** The answers that clients got during the version change. */
export interface Told {
  /** Addresses with one accepted email each. */
  sentTo: string[];
  /** Addresses with one accepted event each. */
  seen: string[];
  reads: number;
  /** Requests whose connection closed before an answer; a client retries them with the same key. */
  withoutAnswer: number;
  faults: string[];
}

/** Pages of the dashboard that exist in both versions. */
const lists = ['/contacts', '/campaigns', '/workflows', '/templates', '/segments'];
const mostTries = 120;

/** Sends, tracks and reads until stopped. */
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
 * Retries requests without an answer with the same key. A refused request keeps its key, so it is retried with a new
 * one.
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
    // A retry reports the outcome of the first try: 200, or null while it runs.
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
