import { describe, expect, it } from 'vitest';
import { newId } from '../../../core/new-id.ts';
import {
  cancelCampaign,
  insertContacts,
  insertDraft,
  startCampaign,
  startSending,
} from '../../../test/setup/campaigns.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { forgetEventStatistics } from '../../../test/setup/forget-event-statistics.ts';
import { insertProject, useProject } from '../../../test/setup/projects.ts';
import { where } from '../../../test/setup/segments.ts';
import type { Campaign } from '../../entities/campaign.ts';
import { rowsRead } from '../../testing/rows-read.ts';
import { sql } from '../../testing/sql.ts';
import { freezeAudience } from './freeze-audience.ts';

const { em } = useTestDatabase(12);
const project = useProject(em);

const start = async (changes: Partial<Campaign> = {}) => {
  const id = await insertDraft(em(), project.id, changes);
  await startSending(em(), id);
  return id;
};
const recipients = async (id: string) =>
  (
    await sql<{ to: string }>(
      em(),
      `select to_email as "to" from emails e join contacts c on c.id = e.contact_id
       where campaign_id = $1 order by e.id`,
      [id],
    )
  ).map((row) => row.to);
const batches = (id: string) =>
  sql<{ number: number; recipients: number; found: number }>(
    em(),
    `select number, recipients, (
       select count(*)::int from emails e
       where e.campaign_id = b.campaign_id and e.id between b.first_email_id and b.last_email_id) as found
     from campaign_batches b where campaign_id = $1 order by number`,
    [id],
  );
const readers = (...numbers: number[]) => numbers.map((n) => `reader-${n}@example.com`);
const row = async (id: string) =>
  (
    await sql<{ totalRecipients: number; frozenAt: Date | null }>(
      em(),
      `select total_recipients as "totalRecipients", frozen_at as "frozenAt" from campaigns where id = $1`,
      [id],
    )
  )[0];

describe('freezing an audience', () => {
  it('reads no more contacts than it evaluates', async () => {
    await insertContacts(em(), project.id, 3_000);
    await sql(em(), 'analyze contacts');
    const id = await start();
    await em().transactional(async (transaction) => {
      await freezeAudience(transaction, id, 10);
      const [read] = await sql<{ rows: number }>(
        transaction,
        `select (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables where relname = 'contacts'`,
      );
      // Each is read once more when its email refers to it.
      expect(read?.rows).toBeLessThan(50);
    });
  });

  it('reads the events of the contacts that it evaluates, however few contacts of the event Postgres expects', async () => {
    await insertContacts(em(), project.id, 3_000);
    await sql(
      em(),
      `insert into contact_event_stats (project_id, name, contact_id, count, first_at, last_at, last_event_id)
       select project_id, 'ordered', id, 1, now(), now(), uuidv7() from contacts where project_id = $1`,
      [project.id],
    );
    await sql(em(), 'analyze contact_event_stats');
    await forgetEventStatistics((text, parameters) => sql(em(), text, parameters));
    const audienceCondition = where({ field: 'event.ordered', operator: 'triggered' });
    const id = await start({ audienceType: 'FILTERED', audienceCondition });
    const read = await rowsRead(em(), (inner) => freezeAudience(inner, id, 10));
    expect(read.get('contact_event_stats_pkey')).toBe(10);
    expect(await recipients(id)).toHaveLength(10);
  });

  it('reads the emails of the contacts that it evaluates, however few of the campaign before Postgres expects', async () => {
    await insertContacts(em(), project.id, 3_000);
    const insert = (campaignId: string) =>
      sql(
        em(),
        `insert into emails (id, project_id, contact_id, campaign_id, source, to_email, from_email, sent_at)
         select uuidv7(), project_id, id, ${campaignId}, 'CAMPAIGN', email, 'a@b.example', now() from contacts where project_id = $1`,
        [project.id],
      );
    await insert('uuidv7()');
    await sql(em(), 'analyze emails');
    const before = newId();
    await insert(`'${before}'`);
    const ofBefore = (operator: string) => ({ field: `campaign.${before}`, operator });
    const audienceCondition = where(ofBefore('sent'), ofBefore('notOpened'));
    const id = await start({ audienceType: 'FILTERED', audienceCondition });
    const read = await rowsRead(em(), (inner) => freezeAudience(inner, id, 10));
    expect(read.get('emails_campaign_contact')).toBe(20);
    expect(await recipients(id)).toHaveLength(10);
  });

  it('queues one email per recipient, in batches by id, piece by piece', async () => {
    await insertContacts(em(), project.id, 1_234);
    const id = await start();
    const answers: boolean[] = [];
    while (answers.at(-1) !== true) answers.push(await freezeAudience(em(), id, 300, 500));
    expect(answers).toHaveLength(5);
    expect(await recipients(id)).toEqual(readers(...Array.from({ length: 1_234 }, (_, n) => n + 1)));
    expect(await batches(id)).toEqual([
      { number: 1, recipients: 500, found: 500 },
      { number: 2, recipients: 500, found: 500 },
      { number: 3, recipients: 234, found: 234 },
    ]);
    expect(await row(id)).toEqual({ totalRecipients: 1_234, frozenAt: expect.any(Date) });
    expect(
      await sql(
        em(),
        `select distinct status, source, type, project_id as "projectId", from_email as "fromEmail",
           content_id is not null as "hasContent" from emails where campaign_id = $1`,
        [id],
      ),
    ).toEqual([
      {
        status: 'QUEUED',
        source: 'CAMPAIGN',
        type: 'MARKETING',
        projectId: project.id,
        fromEmail: `news@${project.id}.example.com`,
        hasContent: true,
      },
    ]);
  });

  it('keeps every email in its batch, and batches apart, when the clock is set back between pieces', async () => {
    await insertContacts(em(), project.id, 1_200);
    const id = await start();
    await freezeAudience(em(), id, 300, 500);
    // As if the clock had been an hour ahead.
    await sql(
      em(),
      `with moved as (
         update emails set id = uuidv7(interval '1 hour') where campaign_id = $1 returning id
       )
       update campaign_batches set first_email_id = (select id from moved order by id limit 1),
         last_email_id = (select id from moved order by id desc limit 1)
       where campaign_id = $1`,
      [id],
    );
    while (!(await freezeAudience(em(), id, 300, 500)));
    expect(await batches(id)).toEqual([
      { number: 1, recipients: 500, found: 500 },
      { number: 2, recipients: 500, found: 500 },
      { number: 3, recipients: 200, found: 200 },
    ]);
  });

  it('fills the batches even when few of the contacts belong to the audience', async () => {
    await insertContacts(em(), project.id, 2_000);
    const id = await start({
      audienceType: 'FILTERED',
      audienceCondition: {
        logic: 'AND',
        groups: [{ filters: [{ field: 'data.n', operator: 'greaterThan', value: 1_300 }] }],
      },
    });
    while (!(await freezeAudience(em(), id, 100, 500)));
    expect(await batches(id)).toEqual([
      { number: 1, recipients: 500, found: 500 },
      { number: 2, recipients: 200, found: 200 },
    ]);
  });

  it.each<[string, Partial<Campaign>, number[]]>([
    ['marketing to subscribed contacts', {}, [1, 3]],
    ['headless to subscribed contacts', { type: 'HEADLESS' }, [1, 3]],
    ['transactional to everyone', { type: 'TRANSACTIONAL' }, [1, 2, 3, 4]],
  ])('is %s', async (_, changes, expected) => {
    await insertContacts(em(), project.id, 4);
    await sql(
      em(),
      `update contacts set subscribed = false where project_id = $1 and email in ('reader-2@example.com', 'reader-4@example.com')`,
      [project.id],
    );
    const id = await startCampaign(em(), project.id, changes);
    expect(await recipients(id)).toEqual(readers(...expected));
  });

  it('includes the members of a segment', async () => {
    await insertContacts(em(), project.id, 5);
    const segmentId = newId();
    await sql(
      em(),
      `insert into segments (id, project_id, name, type, slug) values ($1, $2, 'VIP', 'STATIC', 'vip')`,
      [segmentId, project.id],
    );
    await sql(
      em(),
      `insert into segment_members (segment_id, contact_id)
       select $1, id from contacts where project_id = $2 and (data ->> 'n')::int in (2, 5)`,
      [segmentId, project.id],
    );
    const id = await startCampaign(em(), project.id, { audienceType: 'SEGMENT', segmentId });
    expect(await recipients(id)).toEqual(readers(2, 5));
  });

  it('leaves out contacts created after the start, and contacts of other projects', async () => {
    await insertContacts(em(), project.id, 3);
    await insertContacts(em(), await insertProject(em()), 3);
    const id = await start();
    await sql(
      em(),
      `insert into contacts (id, project_id, email, created_at)
       values (uuidv7(), $1, 'late@example.com', now() + interval '1 second')`,
      [project.id],
    );
    while (!(await freezeAudience(em(), id, 2)));
    expect(await recipients(id)).toEqual(readers(1, 2, 3));
  });

  it('includes contacts created before the start by a clock that is ahead', async () => {
    await insertContacts(em(), project.id, 3);
    await sql(
      em(),
      `update contacts set created_at = now() + interval '1 minute'
       where project_id = $1 and email = 'reader-2@example.com'`,
      [project.id],
    );
    const id = await start();
    while (!(await freezeAudience(em(), id, 2)));
    expect(await recipients(id)).toEqual(readers(1, 3, 2));
  });

  it('is complete when nobody is in it', async () => {
    const id = await start();
    expect(await freezeAudience(em(), id, 100, 500)).toBe(true);
    expect(await row(id)).toEqual({ totalRecipients: 0, frozenAt: expect.any(Date) });
    expect(await batches(id)).toEqual([]);
  });

  it('makes nobody a recipient twice, however many freeze at once', async () => {
    await insertContacts(em(), project.id, 900);
    const id = await start();
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        while (!(await freezeAudience(em(), id, 70, 500)));
      }),
    );
    expect(await recipients(id)).toHaveLength(900);
    expect(await batches(id)).toMatchObject([{ found: 500 }, { found: 400 }]);
  });

  it('stops when the campaign ends', async () => {
    await insertContacts(em(), project.id, 100);
    const id = await start();
    expect(await freezeAudience(em(), id, 40)).toBe(false);
    await cancelCampaign(em(), id);
    expect(await freezeAudience(em(), id, 40)).toBe(true);
    expect(await recipients(id)).toHaveLength(40);
  });
});
