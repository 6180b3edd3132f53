import { z } from 'zod';
import { campaignCounters, counterTimes } from '../../../core/campaign-rates.ts';
import { emailStatuses } from '../../../core/email-state.ts';
import { nilId } from '../../../core/nil-id.ts';
import type { RecipientOutcome } from '../../../core/recipient-outcomes.ts';
import { recordOf } from '../../../core/record-of.ts';
import { counterTimesSql } from '../../fragments/campaign-figures-sql.ts';
import { firstEventIdSince } from '../../fragments/first-event-since.ts';
import type { Em } from '../../orm.ts';
import { type Scan, scanPage } from '../../scan-page.ts';
import { query, queryColumn } from '../../sql.ts';

const recipientRow = z.object({
  emailId: z.uuid(),
  contactId: z.uuid(),
  email: z.string(),
  status: z.enum(emailStatuses),
  reason: z.string().nullable(),
  ...recordOf(counterTimes, () => z.date().nullable()),
  opens: z.int(),
  clicks: z.int(),
});

export type Recipient = z.output<typeof recipientRow>;

/**
 * Looked up in the history of the contact by its time. The journal has the hard bounce that was reported first, which
 * may be later than an earlier one that was reported after it.
 */
const bounceSql = `(select b.data ->> 'diagnostic' from events b where e.bounced_at is not null
  and b.project_id = e.project_id and b.name = 'email.bounce' and b.contact_id = e.contact_id
  and b.occurred_at >= e.bounced_at and b.kind <> 'activity' and b.email_id = e.id
  and b.data ->> 'bounceType' = 'Permanent' and b.id >= $4 limit 1)`;
const columns = `e.id as "emailId", e.contact_id as "contactId", e.to_email as email, e.status,
  coalesce(e.reason, ${bounceSql}) as reason, ${counterTimesSql('e')}, e.opens, e.clicks`;

const outcomeSql: Readonly<Record<RecipientOutcome, string>> = {
  ...recordOf(campaignCounters, (name) => `${name}_at is not null`),
  unopened: 'delivered_at is not null and opened_at is null',
  failed: `sent_at is null and status = 'FAILED'`,
  skipped: `sent_at is null and status in ('SUPPRESSED', 'CANCELLED')`,
  pending: `sent_at is null and status in ('QUEUED', 'SENDING', 'UNKNOWN')`,
};

const adverseSql = '(bounced_at is not null or complained_at is not null or unsubscribed_at is not null)';
const withheldSql = 'reason is not null';

/** Predicates of the partial indexes `emails_campaign_adverse` and `emails_campaign_withheld`. */
const indexedSql: Partial<Record<RecipientOutcome, string>> = {
  bounced: adverseSql,
  complained: adverseSql,
  unsubscribed: adverseSql,
  failed: withheldSql,
  skipped: withheldSql,
};

/** Recipients scanned for one page of an outcome, in some 50 ms. */
export const recipientsPerScan = 20_000;

export interface RecipientQuery {
  campaignId: string;
  /** When the campaign was created: its events are no older. */
  since: Date;
  outcome: RecipientOutcome | undefined;
  after: string | undefined;
  limit: number;
}

/**
 * A keyset page of a campaign's recipients, ordered by contact id; erased contacts are left out. With an outcome, it
 * scans at most `perScan` recipients, or entries of the index for that outcome.
 */
export async function listRecipients(
  em: Em,
  search: RecipientQuery,
  perScan = recipientsPerScan,
): Promise<Scan<Recipient, string>> {
  if (search.outcome === undefined) {
    return { rows: await readPage(em, search, undefined), scannedUntil: undefined };
  }
  return scanPage(
    search.limit,
    () => findEnd(em, search, perScan),
    (end) => readPage(em, search, end),
  );
}

const amongSql = ({ outcome }: RecipientQuery) =>
  `campaign_id = $1 and contact_id > $2 and ${(outcome && indexedSql[outcome]) ?? 'true'}`;

function readPage(em: Em, search: RecipientQuery, end: string | undefined): Promise<Recipient[]> {
  const { campaignId, since, outcome, after = nilId, limit } = search;
  const sql = `select ${columns} from (
       select * from emails where ${amongSql(search)} and ${end === undefined ? 'true' : 'contact_id <= $5'}
         and ${outcome === undefined ? 'true' : outcomeSql[outcome]}
       order by contact_id limit $3
     ) e
     order by e.contact_id`;
  const parameters = [
    campaignId,
    after,
    limit,
    firstEventIdSince(since),
    ...(end === undefined ? [] : [end]),
  ];
  return query(em, recipientRow, sql, parameters);
}

async function findEnd(em: Em, search: RecipientQuery, perScan: number): Promise<string | undefined> {
  const { campaignId, after = nilId } = search;
  const sql = `select contact_id as id from emails where ${amongSql(search)} order by contact_id offset $3 limit 1`;
  const [last] = await queryColumn(em, z.uuid(), sql, [campaignId, after, perScan - 1]);
  return last;
}
