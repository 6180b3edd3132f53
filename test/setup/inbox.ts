import { expect } from 'vitest';
import type { LocalSes } from '../../local/ses/server.ts';
import { eventually } from './eventually.ts';
import type { TestAnswer } from './sender.ts';

export interface InboxMessage {
  id: string;
  emailId: string;
  from: string;
  to: string[];
  replyTo: string | null;
  subject: string;
  html: string;
  text: string;
  headers: Record<string, string>;
  attachments: {
    filename: string;
    contentType: string;
    contentId: string | null;
    disposition: string;
    size: number;
  }[];
}

/** Waits for the message to one recipient of a send. */
export function arrived(ses: LocalSes, answer: TestAnswer, index = 0): Promise<InboxMessage> {
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return messageOf(ses, answer.body.data.emails[index].email);
}

export async function messageOf(ses: LocalSes, emailId: string, timeoutMs?: number): Promise<InboxMessage> {
  const find = async () => {
    const found = await fetch(`${ses.url}/api/messages?limit=1000`);
    // as: the inbox is ours and has its own tests.
    const { messages } = (await found.json()) as { messages: InboxMessage[] };
    return messages.find((message) => message.emailId === emailId);
  };
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
