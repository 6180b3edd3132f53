import { expect } from 'vitest';
import { eventually } from './eventually.ts';
import type { TestProduct } from './product.ts';
import type { TestSender } from './sender.ts';

interface ReceivedActivity {
  contactId: string | null;
  contactEmail: string | null;
  metadata: Record<string, unknown>;
}

/** A string is sent as MIME. */
export async function deliver(
  stack: TestProduct,
  email: object | string,
  query = '',
): Promise<{ id: string; action: string }> {
  const isRaw = typeof email === 'string';
  const answer = await fetch(`${stack.ses.url}/api/inbound${query}`, {
    method: 'POST',
    headers: { 'Content-Type': isRaw ? 'message/rfc822' : 'application/json' },
    body: isRaw ? email : JSON.stringify(email),
  });
  const text = await answer.text();
  expect(answer.status, text).toBe(202);
  return JSON.parse(text);
}

export async function receivedActivity(sender: TestSender, count: number): Promise<ReceivedActivity[]> {
  const { body } = await eventually(
    () => sender.get('/activity?types=email.received&limit=100'),
    (answer) => answer.body.data.length >= count,
  );
  expect(body.data).toHaveLength(count);
  return body.data;
}

export async function allRead(stack: TestProduct): Promise<void> {
  await eventually(
    async () => ((await (await fetch(`${stack.ses.url}/api/events`)).json()) as { queued: number }).queued,
    0,
  );
  await eventually(
    async () => stack.em().execute(`select 1 from inbound_emails where status = 'PENDING'`),
    (pending) => pending.length === 0,
  );
}
