import { randomBytes, randomUUID } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { acceptInput } from '../../../test/setup/inputs.ts';
import { useProject } from '../../../test/setup/projects.ts';
import { readContact, readCounts, readEmail, readEvents } from '../../../test/setup/read-database.ts';
import { storeListeners } from '../../../test/setup/stored-workflows.ts';
import { Batcher } from '../../batching/batcher.ts';
import { lockDueCommands } from '../outbox/due-commands.ts';
import { type AcceptedEmail, type AcceptInput, acceptEmails } from './accept-emails.ts';
import { loadContents } from './load-contents.ts';

const { em, sql } = useTestDatabase();
const project = useProject(em);
beforeEach(async () => {
  await sql('delete from outbox');
});

it('stores the content and a queued email with its dispatch command, for an unsubscribed contact', async () => {
  const input = acceptInput(project.id, ['a@example.com'], {
    subject: 'Order {{ order }}',
    body: '<p>{{ name }}</p>',
    fromName: 'Shop',
    replyTo: 'reply@example.com',
    headers: { 'X-Order': '12' },
    variables: { order: 12, name: 'Ann' },
    patch: { name: 'Ann' },
  });
  const [recipient] = input.recipients;
  if (recipient === undefined) throw new Error('The input has a recipient');
  expect(await acceptEmails(em(), [input])).toEqual([
    [{ emailId: recipient.emailId, contactId: recipient.contactId }],
  ]);

  expect(await readContact(em(), project.id, 'a@example.com')).toMatchObject({
    id: recipient.contactId,
    subscribed: false,
  });
  expect((await readContact(em(), project.id, 'a@example.com'))?.data).toEqual({ name: 'Ann' });
  expect(await readEmail(em(), recipient.emailId)).toMatchObject({
    projectId: project.id,
    contactId: recipient.contactId,
    contentId: input.contentId,
    source: 'TRANSACTIONAL',
    type: 'TRANSACTIONAL',
    toEmail: 'a@example.com',
    fromEmail: 'sender@example.com',
    status: 'QUEUED',
    attempts: 0,
    subject: null,
    sentAt: null,
    createdAt: input.occurredAt,
  });
  expect((await loadContents(em(), [input.contentId])).get(input.contentId)).toMatchObject({
    content: {
      projectId: project.id,
      subject: 'Order {{ order }}',
      body: '<p>{{ name }}</p>',
      fromEmail: 'sender@example.com',
      fromName: 'Shop',
      replyTo: 'reply@example.com',
      headers: { 'X-Order': '12' },
      variables: { order: 12, name: 'Ann' },
    },
    attachments: [],
  });
  expect(await lockDueCommands(em(), 'emails', [project.id], 10)).toEqual([
    {
      id: recipient.outboxId,
      kind: 'email.dispatch',
      subjectId: recipient.emailId,
      projectId: project.id,
      execution: null,
    },
  ]);
  expect(await readEvents(em(), project.id)).toEqual([]);
});

it('makes an email due at once, also if the clock of the caller is ahead', async () => {
  const occurredAt = new Date(Date.now() + 3_600_000);
  await acceptEmails(em(), [acceptInput(project.id, ['a@example.com'], { occurredAt })]);
  expect(await lockDueCommands(em(), 'emails', [project.id], 10)).toHaveLength(1);
});

it('emits a change of the subscription, once for a contact that is in the call twice', async () => {
  const first = acceptInput(project.id, ['a@example.com', 'b@example.com'], { subscribed: true });
  const [[a, b] = []] = await acceptEmails(em(), [first]);
  expect(await readContact(em(), project.id, 'a@example.com')).toMatchObject({ subscribed: true });
  const second = acceptInput(project.id, ['a@example.com', 'b@example.com', 'a@example.com'], {
    subscribed: false,
  });
  const [again] = await acceptEmails(em(), [second]);
  expect(again).toEqual(
    [a, b, a].map((email, index) => ({
      emailId: second.recipients[index]?.emailId,
      contactId: email?.contactId,
    })),
  );
  for (const email of [a, b]) {
    expect(await readCounts(em(), email?.contactId ?? '')).toEqual({ 'contact.unsubscribed': 1 });
  }
  for (const recipient of second.recipients) {
    expect(await readEmail(em(), recipient.emailId)).toMatchObject({ toEmail: recipient.email });
  }
  expect(await lockDueCommands(em(), 'emails', [project.id], 10)).toHaveLength(5);
});

it('creates one contact for an address that is in a call twice', async () => {
  const input = acceptInput(project.id, ['new@example.com', 'other@example.com', 'new@example.com']);
  const [emails = []] = await acceptEmails(em(), [input]);
  expect(emails.map((email) => email.contactId)).toEqual(
    [0, 1, 0].map((index) => input.recipients[index]?.contactId),
  );
  const rows = await sql('select 1 from contacts where project_id = $1', [project.id]);
  expect(rows).toHaveLength(2);
});

it('returns each call of a batch its own emails, even for shared contacts', async () => {
  const calls = [
    acceptInput(project.id, ['z@example.com', 'a@example.com'], { patch: { a: 1, b: 1 } }),
    acceptInput(project.id, [], {}),
    acceptInput(project.id, ['m@example.com'], { type: 'MARKETING', templateId: randomUUID() }),
    acceptInput(project.id, ['a@example.com'], { patch: { a: 2, b: null } }),
    acceptInput(randomUUID(), ['a@example.com']),
  ];
  const answers = await acceptEmails(em(), calls);
  expect(answers.map((emails) => emails.map((email) => email.emailId))).toEqual(
    calls.map((call) => call.recipients.map((recipient) => recipient.emailId)),
  );
  expect(answers[3]?.[0]?.contactId).toBe(answers[0]?.[1]?.contactId);
  expect(answers[4]?.[0]?.contactId).toBe(calls[4]?.recipients[0]?.contactId);
  for (const [index, call] of calls.entries()) {
    for (const [position, recipient] of call.recipients.entries()) {
      expect(await readEmail(em(), recipient.emailId)).toMatchObject({
        projectId: call.projectId,
        contentId: call.contentId,
        contactId: answers[index]?.[position]?.contactId,
        type: call.type,
        templateId: call.templateId,
      });
    }
  }
  expect((await readContact(em(), project.id, 'a@example.com'))?.data).toEqual({ a: 2 });
  expect((await readContact(em(), project.id, 'z@example.com'))?.data).toEqual({ a: 1, b: 1 });
});

it('stores attachments byte for byte and in order, each with its own content', async () => {
  const files = [randomBytes(70_000), Buffer.alloc(0), Buffer.from([0, 255, 10, 13, 0])];
  const attachments = files.map((bytes, index) => ({
    filename: `file "${index}" ключ.bin`,
    contentType: 'application/octet-stream',
    cid: index === 2 ? 'image-2' : null,
    disposition: index === 2 ? ('inline' as const) : ('attachment' as const),
    bytes,
  }));
  const input = acceptInput(project.id, ['a@example.com', 'b@example.com'], { attachments });
  const other = acceptInput(project.id, ['c@example.com'], { attachments: attachments.slice(2) });
  await acceptEmails(em(), [input, other]);
  const contents = await loadContents(em(), [input.contentId, other.contentId]);
  expect(contents.get(input.contentId)?.attachments).toEqual(
    attachments.map((file, position) => ({ ...file, contentId: input.contentId, position })),
  );
  expect(contents.get(other.contentId)?.attachments.map((file) => file.bytes)).toEqual([files[2]]);
});

it('does not write an unchanged contact', async () => {
  await acceptEmails(em(), [acceptInput(project.id, ['a@example.com'], { patch: { a: 1 } })]);
  const before = await readContact(em(), project.id, 'a@example.com');
  await acceptEmails(em(), [
    acceptInput(project.id, ['a@example.com'], { patch: { a: 1, b: null }, subscribed: false }),
  ]);
  expect(await readContact(em(), project.id, 'a@example.com')).toEqual(before);
});

it('rejects only the call whose contact would have too much data', async () => {
  const batcher = new Batcher<AcceptInput, AcceptedEmail[]>({
    run: (inputs) => acceptEmails(em(), inputs),
    maxItems: 100,
    concurrency: 1,
  });
  await batcher.submit(acceptInput(project.id, ['full@example.com'], { patch: { a: 'x'.repeat(60_000) } }));
  const calls = [['one@example.com'], ['two@example.com', 'full@example.com'], ['three@example.com']].map(
    (addresses) => acceptInput(project.id, addresses, { patch: { b: 'x'.repeat(6_000) } }),
  );
  const answers = await Promise.allSettled(calls.map((call) => batcher.submit(call)));
  expect(answers.map((answer) => answer.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await readContact(em(), project.id, 'two@example.com')).toBeUndefined();
  expect((await loadContents(em(), [calls[1]?.contentId ?? ''])).size).toBe(0);
  expect(await lockDueCommands(em(), 'emails', [project.id], 10)).toHaveLength(3);
});

it('shares no statement with calls of other projects, if it starts very many executions', async () => {
  await storeListeners(em(), project.id, 'contact.subscribed', 100);
  const addresses = Array.from({ length: 60 }, (_, n) => `reader-${n}@example.com`);
  await acceptEmails(em(), [acceptInput(project.id, addresses)]);
  const written: AcceptInput[][] = [];
  const batcher = new Batcher<AcceptInput, AcceptedEmail[]>({
    async run(inputs, lockMs) {
      const accepted = await acceptEmails(em(), inputs, lockMs);
      written.push(inputs);
      return accepted;
    },
    maxItems: 500,
    concurrency: 2,
    groupOf: ({ projectId }) => projectId,
    limitsLocks: true,
  });
  const loud = acceptInput(project.id, addresses, { subscribed: true });
  const quiet = acceptInput(randomUUID(), ['other@example.com']);
  await Promise.all([loud, quiet].map((input) => batcher.submit(input)));
  expect(written).toEqual([[quiet], [loud]]);
  expect(await sql('select from workflow_executions where project_id = $1', [project.id])).toHaveLength(
    6_000,
  );
});
