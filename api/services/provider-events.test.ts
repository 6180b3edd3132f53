import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, it } from 'vitest';
import { acceptEmails } from '../../db/statements/emails/accept-emails.ts';
import { readEmailFigures } from '../../db/statements/projects/email-figures.ts';
import { useTestDatabase } from '../../test/setup/database.ts';
import { acceptInput } from '../../test/setup/inputs.ts';
import { insertProject, useProject } from '../../test/setup/projects.ts';
import { readContact, readEmail } from '../../test/setup/read-database.ts';
import { createProviderEventsService } from './provider-events.ts';

const database = useTestDatabase();
const project = useProject(database.em);

/** State of an email to ann@example.com and of the project's figures after an event. */
async function after(event: { eventType: string } & Record<string, object | string>) {
  const { em, orm } = database;
  const [[email] = []] = await acceptEmails(em(), [
    acceptInput(project.id, ['ann@example.com'], { subscribed: true }),
  ]);
  const emailId = email?.emailId ?? expect.unreachable();
  const timestamp = new Date().toISOString();
  const message = { ...event, mail: { timestamp, messageId: 'm-1', tags: { emailId: [emailId] } } };
  const { apply } = createProviderEventsService(orm, () => undefined);
  const outcome = await apply({ id: randomUUID(), publishedAt: new Date() }, JSON.stringify(message));
  const read = await readEmail(em(), emailId);
  const contact = await readContact(em(), project.id, 'ann@example.com');
  const [figures] = await readEmailFigures(em(), [project.id]);
  return { outcome, status: read?.status, subscribed: contact?.subscribed, figures: figures?.week };
}

const at = new Date().toISOString();

it.each([
  ['Bounce', { bounce: { bounceType: 'Permanent', bounceSubType: 'General', timestamp: at } }],
  ['Complaint', { complaint: { complaintFeedbackType: 'abuse', timestamp: at } }],
])('suppresses the contact and counts against the project: %s', async (eventType, detail) => {
  expect(await after({ eventType, ...detail })).toEqual({
    outcome: 'applied',
    status: eventType === 'Bounce' ? 'BOUNCED' : 'COMPLAINED',
    subscribed: false,
    figures: {
      sent: 1,
      bounced: eventType === 'Bounce' ? 1 : 0,
      complained: eventType === 'Complaint' ? 1 : 0,
    },
  });
});

const listed = 'OnAccountSuppressionList';

it.each([
  ['Bounce', { bounce: { bounceType: 'Permanent', bounceSubType: listed, timestamp: at } }],
  ['Complaint', { complaint: { complaintSubType: listed, timestamp: at } }],
])(
  'does not count an address that the account had listed before against the project: %s',
  async (eventType, detail) => {
    expect(await after({ eventType, ...detail })).toEqual({
      outcome: 'applied',
      status: eventType === 'Bounce' ? 'BOUNCED' : 'COMPLAINED',
      subscribed: false,
      figures: { sent: 1, bounced: 0, complained: 0 },
    });
  },
);

it.each(['not-spam', 'auth-failure'])(
  'does not count a report of the type %s as a complaint',
  async (type) => {
    const complaint = { complaintFeedbackType: type, timestamp: at };
    expect(await after({ eventType: 'Complaint', complaint })).toEqual({
      outcome: 'ignored',
      status: 'QUEUED',
      subscribed: true,
      figures: undefined,
    });
  },
);

it('applies the events of other projects while contacts of one are locked', async () => {
  const { em, orm } = database;
  const held = 20;
  const addresses = Array.from({ length: held }, (_, n) => `user-${n}@example.com`);
  const other = await insertProject(em());
  const { apply } = createProviderEventsService(orm, () => undefined);
  const bounceAll = async (projectId: string) => {
    const [emails = []] = await acceptEmails(em(), [acceptInput(projectId, addresses)]);
    return () =>
      emails.map(({ emailId }) => {
        const tags = { emailId: [emailId], projectId: [projectId] };
        const bounce = { bounceType: 'Permanent', timestamp: at };
        const message = { eventType: 'Bounce', mail: { timestamp: at, tags }, bounce };
        return apply({ id: randomUUID(), publishedAt: new Date() }, JSON.stringify(message));
      });
  };
  const [bounceHeld, bounceOther] = [await bounceAll(project.id), await bounceAll(other)];
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query('begin');
  await client.query('select from contacts where project_id = $1 for update', [project.id]);

  const waiting = Promise.all(bounceHeld());
  expect(await Promise.all(bounceOther())).toEqual(addresses.map(() => 'applied'));
  expect(await Promise.race([waiting, 'waiting'])).toBe('waiting');

  await client.query('rollback');
  await client.end();
  expect(await waiting).toEqual(addresses.map(() => 'applied'));
});
