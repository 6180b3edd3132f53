import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { linksPerHour } from '../core/accounts/limits.ts';
import { sql } from '../db/testing/sql.ts';
import type { TestAnswer } from './setup/answer.ts';
import { eventually } from './setup/eventually.ts';
import { arrived } from './setup/inbox.ts';
import { callApi, createTestPerson } from './setup/people.ts';
import { useTestProduct } from './setup/product.ts';
import { readContact } from './setup/read-database.ts';
import { createTestSender, type TestSender } from './setup/sender.ts';
import { createTestSubscriber, visitPage } from './setup/subscribers.ts';
import { untilBlocking } from './setup/until-blocking.ts';
import { createWaitingWorkflow } from './setup/workflows.ts';

const stack = useTestProduct({
  ACCOUNT_EMAIL_FROM: 'service@accounts.test',
  API_RATE_LIMIT_PER_MINUTE: '0',
  AUTH_RATE_LIMIT_PER_MINUTE: '0',
});

/** Starts executions of a workflow, as an import does. */
const startExecutions = (projectId: string, workflowId: string, count: number) =>
  stack.sql(
    `with contact as (
       insert into contacts (id, project_id, email)
       select uuidv7(), $1, 'contact-' || n || '@example.com' from generate_series(1, $3) n
       returning id
     ),
     execution as (
       insert into workflow_executions (id, project_id, workflow_id, version, contact_id, only_once)
       select uuidv7(), $1, $2, (select live_version from workflows where id = $2), id, false from contact
       returning id
     )
     insert into outbox (id, kind, subject_id, project_id) select uuidv7(), 'execution.start', id, $1 from execution`,
    [projectId, workflowId, count],
  );

async function count(statement: string, projectId: string): Promise<number> {
  const [row] = await stack.sql<{ count: number }>(statement, [projectId]);
  return row?.count ?? 0;
}
const commandsOf = (projectId: string) =>
  count('select count(*)::int as count from outbox where project_id = $1', projectId);
const begunOf = (projectId: string) =>
  count(
    `select count(*)::int as count from workflow_step_runs r
     join workflow_executions x on x.id = r.execution_id where r.visit = 1 and x.project_id = $1`,
    projectId,
  );

it('an email and the executions of others do not wait for thousands that one project starts', async () => {
  const [busy, quiet, other] = [
    await createTestSender(stack.url),
    await createTestSender(stack.url),
    await createTestSender(stack.url),
  ];
  const enable = async (sender: TestSender): Promise<string> => {
    const { id } = await createWaitingWorkflow(sender);
    expect((await sender.patch(`/workflows/${id}`, { enabled: true })).status).toBe(200);
    return id;
  };
  await enable(other);
  await startExecutions(busy.projectId, await enable(busy), 10_000);
  await eventually(
    () => begunOf(busy.projectId),
    (begun) => begun > 0,
  );

  const sends = Array.from({ length: 5 }, (_, n) =>
    quiet.post('/v1/send', {
      to: `someone-${n}@example.com`,
      from: `hello@${quiet.domain}`,
      subject: 'Your code',
      body: '<p>123456</p>',
    }),
  );
  const events = Array.from({ length: 10 }, (_, n) =>
    other.post('/v1/track', { event: 'signed up', email: `visitor-${n}@example.com` }),
  );
  for (const answer of await Promise.all(events)) expect(answer.status).toBe(200);
  for (const answer of await Promise.all(sends)) await arrived(stack.ses, answer);
  await eventually(() => begunOf(other.projectId), 10);
  expect(await commandsOf(busy.projectId)).toBeGreaterThan(5_000);
  expect(await commandsOf(quiet.projectId)).toBe(0);
  // The other tests should not run beside them.
  await stack.sql('delete from outbox where project_id = $1', [busy.projectId]);
});

it("a project's writes that wait for a lock leave connections to the others", async () => {
  const [busy, quiet] = [await createTestSender(stack.url), await createTestSender(stack.url)];
  const { body: contact } = await busy.post('/contacts', { email: 'reader@example.com' });
  const waiting: Promise<TestAnswer>[] = [];
  let answered = 0;
  await stack.em().transactional(async (em) => {
    await sql(em, 'select from contacts where id = $1 for update', [contact.id]);
    for (let write = 0; write < 40; write += 1) {
      const answer = busy.patch(`/contacts/${contact.id}`, { data: { write } });
      waiting.push(answer.finally(() => (answered += 1)));
    }
    await untilBlocking(em);
    for (let write = 0; write < 3; write += 1) {
      expect((await quiet.post('/contacts', { email: `reader-${write}@example.com` })).status).toBe(201);
    }
    expect((await busy.get(`/contacts/${contact.id}`)).status).toBe(200);
    expect(answered).toBe(0);
  });
  for (const answer of await Promise.all(waiting)) expect(answer.status).toBe(200);
});

it("opt-outs of a project's contact that is locked leave connections to the others", async () => {
  const [busy, quiet] = [await createTestSender(stack.url), await createTestSender(stack.url)];
  const reader = await createTestSubscriber(stack, busy);
  const waiting: ReturnType<typeof visitPage>[] = [];
  await stack.em().transactional(async (em) => {
    await sql(em, 'select from contacts where id = $1 for update', [reader.contactId]);
    for (let n = 0; n < 40; n += 1) waiting.push(visitPage(`${stack.url}${reader.path('unsubscribe')}`, {}));
    await untilBlocking(em);
    expect((await quiet.get('/contacts')).status).toBe(200);
    expect((await quiet.post('/contacts', { email: 'reader@example.com' })).status).toBe(201);
  });
  for (const page of await Promise.all(waiting)) expect(page.status).toBe(200);
});

it('a flood of opt-outs is answered to be repeated, and those accepted before are applied', async () => {
  const [busy, quiet] = [await createTestSender(stack.url), await createTestSender(stack.url)];
  const [reader, late] = [await createTestSubscriber(stack, busy), await createTestSubscriber(stack, busy)];
  const optOut = ({ path }: typeof reader) =>
    visitPage(`${stack.url}${path('unsubscribe')}`, 'List-Unsubscribe=One-Click');
  const waiting: ReturnType<typeof visitPage>[] = [];
  await stack.em().transactional(async (em) => {
    await sql(em, 'select from contacts where id = $1 for update', [reader.contactId]);
    waiting.push(optOut(reader));
    await untilBlocking(em);
    const refused: (string | null)[] = [];
    for (let n = 0; n < 1_100; n += 1) {
      const page = optOut(reader);
      waiting.push(page);
      void page.then(({ status, headers }) => {
        if (status === 503) refused.push(headers.get('retry-after'));
      });
    }
    await eventually(() => Promise.resolve(refused.length), 100);
    expect(new Set(refused)).toEqual(new Set(['2']));
    expect((await quiet.get('/contacts')).status).toBe(200);
    expect((await optOut(await createTestSubscriber(stack, quiet))).status).toBe(200);
  });
  const statuses = (await Promise.all(waiting)).map(({ status }) => status);
  expect(Map.groupBy(statuses, (status) => status).get(200)).toHaveLength(1_001);
  expect(await readContact(stack.em(), busy.projectId, reader.email)).toMatchObject({ subscribed: false });
  expect((await optOut(late)).status).toBe(200);
});

it('emails that a project receives while its others are counted leave connections to the others', async () => {
  const [busy, quiet] = [await createTestSender(stack.url), await createTestSender(stack.url)];
  await stack.sql(
    `insert into billing_limits (project_id, category, emails) values ($1, 'inbound', 1000000)`,
    [busy.projectId],
  );
  const receive = ({ domain }: TestSender) =>
    stack.product.services.inbound.accept(
      { id: randomUUID(), publishedAt: new Date() },
      JSON.stringify({
        notificationType: 'Received',
        mail: { timestamp: new Date().toISOString(), source: 'reader@example.com', messageId: randomUUID() },
        receipt: { recipients: [`support@${domain}`], action: { type: 'SNS', encoding: 'UTF8' } },
        content: 'From: reader@example.com\r\n\r\nHello',
      }),
    );
  const waiting: ReturnType<typeof receive>[] = [];
  await stack.em().transactional(async (em) => {
    const key = `emails left ${busy.projectId} inbound`;
    await sql(em, 'select pg_advisory_xact_lock(hashtextextended($1, 0))', [key]);
    for (let n = 0; n < 40; n += 1) waiting.push(receive(busy));
    await untilBlocking(em);
    expect((await quiet.get('/contacts')).status).toBe(200);
    expect(await receive(quiet)).toBe('applied');
  });
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['applied']));
});

it('requests of nobody signed in that wait for a lock leave connections to projects', async () => {
  const quiet = await createTestSender(stack.url);
  const waiting: Promise<TestAnswer>[] = [];
  await stack.em().transactional(async (em) => {
    await sql(em, 'lock table account_tokens in access exclusive mode');
    for (let n = 0; n < 40; n += 1) {
      waiting.push(callApi(stack.url, 'POST', '/auth/password-reset', { token: 'unknown' }));
    }
    await untilBlocking(em);
    expect((await quiet.get('/contacts')).status).toBe(200);
    expect((await quiet.post('/contacts', { email: 'reader@example.com' })).status).toBe(201);
  });
  for (const answer of await Promise.all(waiting)) expect(answer.status).toBe(400);
});

it('links that are requested for one account again and again leave connections to projects', async () => {
  const quiet = await createTestSender(stack.url);
  const { id, email } = await createTestPerson(stack.url);
  const request = () => callApi(stack.url, 'POST', '/auth/request-password-reset', { email });
  await stack.em().transactional(async (em) => {
    await sql(em, 'select from users where id = $1 for update', [id]);
    const answers = await Promise.all(Array.from({ length: 40 }, request));
    for (const { status } of answers) expect(status).toBe(200);
    const waiting = 'select count(*)::int as count from link_requests where email = $1';
    expect(await count(waiting, email)).toBeGreaterThanOrEqual(linksPerHour);
    expect((await quiet.get('/contacts')).status).toBe(200);
    expect((await quiet.post('/contacts', { email: 'reader@example.com' })).status).toBe(201);
  });
  const statement = `select count(*)::int as count from account_tokens where user_id = $1 and purpose = 'reset-password'`;
  await eventually(() => count(statement, id), linksPerHour);
});
