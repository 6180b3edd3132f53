import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { FairSemaphore } from '../../../core/fair-semaphore.ts';
import { eraseContactTraces } from '../../../db/statements/contacts/contact-erasures.ts';
import { deleteContacts } from '../../../db/statements/contacts/delete-contacts.ts';
import { type ArrivedEmail, acceptInbound } from '../../../db/statements/inbound/accept-inbound.ts';
import { requeueStrandedInbound } from '../../../db/statements/sweeps/requeue-commands.ts';
import type { MailBucket } from '../../../providers/inbound/mail-bucket.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { useProject } from '../../../test/setup/projects.ts';
import { EmailParser } from './email-parser.ts';
import { giveUpInboundEmail, receiveInboundEmail } from './receive-email.ts';

const { em, sql } = useTestDatabase();
const project = useProject(em);
const parser = new EmailParser();
afterAll(async () => {
  await parser.stop();
});

let domain: string;
beforeEach(async () => {
  domain = `${randomUUID()}.example`;
  await sql(`insert into domains (id, project_id, domain, status) values (uuidv7(), $1, $2, 'verified')`, [
    project.id,
    domain,
  ]);
});

const away: MailBucket = {
  read: async () => {
    throw new Error('The bucket is away');
  },
};
const email = (changes: Partial<ArrivedEmail> = {}): ArrivedEmail => ({
  notificationId: randomUUID(),
  publishedOn: new Date().toISOString().slice(0, 10),
  providerId: randomUUID(),
  source: 'ada@example.com',
  recipients: [`support@${domain}`],
  verdicts: { spf: 'PASS', dkim: 'PASS', dmarc: 'PASS', spam: 'PASS', virus: 'PASS' },
  headers: [
    { name: 'From', value: 'Ada <ada@example.com>' },
    { name: 'Subject', value: 'Hello' },
  ],
  raw: null,
  object: { bucket: 'mails', key: 'one' },
  receivedAt: new Date(),
  ...changes,
});
async function accept(changes: Partial<ArrivedEmail> = {}): Promise<string> {
  expect(await em().transactional((tx) => acceptInbound(tx, email(changes)))).toBe('applied');
  const [row] = await sql<{ id: string }>('select id from inbound_emails where project_id = $1', [
    project.id,
  ]);
  return row?.id ?? '';
}
const receive = (id: string, bucket: MailBucket = away) =>
  receiveInboundEmail(
    em(),
    { bucket, parser, slots: new FairSemaphore(2) },
    id,
    new AbortController().signal,
  );
const read = async (id: string) =>
  (await sql<{ contact_id: string | null }>('select * from inbound_emails where id = $1', [id]))[0];
const events = () =>
  sql<{ kind: string; data: Record<string, unknown> }>(
    `select kind, data from events where project_id = $1 and name = 'email.received'`,
    [project.id],
  );

describe('an email in a bucket', () => {
  it('waits while the bucket is away, and is finally kept with what SES reported', async () => {
    const id = await accept();
    await expect(receive(id)).rejects.toThrow('The bucket is away');
    expect(await read(id)).toMatchObject({ status: 'PENDING', object_key: 'one' });
    await giveUpInboundEmail(em(), id);
    expect(await read(id)).toMatchObject({
      status: 'UNREADABLE',
      subject: 'Hello',
      from_email: 'ada@example.com',
      object_key: null,
      headers: null,
    });
    expect(await events()).toMatchObject([
      { kind: 'emitted', data: { hasContent: false, subject: 'Hello' } },
    ]);
    // Anything that comes too late changes nothing.
    await receive(id);
    await giveUpInboundEmail(em(), id);
    expect(await events()).toHaveLength(1);
  });

  it('is read once, however many runs read it concurrently', async () => {
    const id = await accept();
    const bytes = Buffer.from('From: ada@example.com\r\nSubject: Hello\r\n\r\nHi\r\n');
    const bucket: MailBucket = { read: async () => bytes };
    await Promise.all(Array.from({ length: 10 }, () => receive(id, bucket)));
    expect(await events()).toMatchObject([{ data: { hasContent: true } }]);
    expect(await read(id)).toMatchObject({ status: 'KEPT', text: 'Hi' });
  });

  it('with a virus is not even fetched', async () => {
    const id = await accept({ verdicts: { ...email().verdicts, virus: 'FAIL' } });
    await receive(id);
    expect(await read(id)).toMatchObject({ status: 'REJECTED', contact_id: null, object_key: null });
    expect(await events()).toMatchObject([{ kind: 'activity' }]);
  });

  it('gets a new command, once, when nothing takes care of it', async () => {
    const id = await accept();
    await sql('delete from outbox where subject_id = $1', [id]);
    expect(await requeueStrandedInbound(em())).toBe(0);
    await sql(`update inbound_emails set created_at = now() - interval '2 hours' where id = $1`, [id]);
    expect(await requeueStrandedInbound(em())).toBe(1);
    expect(await requeueStrandedInbound(em())).toBe(0);
    expect(await sql('select kind, project_id from outbox where subject_id = $1', [id])).toEqual([
      { kind: 'inbound.receive', project_id: project.id },
    ]);
  });

  it('gets a new command although a thousand older ones wait for their bucket', async () => {
    const id = await accept();
    await sql(
      `insert into inbound_emails (id, project_id, provider_id, recipients, verdicts, received_at, created_at)
       select uuidv7(), $1, 'older-' || n, '{}', '{}', now(), now() - interval '3 hours'
       from generate_series(1, 1000) n`,
      [project.id],
    );
    await sql(`update inbound_emails set created_at = now() - interval '2 hours' where id = $1`, [id]);
    // As the relay does: the workflows of the older ones are running already.
    const relay = () => sql<{ subject_id: string }>('delete from outbox returning subject_id');
    await relay();
    const isRequeued = async () => {
      expect(await requeueStrandedInbound(em())).toBe(1_000);
      return (await relay()).some(({ subject_id }) => subject_id === id);
    };
    // Each run misses it once in a thousand times.
    expect((await isRequeued()) || (await isRequeued()) || (await isRequeued())).toBe(true);
  });
});

describe('an email', () => {
  it('starts nothing in a disabled project, and is kept', async () => {
    await sql('update projects set disabled = true where id = $1', [project.id]);
    const id = await accept();
    await giveUpInboundEmail(em(), id);
    expect(await events()).toMatchObject([{ kind: 'activity' }]);
    expect(await sql('select email from contacts where project_id = $1', [project.id])).toHaveLength(1);
  });

  it('of an erased contact leaves no trace', async () => {
    const id = await accept();
    await giveUpInboundEmail(em(), id);
    const contactId = String((await read(id))?.contact_id);
    await em().transactional((tx) => deleteContacts(tx, project.id, [contactId]));
    await em().transactional((tx) => eraseContactTraces(tx, project.id, [contactId]));
    expect(await read(id)).toBeUndefined();
    expect(await events()).toEqual([]);
  });

  it('for a deleted project is left to its erasure', async () => {
    const id = await accept();
    await sql('delete from projects where id = $1', [project.id]);
    await giveUpInboundEmail(em(), id);
    expect(await events()).toEqual([]);
  });
});
