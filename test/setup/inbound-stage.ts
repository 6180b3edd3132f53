import { beforeAll, beforeEach, expect } from 'vitest';
import { eventually } from './eventually.ts';
import type { TestProduct } from './product.ts';
import { buildWorkflow } from './running-workflows.ts';
import { type TestSender, useSender } from './sender.ts';

export let stack: TestProduct;
export let sender: TestSender;
export let support: string;

export const reader = 'reader@example.com';
export const run = <Row = object>(text: string, parameters: unknown[] = []) =>
  stack.sql<Row>(text, parameters);
export const stored = () => run('select * from inbound_emails where project_id = $1', [sender.projectId]);
export const contactOf = async (email: string) =>
  (await sender.get(`/contacts?search=${encodeURIComponent(email)}`)).body.data.find(
    (contact: { email: string }) => contact.email === email,
  );

/** Sends an email, waits until it has arrived, and returns its id and its Message-ID. */
export async function send(to: string): Promise<{ emailId: string; messageId: string }> {
  const from = `hello@${sender.domain}`;
  const sent = await sender.post('/v1/send', { to, from, subject: 'Question', body: 'How are you?' });
  expect(sent.status, JSON.stringify(sent.body)).toBe(200);
  const emailId = sent.body.data.emails[0].email;
  const { body } = await eventually(
    () => sender.get('/events?name=email.sent'),
    (answer) => answer.body.data.some((event: { emailId: string }) => event.emailId === emailId),
  );
  const event = body.data.find((one: { emailId: string }) => one.emailId === emailId);
  return { emailId, messageId: `${event.data.messageId}@email.amazonses.com` };
}

export const executionsOf = async (id: string) => (await sender.get(`/workflows/${id}/executions`)).body.data;
export const startedBy = (eventName = 'email.received') =>
  buildWorkflow(sender, { end: { type: 'EXIT', config: {} } }, [['start', 'end']], {
    eventName,
    allowReentry: true,
  });

export async function metric(outcome: string): Promise<number> {
  const text = await (await fetch(`${stack.url}/metrics`)).text();
  const line = new RegExp(`^posthaste_provider_notifications_total\\{outcome="${outcome}"\\} (\\d+)`, 'm');
  return Number(line.exec(text)?.[1] ?? 0);
}

export function useInboundStage(product: TestProduct): void {
  const own = useSender(product);
  beforeAll(() => {
    stack = product;
    sender = own;
  });
  beforeEach(() => {
    support = `support@${sender.domain}`;
  });
}
