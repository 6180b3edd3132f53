import { randomUUID } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { beforeEach, describe, expect, it } from 'vitest';
import { startCampaign } from '../../../test/setup/campaigns.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { expireEverything } from '../../../test/setup/expire-everything.ts';
import { acceptInput } from '../../../test/setup/inputs.ts';
import { insertProject } from '../../../test/setup/projects.ts';
import { insertSegment } from '../../../test/setup/segments.ts';
import { acceptEmails } from '../emails/accept-emails.ts';
import { insertJobChunk } from '../jobs/insert-job-chunk.ts';
import { findProjectTurns, lockDueCommands } from '../outbox/due-commands.ts';
import { createExpiries } from './expiries.ts';
import type { ExpiryCursor, ExpirySlice } from './expiry.ts';
import { requeueStrandedEmails } from './requeue-commands.ts';

const { em, sql } = useTestDatabase();
beforeEach(async () => {
  await sql('truncate outbox, emails, message_contents, template_contents cascade');
});

describe('the expiry sweep', () => {
  it('deletes expired rows and nothing else, in every table', async () => {
    const projectId = randomUUID();
    await sql(
      `insert into idempotency_keys (project_id, key, request, token, expires_at)
       select $1, 'key ' || n, 'POST /v1/send', uuidv7(), now() + (n - 1.5) * interval '1 minute'
       from generate_series(0, 4) n`,
      [projectId],
    );
    await sql(
      `insert into rate_limit_windows (subject, window_start, used)
       select 'subject', now() - n * interval '4 minutes', 1 from generate_series(1, 4) n`,
    );
    await sql(
      `insert into throttles (key, next_free_at)
       select 'bucket ' || n, now() + n * interval '11 minutes' from generate_series(-1, 1) n`,
    );
    await sql(
      `insert into waiting_emails (project_id, email_id)
       select $1, uuidv7(n * interval '25 hours') from generate_series(-2, 0) n`,
      [projectId],
    );
    await sql(
      `insert into provider_notifications (id, received_at)
       select uuidv7(), now() - n * interval '14 days 20 hours' from generate_series(1, 4) n`,
    );
    await sql(
      `insert into stripe_events (id, type, received_at)
       select 'evt_' || days, 'invoice.paid', now() - days * interval '1 day' from unnest(array[29, 31]) days`,
    );
    const contents = [5, 6.9, 7.1, 30].map((days) =>
      acceptInput(projectId, [`${days}@example.com`], {
        occurredAt: new Date(Date.now() - days * 86_400_000),
        attachments: [
          {
            filename: 'a',
            contentType: 'text/plain',
            cid: null,
            disposition: 'attachment',
            bytes: Buffer.from('a'),
          },
        ],
      }),
    );
    await acceptEmails(em(), contents);
    // An email shares the text of its template with other emails of the same day.
    await sql(
      `insert into template_contents (id, project_id, subject, body, from_email, created_at)
       select uuidv7(), $1, 'Hi', hours::text, 'a@example.com', now() - hours * interval '1 hour'
       from unnest(array[167, 191, 193]) hours`,
      [projectId],
    );
    await sql(
      `insert into jobs (id, project_id, type, state, created_at)
       select uuidv7(), $1, 'import', state, now() - days * interval '1 day'
       from unnest(array['waiting', 'active', 'completed', 'failed']) state, unnest(array[29, 31]) days`,
      [projectId],
    );
    await sql(`insert into job_rejections (job_id, position, bytes) select id, 0, 'x' from jobs`);
    const chunk = (id: string) => insertJobChunk(em(), id, 0, Buffer.from('email'));
    const [ofJob, ofOldJob] = [uuidv7(), uuidv7({ msecs: Date.now() - 2 * 86_400_000 })];
    await sql(`insert into jobs (id, project_id, type) select unnest($1::uuid[]), $2, 'import'`, [
      [ofJob, ofOldJob],
      projectId,
    ]);
    const ofUpload = uuidv7({ msecs: Date.now() - 23 * 3_600_000 });
    const orphan = uuidv7({ msecs: Date.now() - 25 * 3_600_000 });
    for (const id of [ofJob, ofOldJob, ofUpload, orphan]) await chunk(id);
    await sql(
      `with someone as (insert into users (id, email) values (uuidv7(), 'someone@example.com') returning id)
       insert into account_tokens (id, user_id, purpose, token_hash, expires_at)
       select uuidv7(), id, 'reset-password', sha256(hours::text::bytea), now() + hours * interval '1 hour'
       from someone, unnest(array[-25, -1, 1]) hours`,
    );
    await sql(
      `insert into sessions (id, user_id, version, expires_at)
       select uuidv7(), id, 1, now() + hours * interval '1 hour'
       from users, unnest(array[-1, 1]) hours where email = 'someone@example.com'`,
    );
    await sql(
      `insert into invitations (id, project_id, email, role, token_hash, expires_at)
       select uuidv7(), $1, hours || '@example.com', 'MEMBER', sha256(hours::text::bytea),
         now() + hours * interval '1 hour'
       from unnest(array[-25, -1, 1]) hours`,
      [await insertProject(em())],
    );
    await sql(
      `insert into invitation_hours (subject, hour, mails)
       select 'grace@example.com', date_trunc('hour', now()) - hours * interval '1 hour', 5
       from generate_series(0, 3) hours`,
    );
    await sql(
      `insert into sign_in_attempts (subject, attempts, ends_at)
       select sha256(minutes::text::bytea), 1, now() + minutes * interval '1 minute' from unnest(array[-1, 1]) minutes`,
    );
    await sql(
      `insert into sign_in_sources (user_id, source, seen_at)
       select id, sha256(days::text::bytea), now() - days * interval '1 day'
       from users, unnest(array[364, 366]) days where email = 'someone@example.com'`,
    );
    await sql(
      `with inputs as (
         insert into segment_inputs (project_id, input) select project, input
         from unnest($1::uuid[]) project, unnest(array['contact', 'event.opened']) input)
       insert into segment_rounds (project_id, next_at) select unnest($1::uuid[]), now()`,
      [[await insertProject(em()), projectId]],
    );

    expect(await expireEverything(em(), 7)).toEqual({
      idempotencyKeys: 2,
      rateLimitWindows: 2,
      throttles: 1,
      waitingEmails: 1,
      notifications: 2,
      contents: 2,
      inboundContents: 0,
      jobs: 2,
      uploadChunks: 1,
      stripeEvents: 1,
      templateContents: 1,
      accountTokens: 2,
      sessions: 1,
      signInAttempts: 1,
      signInSources: 1,
      invitations: 2,
      invitationHours: 3,
      segmentInputs: 2,
      segmentRounds: 1,
      segmentsWithOrphans: 0,
      workflowsWithOrphans: 0,
    });
    const left = async (statement: string) =>
      (await sql<{ value: string }>(statement)).map((row) => row.value);
    expect((await left('select job_id as value from job_chunks')).sort()).toEqual(
      [ofJob, ofOldJob, ofUpload].sort(),
    );
    expect(await left('select key as value from idempotency_keys order by key')).toEqual([
      'key 2',
      'key 3',
      'key 4',
    ]);
    expect(await left('select subject as value from rate_limit_windows')).toHaveLength(2);
    expect(await left('select id as value from provider_notifications')).toHaveLength(2);
    expect(
      await left('select distinct state as value from jobs where created_at < current_date - 29 order by 1'),
    ).toEqual(['active', 'waiting']);
    expect(await left('select id as value from jobs')).toHaveLength(8);
    expect(await left('select job_id as value from job_rejections')).toHaveLength(6);
    const kept = contents.slice(0, 2).map((content) => content.contentId);
    expect(await left('select id as value from message_contents order by created_at desc')).toEqual(kept);
    expect(await left('select body as value from template_contents order by 1')).toEqual(['167', '191']);
    expect(await left('select content_id as value from email_attachments order by 1')).toEqual(
      kept.toSorted(),
    );
    expect(await left('select id as value from emails')).toHaveLength(4);
    expect(await expireEverything(em(), 7)).toEqual({
      idempotencyKeys: 0,
      rateLimitWindows: 0,
      throttles: 0,
      waitingEmails: 0,
      notifications: 0,
      contents: 0,
      inboundContents: 0,
      jobs: 0,
      uploadChunks: 0,
      stripeEvents: 0,
      templateContents: 0,
      accountTokens: 0,
      sessions: 0,
      signInAttempts: 0,
      signInSources: 0,
      invitations: 0,
      invitationHours: 0,
      segmentInputs: 0,
      segmentRounds: 0,
      segmentsWithOrphans: 0,
      workflowsWithOrphans: 0,
    });
  });

  it('deletes more rows than fit into one statement', async () => {
    await sql(
      `insert into provider_notifications (id, received_at)
       select uuidv7(), now() - interval '31 days' from generate_series(1, 12000)`,
    );
    expect(await expireEverything(em(), 7)).toMatchObject({ notifications: 12_000 });
  });

  it.each([
    ['contents', 'message_contents', '(id, project_id, created_at)', 'uuidv7(), gen_random_uuid(), '],
    [
      'templateContents',
      'template_contents',
      '(id, project_id, subject, body, from_email, created_at)',
      `uuidv7(), gen_random_uuid(), 'x', 'x', 'a@example.com', `,
    ],
  ])('takes few large rows at a time: %s', async (name, table, columns, values) => {
    await sql(
      `insert into ${table} ${columns} select ${values} now() - interval '31 days' from generate_series(1, 250)`,
    );
    const counts: number[] = [];
    const expire = createExpiries(7)[name];
    for (let cursor: ExpiryCursor | null | undefined = null; cursor !== undefined; ) {
      const slice: ExpirySlice | undefined = await expire?.(em(), cursor);
      counts.push(slice?.count ?? 0);
      cursor = slice?.cursor ?? undefined;
    }
    expect(counts).toEqual([100, 100, 50]);
  });

  it('gets past kept rows, however many there are', async () => {
    await sql('truncate throttles, jobs cascade');
    await sql(
      `insert into throttles (key, next_free_at)
       select 'bucket ' || lpad(n::text, 5, '0'), now() - case when n > 11999 then interval '1 hour' else '0' end
       from generate_series(1, 12000) n`,
    );
    await sql(
      `insert into jobs (id, project_id, type, state, created_at)
       select uuidv7(), uuidv7(), 'import', case when n > 11999 then 'failed' else 'active' end,
         now() - interval '31 days' from generate_series(1, 12000) n`,
    );
    expect(await expireEverything(em(), 7)).toMatchObject({ throttles: 1, jobs: 1 });
    await sql('truncate throttles, jobs cascade');
  });

  it('keeps the contents of campaigns that are sending, however old', async () => {
    const projectId = await insertProject(em());
    const [sending, sent] = [await startCampaign(em(), projectId), await startCampaign(em(), projectId)];
    await sql(`update campaigns set status = 'SENT' where id = $1`, [sent]);
    await sql(`update message_contents set created_at = now() - interval '8 days' where project_id = $1`, [
      projectId,
    ]);
    expect(await expireEverything(em(), 7)).toMatchObject({ contents: 1 });
    const left = await sql(
      `select c.id from campaigns c join message_contents m on m.id = c.content_id where c.project_id = $1`,
      [projectId],
    );
    expect(left).toEqual([{ id: sending }]);
  });

  it('deletes the members of deleted or untracked segments, and no others', async () => {
    const projectId = randomUUID();
    const add = async (name: string, type: 'DYNAMIC' | 'STATIC', trackMembership: boolean) =>
      (await insertSegment(em(), { projectId, name, slug: name, type, trackMembership })).id;
    const [kept, tracked, untracked] = [
      await add('a', 'STATIC', false),
      await add('b', 'DYNAMIC', true),
      await add('c', 'DYNAMIC', false),
    ];
    const gone = Array.from({ length: 700 }, () => randomUUID());
    await sql(
      `insert into segment_members (segment_id, contact_id)
       select segment, uuidv7() from unnest($1::uuid[]) segment, generate_series(1, 3)`,
      [[kept, tracked, untracked, ...gone]],
    );
    expect(await expireEverything(em(), 7)).toMatchObject({ segmentsWithOrphans: 701 });
    const left = await sql<{ id: string }>(
      'select distinct segment_id as id from segment_members where segment_id = any($1::uuid[])',
      [[kept, tracked, untracked, ...gone]],
    );
    expect(left.map(({ id }) => id).sort()).toEqual([kept, tracked].sort());
  });
});

describe('the sweep of stranded emails', () => {
  /** An email accepted this many seconds ago, without a command. */
  async function strand(secondsAgo: number, columns: Record<string, unknown> = {}): Promise<string> {
    const id = uuidv7({ msecs: Date.now() - secondsAgo * 1000 });
    const values = { source: 'TRANSACTIONAL', status: 'QUEUED', attempts: 0, ...columns };
    await sql(
      `insert into emails (id, project_id, to_email, from_email, source, status, attempts)
       values ($1, uuidv7(), 'a@example.com', 'b@example.com', $2, $3, $4)`,
      [id, values.source, values.status, values.attempts],
    );
    return id;
  }
  const commands = async () => {
    const projects = (await findProjectTurns(em(), 'emails', null, 100)).map((turn) => turn.projectId);
    return (await lockDueCommands(em(), 'emails', projects, 100)).map((command) => command.subjectId).sort();
  };

  it('queues one command for each unsent email that nothing takes care of', async () => {
    const stranded = [
      await strand(600),
      await strand(3_000, { status: 'SENDING', attempts: 1 }),
      await strand(700, { status: 'UNKNOWN', attempts: 1 }),
      await strand(600, { source: 'WORKFLOW' }),
      await strand(600, { source: 'TEST' }),
      await strand(600, { source: 'ACCOUNT' }),
    ];
    await strand(100);
    await strand(4_000);
    await strand(600, { status: 'UNKNOWN', attempts: 2 });
    await strand(600, { source: 'CAMPAIGN' });
    for (const status of ['SENT', 'FAILED', 'SUPPRESSED', 'CANCELLED', 'DELIVERED', 'BOUNCED']) {
      await strand(600, { status });
    }
    expect(await requeueStrandedEmails(em(), 3_600, 300)).toBe(6);
    expect(await commands()).toEqual(stranded.toSorted());
    expect(await requeueStrandedEmails(em(), 3_600, 300)).toBe(0);
    expect(await commands()).toEqual(stranded.toSorted());
  });

  it('leaves alone an email whose command is waiting or dead', async () => {
    const [waiting, dead] = [await strand(600), await strand(600)];
    await sql(
      `insert into outbox (id, kind, subject_id, next_attempt_at, dead_at) values
         (uuidv7(), 'email.dispatch', $1, now() + interval '1 hour', null),
         (uuidv7(), 'email.dispatch', $2, now(), now())`,
      [waiting, dead],
    );
    expect(await requeueStrandedEmails(em(), 3_600, 300)).toBe(0);
  });
});
