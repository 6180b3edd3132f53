import { setTimeout as delay } from 'node:timers/promises';
import pMap from 'p-map';
import { z } from 'zod';
import type { Tenant } from './tenant.ts';
import { createWorkflow } from './workflow-bench.ts';

const totalSchema = z.object({ total: z.number() });

const exitStep = { type: 'EXIT', config: {} };
const reentry = { allowReentry: true };

/** A workflow that ends immediately. @returns its id */
export const createShortWorkflow = (tenant: Tenant, eventName: string): Promise<string> =>
  createWorkflow(tenant, eventName, [exitStep], reentry);

/** Each event starts an execution that ends immediately. */
export async function startExecutions(tenant: Tenant, count: number): Promise<void> {
  await createShortWorkflow(tenant, 'signed up');
  await track(tenant, count, 'signed up');
}

export async function track({ post }: Tenant, count: number, event: string): Promise<void> {
  await pMap(
    Array.from({ length: count }, (_, n) => n),
    async (n) => {
      const body = JSON.stringify({ email: `person-${n}@example.com`, event });
      const status = await post('/v1/track', body, 'public');
      if (status !== 200) throw new Error(`/v1/track: ${status}`);
    },
    { concurrency: 64 },
  );
}

/** @returns milliseconds until `count` executions have ended; at most `patienceMs` */
export async function untilEnded(
  { call }: Tenant,
  workflowId: string,
  count: number,
  patienceMs: number,
): Promise<number> {
  const startedAt = Date.now();
  for (; Date.now() - startedAt < patienceMs; await delay(100)) {
    const page = await call('GET', `/workflows/${workflowId}/executions?status=EXITED&pageSize=1`);
    if (totalSchema.parse(page).total >= count) break;
  }
  return Date.now() - startedAt;
}

const newsBody = '<p>Hello, this is new.</p>';
/** Renders for about a tenth of a second, near the limit. */
export const slowBody =
  '{% for i in (1..24) %}{% for j in (1..999) %}{% if i == j and i > 3 or j contains "x" %}{{ j }}{% endif %}' +
  '{% endfor %}{% endfor %}<p>Hello</p>';

export async function queueEmails({ post, domain }: Tenant, count: number, body = newsBody): Promise<void> {
  const perCall = 1_000;
  await pMap(
    Array.from({ length: count / perCall }, (_, call) => call),
    async (call) => {
      const email = {
        to: Array.from({ length: perCall }, (_, n) => `reader-${call * perCall + n}@example.com`),
        from: `news@${domain}`,
        subject: 'News',
        body,
      };
      const status = await post('/v1/send', JSON.stringify(email));
      if (status !== 200) throw new Error(`/v1/send: ${status}`);
    },
    { concurrency: 4 },
  );
}

export async function sendLargeEmails(
  { post, domain }: Tenant,
  count: number,
  megabytes: number,
): Promise<void> {
  const content = Buffer.alloc(megabytes * 1_000_000, 'posthaste').toString('base64');
  const file = `{"filename":"file.bin","contentType":"application/octet-stream","content":"${content}"}`;
  // Shared by all bodies.
  const attachments = new Blob([`,"attachments":[${file}]}`]);
  await Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const head = JSON.stringify({
        to: `large-${n}@example.com`,
        from: `files@${domain}`,
        subject: 'Your file',
        body: '<p>It is attached.</p>',
      });
      const status = await post('/v1/send', new Blob([head.slice(0, -1), attachments]));
      if (status !== 200) throw new Error(`/v1/send: ${status}`);
    }),
  );
}

const smallLoop = '{% for n in (1..50) %}{{ n }}{% endfor %}';

/**
 * Runs executions whose WEBHOOK step has as many templates as the API accepts: 1,200, halved until it does.
 * @returns that number
 */
export async function callWebhooks(tenant: Tenant, count: number): Promise<number> {
  let templates = 1_200;
  for (; ; templates = Math.floor(templates / 2)) {
    const body = Object.fromEntries(Array.from({ length: templates }, (_, n) => [`field${n}`, smallLoop]));
    const config = { url: 'http://127.0.0.1:9/nobody', method: 'POST', body };
    try {
      const steps = [{ type: 'WEBHOOK', name: 'hook', config }, exitStep];
      await createWorkflow(tenant, `hooked ${templates}`, steps, reentry);
      break;
    } catch (error) {
      if (!String(error).includes(': 422 ')) throw error;
    }
  }
  await track(tenant, count, `hooked ${templates}`);
  return templates;
}

const fullContacts = 200;

/** Each event would make its contact's data too large. */
export async function trackFailing({ call, post }: Tenant, count: number): Promise<void> {
  const addressOf = (n: number) => `full-${n % fullContacts}@example.com`;
  for (let n = 0; n < fullContacts; n += 1) {
    await call('POST', '/contacts', { email: addressOf(n), data: { filler: 'x'.repeat(60_000) } });
  }
  await pMap(
    Array.from({ length: count }, (_, n) => n),
    async (n) => {
      const body = { email: addressOf(n), event: 'failed', data: { more: 'y'.repeat(10_000) } };
      const status = await post('/v1/track', JSON.stringify(body), 'public');
      if (status !== 422) throw new Error(`/v1/track: ${status}`);
    },
    { concurrency: 64 },
  );
}
