import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { callApi } from './call-api.ts';

const inboxSchema = z.object({
  total: z.number(),
  messages: z.array(
    z.object({ id: z.string(), emailId: z.string().nullable(), receivedAt: z.coerce.date() }),
  ),
});
const sentSchema = z.object({ data: z.object({ emails: z.array(z.object({ email: z.string() })) }) });
const patienceMs = 120_000;

/**
 * The newest messages at the local SES, and how many there are.
 *
 * @param to part of the recipient's address
 * @param limit with 0, it costs the provider little, and Postgres nothing
 */
export async function readInbox(inboxUrl: string, { limit, to = '' }: { limit: number; to?: string }) {
  const query = new URLSearchParams({ limit: String(limit), ...(to !== '' && { to }) });
  return inboxSchema.parse(await callApi(`${inboxUrl}/api/messages?${query}`));
}

/** The id of the first email of a response of `/v1/send`. */
export function sentEmailId(response: unknown): string {
  return sentSchema.parse(response).data.emails[0]?.email ?? '';
}

/**
 * Waits for at most two minutes until the provider has all emails.
 *
 * @param answeredAt when each email's call was answered, by email id
 * @returns milliseconds from the response until the provider had the email; one that it does not have counts as waiting
 *   until now
 */
export async function measureHandOvers(
  inboxUrl: string,
  to: string,
  answeredAt: ReadonlyMap<string, number>,
): Promise<number[]> {
  for (const until = Date.now() + patienceMs; ; await delay(100)) {
    const { messages } = await readInbox(inboxUrl, { to, limit: 100_000 });
    if (messages.length < answeredAt.size && Date.now() < until) continue;
    const receivedAt = new Map(
      messages.map((message) => [message.emailId ?? '', message.receivedAt.getTime()]),
    );
    return [...answeredAt].map(([id, at]) => (receivedAt.get(id) ?? Date.now()) - at);
  }
}
