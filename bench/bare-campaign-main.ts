import { createHmac } from 'node:crypto';
import { Liquid } from 'liquidjs';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import type { OutgoingEmail } from '../providers/email/email-provider.ts';
import type { BareCampaign, BareResult } from './bare-campaign.ts';
import { createBenchProvider } from './ses-calls.ts';

/**
 * The process of the skeleton: five bare statements per campaign, without Temporal, cancel, quota, figures, retries or
 * protection against hostile templates. Reads its task from the environment and writes its result as a line of JSON.
 */
const { databaseUrl, sesUrl, projectId, domain, subject, body, text }: BareCampaign = JSON.parse(
  process.env.BARE_CAMPAIGN ?? '',
);

const lanes = 4;
const emailsPerClaim = 500;
const emailsPerCall = 50;

const freezeSql = `
insert into bare_emails (id, project_id, contact_id, content_id, source, type, campaign_id, to_email, from_email)
select uuidv7(), c.project_id, c.id, $2, 'CAMPAIGN', 'MARKETING', $2, c.email, $3
from contacts c where c.project_id = $1 and c.subscribed`;

const claimSql = `
with due as materialized (
  select id from bare_emails where id > $1 and status = 'QUEUED' order by id limit $2 for update skip locked
),
claimed as (
  update bare_emails e set status = 'SENDING', claim_token = $3, claimed_at = now(), attempts = attempts + 1
  from due where e.id = due.id
  returning e.id, e.contact_id, e.to_email
)
select e.id, e.to_email as "to", c.id as "contactId", c.data
from claimed e join contacts c on c.id = e.contact_id order by e.id`;

const recordSql = `
with outcome as (
  select * from unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[]) as t(id, message_id, subject, event_id)
),
recorded as (
  update bare_emails e
  set status = 'SENT', sent_at = now(), message_id = o.message_id, subject = o.subject, reason = null
  from outcome o where e.id = o.id and e.claim_token = $5
  returning e.id, e.project_id, e.contact_id, e.campaign_id, e.message_id, e.subject, o.event_id
)
insert into bare_events (id, project_id, name, kind, contact_id, email_id, campaign_id, data, occurred_at)
select event_id, project_id, 'email.sent', 'emitted', contact_id, id, campaign_id,
  jsonb_build_object('emailId', id, 'messageId', message_id, 'subject', subject, 'campaignId', campaign_id), now()
from recorded`;

interface Claimed {
  id: string;
  to: string;
  contactId: string;
  data: Record<string, unknown>;
}

// Like the product's connections for prepared statements: their plans must not scan whole tables.
const pool = new pg.Pool({
  connectionString: databaseUrl,
  max: lanes,
  options: '-c enable_seqscan=off -c enable_mergejoin=off -c enable_hashjoin=off',
});
const run = <Row extends pg.QueryResultRow>(name: string, query: string, values: unknown[]) =>
  pool.query<Row>({ name, text: query, values });
const provider = createBenchProvider(sesUrl);
const signal = new AbortController().signal;
const key = Buffer.alloc(32, 1);
const plain = new Liquid();
const escaping = new Liquid({ outputEscape: 'escape' });
const templates = { subject: plain.parse(subject), html: escaping.parse(body), text: plain.parse(text) };

function render({ id, to, contactId, data }: Claimed): OutgoingEmail {
  const token = createHmac('sha256', key).update(`${contactId} ${id}`).digest('base64url');
  const url = `http://127.0.0.1:8080/unsubscribe/${token}`;
  const variables = { ...data, id: contactId, email: to, unsubscribeUrl: url };
  return {
    emailId: id,
    projectId,
    from: { email: `news@${domain}`, name: null },
    to: { email: to, name: null },
    replyTo: null,
    subject: String(plain.renderSync(templates.subject, variables)),
    html: String(escaping.renderSync(templates.html, variables)),
    text: String(plain.renderSync(templates.text, variables)),
    headers: { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
    attachments: [],
  };
}

async function handOver(claimed: Claimed[]): Promise<{ emails: OutgoingEmail[]; messageIds: string[] }> {
  const emails = claimed.map(render);
  const outcomes = await provider.handOverMany(emails, signal);
  const messageIds = outcomes.map((answer) => {
    if (answer.outcome !== 'accepted') throw new Error(`The local SES answered ${JSON.stringify(answer)}`);
    return answer.messageId;
  });
  return { emails, messageIds };
}

const ready = await pool.connect();
ready.release();
const [cpuBefore, startedAt] = [process.cpuUsage(), performance.now()];
const campaignId = uuidv7();
const { rowCount } = await run('freeze', freezeSql, [projectId, campaignId, `news@${domain}`]);
let last = '00000000-0000-0000-0000-000000000000';

async function lane(): Promise<void> {
  for (;;) {
    const token = uuidv7();
    const { rows } = await run<Claimed>('claim', claimSql, [last, emailsPerClaim, token]);
    const end = rows.at(-1);
    if (end === undefined) return;
    if (end.id > last) last = end.id;
    const groups = Array.from({ length: Math.ceil(rows.length / emailsPerCall) }, (_, index) =>
      rows.slice(index * emailsPerCall, (index + 1) * emailsPerCall),
    );
    const answers = await Promise.all(groups.map(handOver));
    const emails = answers.flatMap((answer) => answer.emails);
    await run('record', recordSql, [
      emails.map(({ emailId }) => emailId),
      answers.flatMap(({ messageIds }) => messageIds),
      emails.map((email) => email.subject),
      emails.map(() => uuidv7()),
      token,
    ]);
  }
}
await Promise.all(Array.from({ length: lanes }, lane));
const { user, system } = process.cpuUsage(cpuBefore);
const result: BareResult = {
  emails: rowCount ?? 0,
  seconds: (performance.now() - startedAt) / 1000,
  cpuMicros: user + system,
};
await Promise.all([pool.end(), provider.close()]);
console.log(JSON.stringify(result));
