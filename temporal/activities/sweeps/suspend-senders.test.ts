import { expect, it } from 'vitest';
import { openAccountLink } from '../../../core/account-email/sealed-link.ts';
import { foldEmailFigures } from '../../../db/statements/projects/email-figures.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { createTestProject } from '../../../test/setup/start-test-api.ts';
import { createOwnerNotifier, type NotifyOwners } from './notify-owners.ts';
import { suspendSenders } from './suspend-senders.ts';

const database = useTestDatabase();
const { em, sql } = database;

async function projectWith(figures: { sent: number; bounced: number; complained: number }): Promise<string> {
  const { id } = await createTestProject(database);
  // In pieces, as they arrive.
  const half = (count: number) => Math.floor(count / 2);
  for (const part of [half, (count: number) => count - half(count)]) {
    await sql(
      `insert into project_email_changes (project_id, day, sent, bounced, complained)
       values ($1, (now() at time zone 'UTC')::date, $2, $3, $4)`,
      [id, part(figures.sent), part(figures.bounced), part(figures.complained)],
    );
  }
  return id;
}

const linkKey = Buffer.alloc(32, 1);
const pageOf = (id: string) => `https://app.example.com/projects/${id}/security`;
const from = { email: 'service@example.com', name: 'Service' };
const notifyOwners = createOwnerNotifier({ from, pageOf, linkKey });
const suspend = (autoDisable: boolean, tell = notifyOwners) =>
  suspendSenders(em(), { autoDisable, notifyOwners: tell });

const stateOf = async (id: string) => {
  const [row] = await sql<{
    disabled: boolean;
    reason: string | null;
    suspensions: number;
    unfolded: number;
  }>(
    `select disabled, disabled_reason as reason,
       (select count(*)::int from project_suspensions where project_id = $1) as suspensions,
       (select count(*)::int from project_email_changes where project_id = $1) as unfolded
     from projects where id = $1`,
    [id],
  );
  return row;
};

it('disables projects with critical bounces or complaints, once, and no others', async () => {
  const bouncing = await projectWith({ sent: 1_000, bounced: 100, complained: 0 });
  const annoying = await projectWith({ sent: 10_000, bounced: 0, complained: 15 });
  const warned = await projectWith({ sent: 1_000, bounced: 99, complained: 1 });
  const young = await projectWith({ sent: 99, bounced: 99, complained: 99 });
  expect(await suspend(true)).toEqual({ folded: 8, disabled: 2 });
  expect(await suspend(true)).toEqual({ folded: 0, disabled: 0 });
  const disabled = { disabled: true, suspensions: 1, unfolded: 0 };
  const fine = { disabled: false, reason: null, suspensions: 0, unfolded: 0 };
  expect(await stateOf(bouncing)).toEqual({
    ...disabled,
    reason: '10 % of the emails of the last seven days bounced',
  });
  expect(await stateOf(annoying)).toEqual({
    ...disabled,
    reason: '0.15 % of the emails of the last seven days were complained about',
  });
  expect([await stateOf(warned), await stateOf(young)]).toEqual([fine, fine]);
});

it('emails every owner once, and nobody else', async () => {
  const id = await projectWith({ sent: 1_000, bounced: 125, complained: 0 });
  for (const [name, role] of [
    ['ada', 'OWNER'],
    ['grace', 'OWNER'],
    ['admin', 'ADMIN'],
    ['member', 'MEMBER'],
  ]) {
    await sql(
      `with person as (insert into users (id, email, password_hash) values (uuidv7(), $2, 'x') returning id)
       insert into memberships (project_id, user_id, role) select $1, id, $3 from person`,
      [id, `${name}@owners.example`, role],
    );
  }
  await Promise.all([suspend(true), suspend(true)]);
  await suspend(true);
  const mails = await sql<{ to: string; text: string; contentId: string; link: string; queued: boolean }>(
    `select e.to_email as "to", c.variables->>'text' as text, c.id as "contentId",
       c.variables->>'sealedLink' as link,
       exists (select 1 from outbox o where o.subject_id = e.id) as queued
     from emails e join message_contents c on c.id = e.content_id
     where e.to_email like '%@owners.example' order by e.to_email`,
    [],
  );
  expect(mails.map(({ to, queued }) => [to, queued])).toEqual([
    ['ada@owners.example', true],
    ['grace@owners.example', true],
  ]);
  expect(mails[0]?.text).toContain('12.5%');
  const [{ contentId, link } = { contentId: '', link: '' }] = mails;
  expect(openAccountLink(linkKey, contentId, link)).toBe(pageOf(id));
});

it('disables without an email when the operator has configured no sender', async () => {
  const id = await projectWith({ sent: 1_000, bounced: 125, complained: 0 });
  await suspend(true, createOwnerNotifier({ from: null, pageOf, linkKey }));
  expect(await stateOf(id)).toMatchObject({ disabled: true, suspensions: 1 });
});

it('only counts when the operator has turned disabling off', async () => {
  const id = await projectWith({ sent: 1_000, bounced: 1_000, complained: 0 });
  expect(await suspend(false)).toEqual({ folded: 2, disabled: 0 });
  expect(await stateOf(id)).toMatchObject({ disabled: false, unfolded: 0 });
});

it('counts each change once when several runs are concurrent', async () => {
  const ids = await Promise.all(
    Array.from({ length: 20 }, () => projectWith({ sent: 50, bounced: 7, complained: 0 })),
  );
  await Promise.all(Array.from({ length: 4 }, () => suspend(true)));
  const rows = await sql<{ sent: number; bounced: number }>(
    'select sent, bounced from project_email_days where project_id = any($1::uuid[])',
    [ids],
  );
  expect(rows).toEqual(ids.map(() => ({ sent: 50, bounced: 7 })));
});

it('suspends after a run that died between folding and evaluating', async () => {
  const id = await projectWith({ sent: 1_000, bounced: 200, complained: 0 });
  await foldEmailFigures(em());
  expect(await suspend(true)).toEqual({ folded: 0, disabled: 1 });
  expect(await stateOf(id)).toMatchObject({ disabled: true, suspensions: 1 });
});

it('disables all others when one fails, reports it, and retries the failed one', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 3; n += 1) {
    ids.push(await projectWith({ sent: 1_000, bounced: 200, complained: 0 }));
  }
  const [failing = '', ...others] = ids;
  const tell: NotifyOwners = async (em, projectId, verdict) => {
    if (projectId === failing) throw new Error('no mail today');
    await notifyOwners(em, projectId, verdict);
  };
  for (let runs = 0; runs < 2; runs += 1) {
    const failure: unknown = await suspend(true, tell).catch((error) => error);
    expect(failure).toMatchObject({
      message: 'Critical projects could not be disabled: 1',
      cause: { message: 'no mail today' },
    });
  }
  for (const id of others) expect(await stateOf(id)).toMatchObject({ disabled: true, suspensions: 1 });
  expect(await stateOf(failing)).toMatchObject({ disabled: false, suspensions: 0 });
  expect(await suspend(true)).toEqual({ folded: 0, disabled: 1 });
  expect(await stateOf(failing)).toMatchObject({ disabled: true, suspensions: 1 });
});

it('leaves a re-enabled project alone until its figures change', async () => {
  const id = await projectWith({ sent: 1_000, bounced: 200, complained: 0 });
  await suspend(true);
  await sql('update projects set disabled = false, disabled_reason = null where id = $1', [id]);
  expect(await suspend(true)).toEqual({ folded: 0, disabled: 0 });
  await sql(
    `insert into project_email_changes (project_id, day, sent) values ($1, (now() at time zone 'UTC')::date, 1)`,
    [id],
  );
  expect(await suspend(true)).toEqual({ folded: 1, disabled: 1 });
});

it('evaluates each of many projects once', async () => {
  await sql(
    `insert into project_email_days (project_id, day, sent, judged)
     select uuidv7(), (now() at time zone 'UTC')::date, 1000, false from generate_series(1, 1300)`,
    [],
  );
  const id = await projectWith({ sent: 1_000, bounced: 200, complained: 0 });
  expect(await suspend(true)).toEqual({ folded: 2, disabled: 1 });
  expect(await stateOf(id)).toMatchObject({ disabled: true });
  const unjudged = await sql('select project_id from project_email_days where not judged', []);
  expect(unjudged).toEqual([]);
});
