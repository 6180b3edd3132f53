import { describe, expect, it } from 'vitest';
import { newId } from '../core/new-id.ts';
import { foldEmailFigures } from '../db/statements/projects/email-figures.ts';
import { sql } from '../db/testing/sql.ts';
import { draftCampaign } from './setup/draft-campaign.ts';
import { eventually } from './setup/eventually.ts';
import { fileFixture } from './setup/fixtures.ts';
import { arrived, reportEvent } from './setup/inbox.ts';
import { createOwnProject, createTestPerson, type TestPerson } from './setup/people.ts';
import { createTestSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';
import { createTemplate } from './setup/templates.ts';
import { untilBlocking } from './setup/until-blocking.ts';

const stack = useSharedProduct();
const owner = fileFixture(() => createTestPerson(stack.url));
const stranger = fileFixture(() => createTestPerson(stack.url));

/** Adds a person with a role, without an invitation. */
async function join(projectId: string, person: TestPerson, role: string): Promise<void> {
  await stack.sql('insert into memberships (project_id, user_id, role) values ($1, $2, $3)', [
    projectId,
    person.id,
    role,
  ]);
}

describe('the webhook secret of a project', () => {
  it('is for administrators and stays until replaced; the previous secret then signs for another day', async () => {
    const project = await createOwnProject(owner);
    const path = `/projects/${project.id}/webhook-secret`;
    const member = await createTestPerson(stack.url);
    await join(project.id, member, 'MEMBER');
    expect((await member.call('GET', path)).status).toBe(403);
    expect((await member.call('POST', `${path}/rotate`)).status).toBe(403);
    expect((await stranger.call('GET', path)).status).toBe(404);
    expect((await stranger.call('POST', `${path}/rotate`)).status).toBe(404);

    const first = (await owner.call('GET', path)).body;
    expect(first).toEqual({
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{32}$/),
      previousSecret: null,
      previousSecretValidUntil: null,
    });
    expect((await owner.call('GET', path)).body).toEqual(first);

    const second = (await owner.call('POST', `${path}/rotate`)).body;
    expect(second.secret).not.toBe(first.secret);
    expect(second.previousSecret).toBe(first.secret);
    const hoursLeft = (Date.parse(second.previousSecretValidUntil) - Date.now()) / 3_600_000;
    expect([hoursLeft > 23, hoursLeft < 25]).toEqual([true, true]);
    expect((await owner.call('GET', path)).body).toEqual(second);

    await stack.sql('update projects set webhook_secret_previous_until = now() where id = $1', [project.id]);
    expect((await owner.call('GET', path)).body).toEqual({ ...first, secret: second.secret });
  });

  it('is not found when the project is deleted at that moment', async () => {
    const project = await createOwnProject(owner);
    let reading: ReturnType<typeof owner.call> | undefined;
    await stack.em().transactional(async (em) => {
      await sql(em, 'delete from projects where id = $1', [project.id]);
      reading = owner.call('GET', `/projects/${project.id}/webhook-secret`);
      await untilBlocking(em);
    });
    const answer = await reading;
    expect([answer?.status, answer?.body.error.message]).toEqual([404, 'Project not found']);
  });

  it('has no predecessor when it is replaced before anyone has seen it', async () => {
    const project = await createOwnProject(owner);
    const rotated = (await owner.call('POST', `/projects/${project.id}/webhook-secret/rotate`)).body;
    expect(rotated).toMatchObject({ previousSecret: null, previousSecretValidUntil: null });
  });
});

describe('settings of a project', () => {
  it('change one by one, and null restores the default color', async () => {
    const project = await createOwnProject(owner);
    const change = async (body: unknown) =>
      (await owner.call('PATCH', `/users/@me/projects/${project.id}`, body)).body;
    expect(await change({ name: ' Store ' })).toMatchObject({
      ...project,
      name: 'Store',
      updatedAt: expect.any(String),
    });
    expect(await change({ brandColor: '#0F766E', suppressTransactional: true })).toMatchObject({
      name: 'Store',
      brandColor: '#0f766e',
      suppressTransactional: true,
    });
    expect(await change({ brandColor: null })).toMatchObject({
      brandColor: null,
      suppressTransactional: true,
    });
    expect(await change({})).toMatchObject({ name: 'Store', brandColor: null, suppressTransactional: true });
  });

  it.each([
    [{ name: ' ' }, 'name'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ name: 'Shop\r\nBcc: eve@example.com' }, 'name'],
    [{ brandColor: 'red' }, 'brandColor'],
    [{ brandColor: '#0f766e;background:url(x)' }, 'brandColor'],
    [{ suppressTransactional: 'yes' }, 'suppressTransactional'],
  ])('refuse %j', async (body, field) => {
    const project = await createOwnProject(owner);
    const answer = await owner.call('PATCH', `/users/@me/projects/${project.id}`, body);
    expect([answer.status, answer.body.error.errors[0].field]).toEqual([422, field]);
  });

  it('apply to the next email at once', async () => {
    const sender = await createTestSender(stack.url);
    await join(sender.projectId, owner, 'MEMBER');
    const contact = { email: 'gone@example.com', subscribed: true };
    const { id } = (await sender.post('/contacts', contact)).body;
    await stack.sql(`update contacts set subscribed = false, suppression_reason = 'bounce' where id = $1`, [
      id,
    ]);
    await owner.call('PATCH', `/users/@me/projects/${sender.projectId}`, { suppressTransactional: true });
    await sender.post('/v1/send', {
      to: 'gone@example.com',
      from: `hello@${sender.domain}`,
      subject: 'x',
      body: 'x',
    });
    const statuses = () =>
      stack.sql<{ status: string }>('select status from emails where contact_id = $1', [id]);
    await eventually(statuses, (rows) => rows[0]?.status === 'SUPPRESSED');
  });
});

describe('the first steps of a project', () => {
  it('are reported as they are taken', async () => {
    const sender = await createTestSender(stack.url);
    await join(sender.projectId, owner, 'MEMBER');
    const state = async () => (await owner.call('GET', `/projects/${sender.projectId}/setup-state`)).body;
    const none = {
      hasVerifiedDomain: false,
      hasSentEmail: false,
      hasContacts: false,
      hasTrackedEvent: false,
      hasCampaign: false,
      hasWorkflow: false,
    };
    const fresh = await createOwnProject(owner);
    expect((await owner.call('GET', `/projects/${fresh.id}/setup-state`)).body).toEqual(none);
    expect(await state()).toEqual({ ...none, hasVerifiedDomain: true });
    await sender.post('/v1/send', {
      to: 'ada@example.com',
      from: `hello@${sender.domain}`,
      subject: 'x',
      body: 'x',
    });
    const afterSending = { ...none, hasVerifiedDomain: true, hasContacts: true, hasSentEmail: true };
    expect(await eventually(state, (now) => now.hasSentEmail)).toEqual(afterSending);
    await sender.post('/v1/track', { email: 'ada@example.com', event: 'signed up' });
    expect(await state()).toEqual({ ...afterSending, hasTrackedEvent: true });
    await draftCampaign(sender);
    expect(await state()).toMatchObject({ hasTrackedEvent: true, hasCampaign: true });
    const { body } = await sender.get('/contacts?search=ada@example.com');
    await sender.delete(`/contacts/${body.data[0].id}`);
    expect(await state()).toMatchObject({ hasSentEmail: true, hasContacts: false });
  });

  it('have the first email once a test was sent', async () => {
    const sender = await createTestSender(stack.url);
    await join(sender.projectId, owner, 'MEMBER');
    const state = async () => (await owner.call('GET', `/projects/${sender.projectId}/setup-state`)).body;
    const id = await createTemplate(sender);
    expect(await state()).toMatchObject({ hasSentEmail: false });
    await sender.post(`/templates/${id}/test`, { email: 'ada@example.com' });
    const after = await eventually(state, ({ hasSentEmail }) => hasSentEmail);
    expect(after).toMatchObject({ hasSentEmail: true, hasContacts: false });
  });
});

describe('security of a project', () => {
  it('counts the outcomes of emails, except to simulator addresses', async () => {
    const sender = await createTestSender(stack.url);
    await join(sender.projectId, owner, 'MEMBER');
    const send = (to: string) =>
      sender.post('/v1/send', { to, from: `hello@${sender.domain}`, subject: 'x', body: 'x' });
    await send('ada@example.com');
    await send('bounce@simulator.amazonses.com');
    const { id } = await arrived(stack.ses, await send('lost@example.com'));
    const report = (type: string) => reportEvent(stack.ses, id, { type });
    await report('complaint');
    const read = async () => (await owner.call('GET', `/projects/${sender.projectId}/security`)).body;
    const expected = { sent: 2, bounced: 0, complained: 1 };
    const state = await eventually(read, (now) => now.allTime.complained === 1 && now.allTime.sent === 2);
    expect(state).toMatchObject({
      level: 'healthy',
      disabled: false,
      autoDisable: true,
      sevenDays: { ...expected, complaintRate: 50, complaintLevel: 'healthy' },
      allTime: expected,
      suspensions: [],
    });
    await eventually(
      () =>
        stack.sql<{ status: string }>(
          `select status from emails where project_id = $1 and to_email like 'bounce@simulator%'`,
          [sender.projectId],
        ),
      (rows) => rows[0]?.status === 'BOUNCED',
    );
    expect(await read()).toEqual(state);
    // The figures are the same before and after folding.
    await foldEmailFigures(stack.em());
    expect(await read()).toEqual(state);
    expect((await owner.call('GET', `/users/@me/projects/${sender.projectId}/security`)).body).toEqual(state);
  });

  it('excludes older days from the rate of a week', async () => {
    const project = await createOwnProject(owner);
    await stack.sql(
      `insert into project_email_days (project_id, day, sent, bounced)
       select $1, (now() at time zone 'UTC')::date - days, 100, days from generate_series(0, 7) days`,
      [project.id],
    );
    expect((await owner.call('GET', `/projects/${project.id}/security`)).body).toMatchObject({
      sevenDays: { sent: 700, bounced: 21 },
      allTime: { sent: 800, bounced: 28 },
    });
  });

  it('lists the suspensions', async () => {
    const project = await createOwnProject(owner);
    const suspension = { reason: 'BOUNCE_RATE', sent: 1_000, bounced: 120, complained: 1 };
    await stack.sql(
      `insert into project_suspensions (id, project_id, reason, sent, bounced, complained)
       values (uuidv7(), $1, $2, $3, $4, $5)`,
      [project.id, ...Object.values(suspension)],
    );
    const { status, body } = await owner.call('GET', `/projects/${project.id}/security`);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.suspensions).toEqual([
      { id: expect.any(String), ...suspension, createdAt: expect.any(String) },
    ]);
  });
});

describe('the project of others', () => {
  it('does not exist, on no endpoint', async () => {
    const project = await createOwnProject(owner);
    const answers = await Promise.all([
      stranger.call('PATCH', `/users/@me/projects/${project.id}`, { name: 'Mine' }),
      stranger.call('GET', `/users/@me/projects/${project.id}/security`),
      stranger.call('GET', `/projects/${project.id}/security`),
      stranger.call('GET', `/projects/${project.id}/setup-state`),
      owner.call('GET', `/projects/${newId()}/setup-state`),
    ]);
    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual(
      answers.map(() => [404, 'NOT_FOUND']),
    );
  });
});
