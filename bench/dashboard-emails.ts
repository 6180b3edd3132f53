import type pg from 'pg';
import { inBatches, random, withoutIndexes } from './bulk-load.ts';

/** Days over which the emails are spread. */
const days = 91;
/** Large campaigns, one after the other; each goes to all contacts within an hour. */
export const largeCampaigns = 7;
/** Emails outside of the large campaigns; every fifth belongs to a small one. */
const emailsPerSmall = 10_000;
/** As `analytics-data.ts` numbers the campaigns of its events, latest first. */
export const campaignSeconds = 7 * 86_400;

export interface EmailSize {
  contacts: number;
  emails: number;
}

/** The emails are divided into as many equal parts as there are large campaigns. */
function shapeOf({ contacts, emails }: EmailSize) {
  const part = Math.floor(emails / largeCampaigns);
  const smallPerPart = Math.ceil((part - contacts) / emailsPerSmall);
  return { part, smallPerPart, campaigns: largeCampaigns * (1 + smallPerPart) };
}

/** @returns id of campaign `number`; 0 is the latest large one */
const campaignIdSql = (number: string) => `('01900000-0000-7000-8000-00000001' || lpad(
  ((floor(extract(epoch from now()) / ${campaignSeconds})::bigint - ${number} + 10000) % 10000)::text, 4, '0'))::uuid`;

/** Cumulative share of emails whose final status is at most this one. */
const statuses = [
  ['FAILED', 0.00002],
  ['SUPPRESSED', 0.004],
  ['BOUNCED', 0.012],
  ['COMPLAINED', 0.0125],
  ['SENT', 0.06],
  ['DELIVERED', 0.68],
  ['OPENED', 0.92],
] as const;
const statusSql = `case ${statuses.map(([status, upTo]) => `when u < ${upTo} then '${status}'`).join(' ')} else 'CLICKED' end`;

const after = (condition: string, seconds: number) =>
  `case when ${condition} then at + ${seconds} * ${random('n', 50)} * interval '1 s' end`;

/**
 * `offset 0` keeps computed columns from being computed again for each use. $1 to $2: emails; $3: project; $4:
 * template; $5: workflow.
 */
const emailsSql = ({ contacts }: EmailSize, { part, smallPerPart }: ReturnType<typeof shapeOf>) => `
insert into emails (id, project_id, contact_id, source, type, template_id, campaign_id, workflow_id, to_email,
  from_email, subject, status, reason, message_id, attempts, created_at, sent_at, delivered_at, opened_at, clicked_at,
  bounced_at, complained_at, unsubscribed_at, opens, clicks)
select uuidv7(at - now()), $3, r.id, source, case source when 'CAMPAIGN' then 'MARKETING' else 'TRANSACTIONAL' end,
  case when source <> 'CAMPAIGN' then $4::uuid end, ${campaignIdSql('campaign')},
  case when source = 'WORKFLOW' then $5::uuid end, r.email, 'news@sender.example.com',
  case source when 'CAMPAIGN' then 'News number ' || campaign when 'WORKFLOW' then 'Welcome to the shop'
    else 'Your order ' || n || ' has been shipped' end,
  status,
  case status when 'FAILED' then 'rejected by the provider' when 'SUPPRESSED' then 'the contact is suppressed' end,
  case when is_sent then '0100019' || to_hex(n) || '-' || md5(n::text) || '-000000' end, 1, at,
  ${after('is_sent', 60)}, ${after(`status in ('DELIVERED', 'OPENED', 'CLICKED', 'COMPLAINED')`, 120)},
  ${after(`status in ('OPENED', 'CLICKED')`, 86_400)}, ${after(`status = 'CLICKED'`, 90_000)},
  ${after(`status = 'BOUNCED'`, 120)}, ${after(`status = 'COMPLAINED'`, 90_000)},
  ${after(`status = 'CLICKED' and u > 0.997`, 100_000)},
  (status in ('OPENED', 'CLICKED'))::int, (status = 'CLICKED')::int
from (
  select *, ${statusSql} as status, u >= 0.004 as is_sent,
    now() + (-${days} + (p + share) * ${days}::float8 / ${largeCampaigns}) * interval '1 day' as at,
    case source when 'CAMPAIGN' then
      case when m < ${contacts} then ${largeCampaigns - 1} - p
      else ${largeCampaigns} + (${largeCampaigns - 1} - p) * ${smallPerPart} + (m - ${contacts}) / ${emailsPerSmall} end
    end as campaign,
    case when m < ${contacts} then m + 1 else 1 + (m * 7919) % ${contacts} end as k
  from (
    select n, p, m, ${random('n', 40)} as u,
      case when m < ${contacts} or m % 10 > 7 then 'CAMPAIGN' when m % 10 > 5 then 'WORKFLOW' else 'TRANSACTIONAL' end
        as source,
      case when m < ${contacts} then 0.003 * m / ${contacts}::float8
        else 0.003 + 0.997 * (m - ${contacts}) / (${part} - ${contacts})::float8 end as share
    from generate_series($1::bigint, $2::bigint) n
    cross join lateral (select n / ${part} as p, n % ${part} as m) at_part
    where n / ${part} < ${largeCampaigns}
    offset 0
  ) placed
  offset 0
) made
join bench_recipients r using (k)`;

/** HTML as long as that of a newsletter; a repeating text would compress to almost nothing. */
export const bodySql = `(select '<p>' || string_agg(md5((n + line)::text), '</p><p>') || '</p>'
  from generate_series(1, 400) line)`;

const campaignsSql = `
insert into campaigns (id, project_id, name, subject, body, from_email, type, status, audience_type, total_recipients,
  started_at, sent_at, frozen_at, created_at, updated_at)
select ${campaignIdSql('n')}, $1, 'Campaign ' || n, 'News number ' || n, ${bodySql}, 'news@sender.example.com',
  'MARKETING', case when n < $2 then 'SENT' else 'DRAFT' end, 'ALL', 0,
  case when n < $2 then at end, case when n < $2 then at end, case when n < $2 then at end, at, at
from generate_series(0, $3::int - 1) n
cross join lateral (select now() - (n + 1) * interval '6 hours' as at) dated`;

/** Reads the emails only once. */
const sumsSql = `
create temporary table bench_sums as
select campaign_id, count(*) as recipients, count(sent_at) as sent, count(delivered_at) as delivered, count(opened_at) as opened,
  count(clicked_at) as clicked, count(bounced_at) as bounced, count(complained_at) as complained,
  count(unsubscribed_at) as unsubscribed, encode(min(uuid_send(id)), 'hex')::uuid as first_id,
  encode(max(uuid_send(id)), 'hex')::uuid as last_id
from emails where campaign_id is not null group by campaign_id`;

const figuresSql = `
insert into campaign_figures (campaign_id, sent, delivered, opened, clicked, bounced, complained, unsubscribed, held)
select campaign_id, sent, delivered, opened, clicked, bounced, complained, unsubscribed, recipients - sent from bench_sums`;

const totalsSql =
  'update campaigns c set total_recipients = s.recipients from bench_sums s where s.campaign_id = c.id';

/** The email log finds the emails of a campaign through these. */
const batchesSql = `
insert into campaign_batches (campaign_id, number, first_email_id, last_email_id, recipients, ended_at)
select campaign_id, 0, first_id, last_id, recipients, now() from bench_sums`;

/**
 * Fills `emails` and `campaigns` of a project that has its contacts, plus some drafts. Leaves the table
 * `bench_recipients` (k, id, email), which numbers the contacts of the project.
 */
export async function fillEmails(
  clients: readonly [pg.Client, ...pg.Client[]],
  { projectId, templateId, workflowId }: { projectId: string; templateId: string; workflowId: string },
  size: EmailSize,
): Promise<void> {
  const [client] = clients;
  const shape = shapeOf(size);
  const drafts = 50;
  await client.query(
    `create unlogged table bench_recipients as
     select row_number() over (order by id) as k, id, email from contacts where project_id = $1`,
    [projectId],
  );
  await client.query('analyze bench_recipients');
  await withoutIndexes(client, 'emails', () =>
    inBatches(size.emails, 500_000, clients, (lane, from, to) =>
      lane.query(emailsSql(size, shape), [from - 1, to - 1, projectId, templateId, workflowId]),
    ),
  );
  await client.query(campaignsSql, [projectId, shape.campaigns, shape.campaigns + drafts]);
  await client.query(sumsSql);
  for (const statement of [figuresSql, totalsSql, batchesSql]) await client.query(statement);
}
