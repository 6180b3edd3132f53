import { expect } from 'vitest';
import type { LocalSes } from '../../local/ses/server.ts';
import { eventually } from './eventually.ts';
import type { TestAnswer } from './sender.ts';

/** A message as the inbox of the local SES shows it. */
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

/** The message that arrived for an email of an answer to a send. */
export async function arrived(ses: LocalSes, answer: TestAnswer, index = 0): Promise<InboxMessage> {
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  const wanted: string = answer.body.data.emails[index].email;
  const find = async () => {
    const found = await fetch(`${ses.url}/api/messages?limit=1000`);
    // as: the inbox is ours, and the tests of its answers are its own.
    const { messages } = (await found.json()) as { messages: InboxMessage[] };
    return messages.find((message) => message.emailId === wanted);
  };
  const message = await eventually(find, (found) => found !== undefined);
  if (message === undefined) throw new Error('unreachable');
  return message;
}
