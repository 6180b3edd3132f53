import { beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../../core/new-id.ts';
import { insertContacts } from '../../../test/setup/campaigns.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { insertDomain, useProject } from '../../../test/setup/projects.ts';
import { allProjects } from '../../entities/project-em.ts';
import { Template } from '../../entities/template.ts';
import { findOpenEmails } from '../emails/find-open-emails.ts';
import { loadContents } from '../emails/load-contents.ts';
import { eraseProject } from '../projects/erase-project.ts';
import { findErasure, recordErasure } from '../projects/erasure-orders.ts';
import { queueWorkflowEmail } from './queue-workflow-email.ts';

const { em, sql } = useTestDatabase();
const project = useProject(em);
let contactId: string;
let domain: string;
beforeEach(async () => {
  domain = await insertDomain(em(), project.id);
  await insertContacts(em(), project.id, 1);
  const [contact] = await sql<{ id: string }>('select id from contacts where project_id = $1', [project.id]);
  contactId = contact?.id ?? '';
});

async function createTemplate(body: string): Promise<Template> {
  const own = em();
  const template = own.create(Template, {
    projectId: project.id,
    name: 'Welcome',
    subject: 'Hi {{ event.name }}',
    body,
    fromEmail: `a@${domain}`,
    replyTo: 'help@example.com',
    type: 'MARKETING',
  });
  await own.flush();
  return template;
}

async function queue(template: Template, name: string): Promise<{ emailId: string; contentId: string }> {
  const ids = { emailId: newId(), contentId: newId() };
  const answer = await queueWorkflowEmail(em(), {
    ...ids,
    projectId: project.id,
    workflowId: newId(),
    contactId,
    templateId: template.id,
    to: null,
    variables: { event: { name }, context: {} },
    hops: 0,
  });
  expect(answer).toMatchObject({ dueInMs: expect.any(Number) });
  return ids;
}

const textsLeft = () =>
  sql<{ body: string }>('select body from template_contents where project_id = $1 order by created_at, id', [
    project.id,
  ]);

describe('emails of a workflow', () => {
  it('share the text of their template, and keep their own variables', async () => {
    const template = await createTemplate('<p>First</p>');
    const names = Array.from({ length: 20 }, (_, n) => `Reader ${n}`);
    const queued = await Promise.all(names.map((name) => queue(template, name)));
    expect(await textsLeft()).toEqual([{ body: '<p>First</p>' }]);

    const contents = await loadContents(
      em(),
      queued.map(({ contentId }) => contentId),
    );
    expect(queued.map(({ contentId }) => contents.get(contentId)?.content)).toEqual(
      names.map((name, n) => ({
        id: queued[n]?.contentId,
        projectId: project.id,
        subject: 'Hi {{ event.name }}',
        body: '<p>First</p>',
        fromEmail: `a@${domain}`,
        fromName: null,
        replyTo: 'help@example.com',
        domainOwnerId: project.id,
        headers: {},
        variables: { event: { name }, context: {} },
        brand: { language: 'en', footerAddress: null },
      })),
    );
  });

  it('have the content that the template had when they were queued', async () => {
    const template = await createTemplate('<p>Before</p>');
    const before = await queue(template, 'Ada');
    const own = em();
    (await own.findOneOrFail(Template, template.id, allProjects)).body = '<p>After</p>';
    await own.flush();
    const after = await queue(template, 'Ada');
    const contents = await loadContents(em(), [before.contentId, after.contentId]);
    expect(contents.get(before.contentId)?.content.body).toBe('<p>Before</p>');
    expect(contents.get(after.contentId)?.content.body).toBe('<p>After</p>');
  });

  it('count the template text as memory', async () => {
    const { emailId } = await queue(await createTemplate('x'.repeat(300_000)), 'Ada');
    const [email] = await findOpenEmails(em(), [emailId], 120);
    expect(email?.bytes).toBeGreaterThan(300_000);
  });

  it('keep a text stored before a project reset that is needed after it', async () => {
    const [needed, other] = [await createTemplate('<p>Needed</p>'), await createTemplate('<p>Other</p>')];
    await queue(needed, 'Ada');
    await queue(other, 'Ada');
    const id = newId();
    await em().transactional((own) => recordErasure(own, { id, projectId: project.id, isReset: true }));
    await new Promise((resolve) => setTimeout(resolve, 5));
    const { contentId } = await queue(needed, 'Ada');
    const order = await findErasure(em(), id);
    if (order === undefined) throw new Error('There is no erasure');
    await eraseProject(em(), order, { endsAt: Infinity });
    expect(await textsLeft()).toEqual([{ body: '<p>Needed</p>' }]);
    expect((await loadContents(em(), [contentId])).get(contentId)?.content.body).toBe('<p>Needed</p>');
  });
});

describe('a process of an older version', () => {
  it('reads the text in the row of each email', async () => {
    const { contentId } = await queue(await createTemplate('<p>Shared</p>'), 'Ada');
    const read = await sql(
      `select t.id, t.project_id as "projectId", t.subject, t.body, t.from_email as "fromEmail",
         t.from_name as "fromName", t.reply_to as "replyTo", t.headers, t.variables
       from email_contents t where t.id = any($1::uuid[])`,
      [[contentId]],
    );
    expect(read).toEqual([
      {
        id: contentId,
        projectId: project.id,
        subject: 'Hi {{ event.name }}',
        body: '<p>Shared</p>',
        fromEmail: `a@${domain}`,
        fromName: null,
        replyTo: 'help@example.com',
        headers: {},
        variables: { event: { name: 'Ada' }, context: {} },
      },
    ]);
  });

  it('stores contents with attachments, and deletes what has expired', async () => {
    const id = newId();
    await sql(
      `with content as (
         insert into email_contents (id, project_id, subject, body, from_email, created_at)
         values ($1, $2, 'Hi', '<p>Old</p>', 'a@example.com', now() - interval '40 days')
       )
       insert into email_attachments (content_id, position, filename, content_type, disposition, bytes)
       values ($1, 0, 'a.txt', 'text/plain', 'attachment', 'a')`,
      [id, project.id],
    );
    expect((await loadContents(em(), [id])).get(id)).toMatchObject({
      content: { body: '<p>Old</p>', headers: {}, variables: {} },
      attachments: [{ filename: 'a.txt' }],
    });
    const expired = `created_at < now() - interval '30 days'`;
    await sql(
      `with page as materialized (
         select ctid, created_at, id, ${expired} as expired from email_contents
         where ${expired} order by created_at, id limit 5000
       )
       delete from email_contents where ctid = any(array(select ctid from page where expired)) and ${expired}`,
    );
    expect((await loadContents(em(), [id])).size).toBe(0);
  });
});
