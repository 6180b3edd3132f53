import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { RecipientOutcome } from '../../../core/recipient-outcomes.ts';
import { afterFirstQuery } from '../../../test/setup/after-first-query.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { providerEvent } from '../../../test/setup/inputs.ts';
import { insertProject } from '../../../test/setup/projects.ts';
import { applyProviderEvents } from '../emails/apply-provider-events.ts';
import { listRecipients } from './list-recipients.ts';

const { em, sql } = useTestDatabase(2);

/** A campaign with 100 recipients. */
async function fill(): Promise<string> {
  const [campaignId, projectId] = [randomUUID(), await insertProject(em())];
  await sql(
    `insert into emails (id, project_id, campaign_id, contact_id, source, to_email, from_email, status, reason, sent_at, opened_at)
     select uuidv7(), $1, $2, uuidv7(make_interval(secs => n)), 'CAMPAIGN', n || '@example.com', 'a@b.example', status,
       case when status in ('FAILED', 'CANCELLED') then 'why' end, case when status = 'OPENED' then now() end,
       case when status = 'OPENED' then now() end
     from generate_series(1, 100) n
     cross join lateral (select case when n in (7, 22, 95) then 'OPENED' when n in (50, 99) then 'FAILED' when n = 98
       then 'CANCELLED' else 'QUEUED' end as status) s`,
    [projectId, campaignId],
  );
  return campaignId;
}

async function listAll(
  campaignId: string,
  outcome: RecipientOutcome,
): Promise<{ names: string[]; looks: number }> {
  const names: string[] = [];
  let [after, looks]: [string | undefined, number] = [undefined, 0];
  do {
    const search = { campaignId, since: new Date('2026-01-01'), outcome, after, limit: 3 };
    const { rows, scannedUntil } = await listRecipients(em(), search, 20);
    names.push(...rows.map(({ email }) => email.replace('@example.com', '')));
    after = rows.length === 3 ? rows.at(-1)?.contactId : scannedUntil;
    looks += 1;
  } while (after !== undefined);
  return { names, looks };
}

it('scans the recipients part by part for rare outcomes; failed and withheld ones are indexed', async () => {
  const campaignId = await fill();
  expect(await listAll(campaignId, 'opened')).toEqual({ names: ['7', '22', '95'], looks: 6 });
  expect(await listAll(campaignId, 'failed')).toEqual({ names: ['50', '99'], looks: 1 });
  expect(await listAll(campaignId, 'skipped')).toEqual({ names: ['98'], looks: 1 });
  expect((await listAll(campaignId, 'pending')).names).toHaveLength(94);
});

it('says why an email bounced, also when an earlier hard bounce of it is reported later', async () => {
  const campaignId = await fill();
  const select = `select id from emails where campaign_id = $1 and status = 'QUEUED' limit 1`;
  const [{ id: emailId } = { id: '' }] = await sql<{ id: string }>(select, [campaignId]);
  const now = Date.now();
  for (const [seconds, bounceType, diagnostic] of [
    [2, 'Permanent', 'user unknown'],
    [1, 'Permanent', 'no such mailbox'],
    [3, 'Transient', 'mailbox full'],
  ] as const) {
    const occurredAt = new Date(now + seconds * 1_000);
    await applyProviderEvents(em(), [
      providerEvent(emailId, 'bounce', { occurredAt, bounceType, diagnostic }),
    ]);
  }
  const search = { campaignId, since: new Date('2026-01-01'), after: undefined, limit: 3 };
  const { rows } = await listRecipients(em(), { ...search, outcome: 'bounced' });
  expect(rows).toMatchObject([{ emailId, bouncedAt: new Date(now + 1_000), reason: 'user unknown' }]);
});

it('misses nobody when others are erased while it reads a page', async () => {
  const campaignId = await fill();
  const erased = ['1@example.com', '2@example.com', '3@example.com'];
  afterFirstQuery(em(), () =>
    sql('delete from emails where campaign_id = $1 and to_email = any($2)', [campaignId, erased]),
  );
  expect((await listAll(campaignId, 'opened')).names).toEqual(['7', '22', '95']);
});
