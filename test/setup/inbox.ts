import { expect } from 'vitest';
import type { LocalSes } from '../../local/ses/testing/test-ses.ts';
import type { TestAnswer } from './answer.ts';
import { eventually } from './eventually.ts';

export interface InboxMessage {
  id: string;
  emailId: string;
  from: string;
  to: string[];
  replyTo: string | null;
  subject: string;
  html: string;
  text: string;
  receivedAt: string;
  headers: Record<string, string>;
  attachments: {
    filename: string;
    contentType: string;
    contentId: string | null;
    disposition: string;
    size: number;
  }[];
}

interface Inbox {
  total: number;
  messages: InboxMessage[];
}

/** The newest messages at the local SES, and how many match. @param filter parts of the address and the subject */
export async function readInbox(
  ses: Pick<LocalSes, 'url'>,
  { limit = 1_000, ...filter }: { to?: string; subject?: string; limit?: number } = {},
): Promise<Inbox> {
  const query = new URLSearchParams({ ...filter, limit: String(limit) });
  const answer = await fetch(`${ses.url}/api/messages?${query}`);
  // as: the inbox is ours and has its own tests.
  return (await answer.json()) as Inbox;
}

export async function emptyInbox(ses: Pick<LocalSes, 'url'>): Promise<void> {
  await fetch(`${ses.url}/api/messages`, { method: 'DELETE' });
}

/** Waits for the only message to an address. */
export async function onlyMessageTo(ses: LocalSes, to: string): Promise<InboxMessage> {
  const { messages } = await eventually(
    () => readInbox(ses, { to }),
    ({ total }) => total === 1,
  );
  const [message] = messages;
  if (message === undefined) throw new Error('unreachable');
  return message;
}

/** Waits for the message to one recipient of a send. */
export function arrived(ses: LocalSes, answer: TestAnswer, index = 0): Promise<InboxMessage> {
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return messageOf(ses, answer.body.data.emails[index].email);
}

export async function messageOf(ses: LocalSes, emailId: string, timeoutMs?: number): Promise<InboxMessage> {
  const find = async () => (await readInbox(ses)).messages.find((message) => message.emailId === emailId);
  const message = await eventually(find, (found) => found !== undefined, timeoutMs);
  if (message === undefined) throw new Error('unreachable');
  return message;
}

export async function reportEvent(
  ses: LocalSes,
  messageId: string,
  event: { type: string; bounceType?: string; link?: string },
): Promise<void> {
  const answer = await fetch(`${ses.url}/api/messages/${messageId}/events`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(event),
  });
  expect(answer.status).toBe(202);
}
