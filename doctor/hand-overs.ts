import { z } from 'zod';
import { failedEmailSql } from '../db/entities/email.ts';
import { firstUuidAtSql } from '../db/fragments/uuid-at-sql.ts';
import { type Finding, presentAge, reporter } from './finding.ts';
import type { ReadOnly } from './read-only.ts';

const report = reporter('Sending');

const mostProjects = 10_000;
const mostOfProject = 1_000;
/** Beside the newest: the newest of a busy project are always young. */
const oldestOfProject = 50;
const mostEmails = 20_000;
const reasonsShown = 5;
/** As in the alert PosthasteProviderRefuses: single addresses are refused all the time. */
const mostRefused = 20;
/** By then, emails that a provider deferred briefly have left. */
const lateSeconds = 600;

const heldRow = z.object({
  status: z.enum(['QUEUED', 'FAILED']),
  reason: z.string(),
  count: z.int(),
  oldestSeconds: z.number(),
});

// Uses the index emails_failed, whose predicate this repeats.
const heldOfProjectSql = `select id, status, reason from emails
  where project_id = p.id and id >= ${firstUuidAtSql(`now() - interval '1 day'`)} and (${failedEmailSql})`;

// Addresses are cut out: they are personal data, and would keep otherwise equal reasons apart.
const heldSql = `
select e.status, left(regexp_replace(e.reason, '[^\\s<>"'':;,]+@[^\\s<>"'':;,]+', '…', 'g'), 200) as reason,
  count(*)::int as count,
  extract(epoch from now() - uuid_extract_timestamp((array_agg(e.id order by e.id))[1]))::float8 as "oldestSeconds"
from (
  select latest.* from (select id from projects where not disabled limit ${mostProjects}) p
  cross join lateral (
    (${heldOfProjectSql} order by id desc limit ${mostOfProject})
    union
    (${heldOfProjectSql} order by id limit ${oldestOfProject})
  ) latest
  limit ${mostEmails}
) e
where e.reason is not null and e.status in ('QUEUED', 'FAILED')
group by 1, 2
having e.status = 'QUEUED' or count(*) > ${mostRefused}
order by 3 desc limit ${reasonsShown}`;

/** What keeps the emails of the last day from leaving, according to the provider's answers. */
export async function checkHandOvers({ ask }: Pick<ReadOnly, 'ask'>): Promise<Finding[]> {
  const rows = await ask(heldRow, heldSql);
  if (rows.length === 0) return [report.ok('no email of the last day is deferred')];
  return rows.map(({ status, reason, count, oldestSeconds }) => {
    const emails = `${count >= mostOfProject ? 'at least ' : ''}${count} emails`;
    if (status === 'FAILED') {
      return report.warning(`${emails} of the last day failed: ${reason}`, 'docs: "Emails fail".');
    }
    const text = `${emails} are deferred, the oldest for ${presentAge(oldestSeconds)}: ${reason}`;
    const remedy = 'They are retried automatically. docs: "SES throttles or pauses".';
    return oldestSeconds < lateSeconds ? report.warning(text, remedy) : report.error(text, remedy);
  });
}

const silentMinutes = 15;
const fewestSilent = 20;
const newestEmails = 1_000;

// Of the newest emails of the last day, whatever became of them, so that a long queue is not read through.
const silentSql = `
select count(*)::int as sent, count(coalesce(delivered_at, bounced_at, complained_at))::int as reported
from (
  select sent_at, delivered_at, bounced_at, complained_at from (
    select * from emails where id >= ${firstUuidAtSql(`now() - interval '1 day'`)}
    order by id desc limit ${newestEmails}
  ) newest
  where sent_at < now() - interval '${silentMinutes} minutes'
  order by id desc limit ${fewestSilent}
) e`;

/** Checks that events of SES arrive. Without them, bounces and complaints are not recorded. */
export async function checkEvents({ ask }: Pick<ReadOnly, 'ask'>): Promise<Finding[]> {
  const [row] = await ask(z.object({ sent: z.int(), reported: z.int() }), silentSql);
  if (row === undefined || row.sent < fewestSilent || row.reported > 0) return [];
  return [
    report.error(
      `SES sent no event about the newest ${row.sent} emails that left more than ${silentMinutes} minutes ago`,
      'Bounces and complaints are not recorded. docs: "No delivery events arrive".',
    ),
  ];
}
