import { v7 as uuidv7 } from 'uuid';
import { type AcceptInput, acceptEmails } from '../db/statements/emails/accept-emails.ts';
import { type TrackInput, trackEvents } from '../db/statements/events/track-events.ts';
import type { BenchStack } from './bench-stack.ts';

/** Requests per statement when two concurrent batches serve a hundred connections. */
export const itemsPerBatch = 50;
const lanes = 2;
const seconds = 4;

function trackInput(projectId: string, n: number): TrackInput {
  return {
    projectId,
    email: `bare-${n}@example.com`,
    contactId: uuidv7(),
    subscribed: undefined,
    patch: { plan: 'free', visits: n % 100 },
    eventId: uuidv7(),
    eventName: 'product viewed',
    eventData: { plan: 'free', visits: n % 100, product: 'shoes', price: n % 500 },
    flipId: uuidv7(),
    occurredAt: new Date(),
  };
}

function acceptInput({ id, domain }: BenchStack['project'], n: number): AcceptInput {
  return {
    projectId: id,
    contentId: uuidv7(),
    subject: 'Your code, {{ firstName }}',
    body: '<p>Hello {{ firstName }}, your code is {{ code }}.</p>'.repeat(20),
    fromEmail: `hello@${domain}`,
    fromName: 'Bench',
    replyTo: null,
    headers: {},
    templateId: null,
    type: 'TRANSACTIONAL',
    variables: { firstName: 'Bare', code: String(n) },
    subscribed: undefined,
    patch: { firstName: 'Bare' },
    recipients: [
      {
        emailId: uuidv7(),
        email: `bare-${n}@example.com`,
        name: 'Bare',
        contactId: uuidv7(),
        flipId: uuidv7(),
        outboxId: uuidv7(),
      },
    ],
    attachments: [],
    occurredAt: new Date(),
  };
}

async function measure<Input>(
  make: (n: number) => Input,
  run: (inputs: Input[]) => Promise<unknown>,
): Promise<number> {
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  let items = 0;
  const lane = async () => {
    while (performance.now() < endsAt) {
      await run(Array.from({ length: itemsPerBatch }, () => make(items++)));
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return items / ((performance.now() - startedAt) / 1000);
}

export function measureTrackStatement({ orm, project }: BenchStack): Promise<number> {
  return measure(
    (n) => trackInput(project.id, n),
    (inputs) => trackEvents(orm.em.fork(), inputs),
  );
}

export function measureSendStatement({ orm, project }: BenchStack): Promise<number> {
  return measure(
    (n) => acceptInput(project, n),
    (inputs) => acceptEmails(orm.em.fork(), inputs),
  );
}
