import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { sql } from '../db/testing/sql.ts';
import { eventually } from './setup/eventually.ts';
import { deliver, receivedActivity } from './setup/incoming.ts';
import { createOwnProject, createTestPerson, type TestPerson } from './setup/people.ts';
import { createTestSender, type TestSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';
import { untilBlocking } from './setup/until-blocking.ts';
import { upload } from './setup/upload.ts';

const stack = useSharedProduct();

const run = <Row = { n: number }>(text: string, parameters: unknown[] = []) =>
  stack.sql<Row>(text, parameters);

/** A sender with data in every table, and its owner. */
async function createBusySender(): Promise<{ sender: TestSender; owner: TestPerson }> {
  const sender = await createTestSender(stack.url);
  const owner = await createTestPerson(stack.url);
  await run(`insert into memberships (project_id, user_id, role) values ($1, $2, 'OWNER')`, [
    sender.projectId,
    owner.id,
  ]);
  const from = `hello@${sender.domain}`;
  const content = { name: 'x', subject: 'x', body: '<p>x</p>', from, type: 'MARKETING' };
  await sender.post('/v1/send', {
    to: ['ada@example.com', 'bob@example.com'],
    from,
    subject: 'x',
    body: 'x',
  });
  await sender.post('/v1/track', { email: 'ada@example.com', event: 'order placed', data: { plan: 'pro' } });
  await sender.post('/templates', content);
  const segment = await sender.post('/segments', { name: 'x', type: 'STATIC' });
  await sender.post(`/segments/${segment.body.id}/members`, { emails: ['ada@example.com'] });
  await sender.post('/campaigns', { ...content, audienceType: 'ALL' });
  await sender.post('/workflows', { name: 'x', eventName: 'order placed' });
  await deliver(stack, { from: 'ada@example.com', to: from, text: 'x' });
  await receivedActivity(sender, 1);
  await eventually(
    () => sender.get('/activity/stats'),
    ({ body }) => body.sent >= 2,
  );
  return { sender, owner };
}

/** Rows of the project per table that has a project id. */
async function rowsOf(projectId: string): Promise<Record<string, number>> {
  const tables = await run<{ name: string }>(
    // Partitions are left out: their rows are found through the parent table.
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     where a.attname = 'project_id' and c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
       and not c.relispartition order by 1`,
  );
  const found: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await run(`select count(*)::int as n from ${name} where project_id = $1`, [projectId]);
    if ((row?.n ?? 0) > 0) found[name] = row?.n ?? 0;
  }
  return found;
}

/** Rows whose parent row is gone. */
const orphans = () =>
  run(`select (select count(*) from segment_members m where not exists (select from segments s where s.id = m.segment_id))
    + (select count(*) from workflow_steps m where not exists (select from workflows s where s.id = m.workflow_id))
    + (select count(*) from campaign_figures m where not exists (select from campaigns s where s.id = m.campaign_id))
    as n`);

describe('the reset of a project', () => {
  it('erases its data everywhere, reports how much, and keeps keys, members, domains and settings', async () => {
    const { sender, owner } = await createBusySender();
    const { sender: neighbor } = await createBusySender();
    const before = await rowsOf(neighbor.projectId);
    await owner.call('PATCH', `/users/@me/projects/${sender.projectId}`, { brandColor: '#0f766e' });
    const path = `/users/@me/projects/${sender.projectId}/reset`;
    const { name } = (await owner.call('GET', '/users/@me/projects')).body.data[0];
    const wrong = await owner.call('POST', path, { confirm: 'another' });
    expect([wrong.status, wrong.body.error.code]).toEqual([400, 'BAD_REQUEST']);
    expect((await owner.call('GET', path)).status).toBe(404);
    const { status, body } = await owner.call('POST', path, { confirm: name });
    expect([status, body]).toEqual([
      200,
      {
        deleted: {
          contacts: 2,
          emails: 2,
          events: expect.any(Number),
          templates: 1,
          segments: 1,
          campaigns: 1,
          workflows: 1,
          jobs: 0,
        },
      },
    ]);
    expect(body.deleted.events).toBeGreaterThan(2);
    expect((await owner.call('GET', path)).body).toMatchObject({
      status: 'completed',
      deleted: body.deleted,
    });
    expect((await sender.get('/contacts')).body).toMatchObject({ data: [], total: 0 });
    expect((await owner.call('GET', '/users/@me/projects')).body.data[0]).toMatchObject({
      secretKey: sender.secretKey,
      role: 'OWNER',
      brandColor: '#0f766e',
    });
    await eventually(
      () => sender.get('/activity/stats'),
      ({ body: stats }) => stats.totalEvents === 0 && stats.sent === 0,
    );
    const left = Object.keys(await rowsOf(sender.projectId)).filter(
      (table) => !/figure|email_(days|changes)|billing_usage/.test(table),
    );
    expect(left.filter((table) => table !== 'events')).toEqual([
      'domains',
      'memberships',
      'project_erasures',
    ]);
    expect(await orphans()).toEqual([{ n: '0' }]);
    // Data written afterward stays.
    const again = await sender.post('/v1/send', {
      to: 'ada@example.com',
      from: `hello@${sender.domain}`,
      subject: 'x',
      body: 'x',
    });
    expect(again.status).toBe(200);
    expect((await sender.get('/contacts')).body.total).toBe(1);
    expect(await rowsOf(neighbor.projectId)).toEqual(before);
  });
});

it('a reset ends a running import, which writes nothing afterward', async () => {
  const { sender, owner } = await createBusySender();
  const project = (await owner.call('GET', '/users/@me/projects')).body.data[0];
  const rows = Array.from({ length: 60_000 }, (_, n) => `reader-${n}@example.com,Reader ${n}`);
  const { body: job } = await upload(
    `${stack.url}/contacts/import`,
    sender.secretKey,
    ['email,name', 'bad,Bad', ...rows].join('\n'),
  );
  const contacts = async () => (await sender.get('/contacts')).body.total;
  const rejections = () =>
    run('select count(*)::int as n from job_rejections where job_id = $1', [job.jobId]);
  await eventually(contacts, (count) => count > 2_000);
  expect(await rejections()).toEqual([{ n: 2 }]);
  const reset = await owner.call('POST', `/users/@me/projects/${project.id}/reset`, {
    confirm: project.name,
  });
  expect(reset.status).toBe(200);
  expect(reset.body.deleted.contacts).toBeLessThan(rows.length);
  expect((await sender.get(`/contacts/import/${job.jobId}`)).status).toBe(404);
  await delay(1_000);
  expect(await contacts()).toBe(0);
  expect(await rejections()).toEqual([{ n: 0 }]);
});

it('an ADMIN may reset a project', async () => {
  const [owner, admin] = [await createTestPerson(stack.url), await createTestPerson(stack.url)];
  const project = await createOwnProject(owner);
  await run(`insert into memberships (project_id, user_id, role) values ($1, $2, 'ADMIN')`, [
    project.id,
    admin.id,
  ]);
  const reset = await admin.call('POST', `/users/@me/projects/${project.id}/reset`, {
    confirm: project.name,
  });
  expect(reset.status).toBe(200);
});

describe('resets at once', () => {
  it('run one at a time: others are refused, and a call that waits too long gets the address to poll', async () => {
    const owner = await createTestPerson(stack.url);
    const project = await createOwnProject(owner);
    const path = `/users/@me/projects/${project.id}/reset`;
    const reset = () => owner.call('POST', path, { confirm: project.name });
    // Nothing of the project can be deleted while this transaction holds its lock.
    const blocking = stack.em();
    await blocking.begin();
    await sql(blocking, 'lock table contacts in share mode');
    const answers = await Promise.all(Array.from({ length: 5 }, async () => reset()));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 409, 409, 409, 409]);
    const running = answers.find(({ status }) => status === 202)?.body;
    expect(running).toMatchObject({ status: 'running', completedAt: null, deleted: { contacts: 0 } });
    expect((await owner.call('GET', path)).body).toEqual(running);
    await blocking.rollback();
    const done = await eventually(
      () => owner.call('GET', path),
      ({ body }) => body.status === 'completed',
    );
    expect(done.body).toMatchObject({ id: running.id, completedAt: expect.any(String) });
    expect((await reset()).status).toBe(200);
  });
});

describe('the deletion of a project', () => {
  it('revokes its keys at once, and erases everything it had', async () => {
    const { sender, owner } = await createBusySender();
    expect((await owner.call('DELETE', `/users/@me/projects/${sender.projectId}`)).status).toBe(204);
    expect((await sender.get('/contacts')).status).toBe(401);
    expect((await sender.post('/v1/track', { email: 'ada@example.com', event: 'x' })).status).toBe(401);
    expect((await owner.call('GET', '/users/@me/projects')).body.data).toEqual([]);
    await eventually(
      async () =>
        Object.keys(await rowsOf(sender.projectId)).filter(
          (table) => !['events', 'project_erasures'].includes(table),
        ),
      (left) => left.length === 0,
    );
    expect(await orphans()).toEqual([{ n: '0' }]);
    // Only the record of the erasure itself remains until the erasure is complete.
    await eventually(
      () => run<{ name: string }>('select name from events where project_id = $1', [sender.projectId]),
      (rows) => rows.length === 1 && rows[0]?.name === 'project.erased',
    );
    const identities = async () =>
      (await fetch(`${stack.ses.url}/v2/email/identities/${sender.domain}`)).status;
    await eventually(identities, 404);
  });

  it('holds up no other project, however many are deleted at once', async () => {
    const sender = await createTestSender(stack.url);
    const owner = await createTestPerson(stack.url);
    // More than activities run on the task queue of imports.
    const projects = await Promise.all(Array.from({ length: 45 }, async () => createOwnProject(owner)));
    const ids = projects.map(({ id }) => id);
    await run(
      `insert into templates (id, project_id, name, subject, body, from_email, type)
       select uuidv7(), id, 'x', 'x', 'x', 'a@example.com', 'MARKETING' from unnest($1::uuid[]) id`,
      [ids],
    );
    // None of the erasures can end while this transaction holds a row of each project.
    const blocking = stack.em();
    await blocking.begin();
    await sql(blocking, 'select from templates where project_id = any($1::uuid[]) for update', [ids]);
    for (const id of ids) {
      expect((await owner.call('DELETE', `/users/@me/projects/${id}`)).status).toBe(204);
    }
    await untilBlocking(blocking, 2);
    const { body: job } = await upload(
      `${stack.url}/contacts/import`,
      sender.secretKey,
      'email\nada@example.com',
    );
    await eventually(
      () => sender.get(`/contacts/import/${job.jobId}`),
      ({ body }) => body.state === 'completed',
    );
    const erased = () =>
      run('select count(erased_at)::int as n from project_erasures where project_id = any($1::uuid[])', [
        ids,
      ]);
    expect(await erased()).toEqual([{ n: 0 }]);
    await blocking.rollback();
    await eventually(erased, ([row]) => row?.n === ids.length);
  });
});
