import { v7 as uuidv7 } from 'uuid';
import { emailsPerClaim } from '../core/campaign-batches.ts';
import { claimCampaignEmails } from '../db/statements/campaigns/claim-campaign-emails.ts';
import { freezeAudience } from '../db/statements/campaigns/freeze-audience.ts';
import { readCampaignBatch } from '../db/statements/campaigns/read-campaign-batch.ts';
import type { ClaimedEmail } from '../db/statements/emails/claimed-email.ts';
import { type HandOverRecord, recordHandOvers } from '../db/statements/emails/hand-overs.ts';
import { loadContents } from '../db/statements/emails/load-contents.ts';
import { sql } from '../db/testing/sql.ts';
import { freePort } from '../local/testing/free-port.ts';
import type { HandOver, OutgoingEmail } from '../providers/email/email-provider.ts';
import { createClaimedRenderer } from '../temporal/activities/sending/render-claimed.ts';
import { cpuSecondsOf } from './bench-process.ts';
import { type BenchStack, withBenchStack } from './bench-stack.ts';
import { campaignContent } from './campaign-content.ts';
import { fillContacts } from './campaign-run.ts';
import { createBenchProvider, registerSender } from './ses-calls.ts';

const recipients = 10_000;
const emailsPerCall = 50;
const callsAtOnce = 8;

export interface CampaignPart {
  what: string;
  ratePerSecond: number;
  /** Microseconds per email. */
  cpu: number;
}

async function insertCampaign({ orm, project }: BenchStack): Promise<string> {
  const [id, contentId] = [uuidv7(), uuidv7()];
  const em = orm.em.fork();
  const from = `news@${project.domain}`;
  const { subject, body } = campaignContent;
  await sql(
    em,
    `insert into message_contents (id, project_id, subject, body, from_email) values ($1, $2, $3, $4, $5)`,
    [contentId, project.id, subject, body, from],
  );
  await sql(
    em,
    `insert into campaigns
       (id, project_id, name, subject, body, from_email, type, status, audience_type, content_id, started_at)
     values ($1, $2, 'Parts', $3, $4, $5, 'MARKETING', 'SENDING', 'ALL', $6, clock_timestamp())`,
    [id, project.id, subject, body, from, contentId],
  );
  return id;
}

async function claimAll({ orm }: BenchStack, campaignId: string): Promise<Map<string, ClaimedEmail[]>> {
  const claims = new Map<string, ClaimedEmail[]>();
  for (let number = 1; ; number += 1) {
    const batch = await readCampaignBatch(orm.em.fork(), campaignId, number);
    if (batch === undefined) return claims;
    for (let { firstEmailId } = batch; ; ) {
      const [token, rest] = [uuidv7(), { ...batch, firstEmailId }];
      const claimed = await claimCampaignEmails(orm.em.fork(), rest, emailsPerClaim, token);
      const last = claimed.at(-1);
      if (last === undefined) break;
      claims.set(token, claimed);
      firstEmailId = last.id;
    }
  }
}

function toRecord(email: OutgoingEmail, answer: HandOver | undefined): HandOverRecord {
  if (answer?.outcome !== 'accepted')
    throw new Error(`The local SES answered ${JSON.stringify(answer ?? null)}`);
  return {
    emailId: email.emailId,
    status: 'SENT',
    messageId: answer.messageId,
    reason: null,
    subject: email.subject,
    eventId: uuidv7(),
    occurredAt: new Date(),
  };
}

/**
 * Sends a campaign step by step, each step over all emails before the next one begins, to find the limit of each part
 * alone. No Temporal, no worker.
 */
export function measureParts(): Promise<CampaignPart[]> {
  return withBenchStack(async (stack) => {
    const ses = await stack.startSes(await freePort());
    await registerSender(ses.url, stack.project.domain);
    await fillContacts(stack, recipients);
    return measureOn(stack, ses);
  });
}

async function measureOn(stack: BenchStack, ses: { pid: number; url: string }): Promise<CampaignPart[]> {
  const { orm, postgresPid } = stack;
  const parts: CampaignPart[] = [];
  const own = () => process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6;
  const campaignId = await insertCampaign(stack);

  async function measure<Result>(what: string, cpu: () => number, work: () => Promise<Result>) {
    const [cpuBefore, startedAt] = [cpu(), performance.now()];
    const result = await work();
    const seconds = (performance.now() - startedAt) / 1000;
    const used = cpu() - cpuBefore;
    parts.push({ what, ratePerSecond: recipients / seconds, cpu: (used / recipients) * 1e6 });
    return result;
  }

  const ofPostgres = () => cpuSecondsOf(postgresPid);
  await measure('freezing, one connection', ofPostgres, async () => {
    while (!(await freezeAudience(orm.em.fork(), campaignId, 10_000)));
  });
  const claims = await measure('claiming, one connection', ofPostgres, () => claimAll(stack, campaignId));
  const claimed = [...claims.values()].flat();

  const contents = await loadContents(orm.em.fork(), [claimed[0]?.contentId ?? '']);
  const stored = [...contents.values()][0];
  const config = {
    API_URL: 'https://api.example.com',
    HOST: '127.0.0.1',
    PORT: 8080,
    APP_SECRET: 'a secret',
  };
  const render = createClaimedRenderer(config, 'many');
  const rendered = await measure('rendering, one core', own, async () =>
    claimed.map((email) => {
      const result = render(email, stored);
      if (!result.ok) throw new Error(result.reason);
      return result.email;
    }),
  );

  const provider = createBenchProvider(ses.url);
  const answers = new Map<string, HandOverRecord>();
  const handOver = async () => {
    let next = 0;
    const lane = async () => {
      while (next < rendered.length) {
        const group = rendered.slice(next, next + emailsPerCall);
        next += emailsPerCall;
        const outcomes = await provider.handOverMany(group, new AbortController().signal);
        for (const [index, email] of group.entries())
          answers.set(email.emailId, toRecord(email, outcomes[index]));
      }
    };
    await Promise.all(Array.from({ length: callsAtOnce }, lane));
  };
  const sesBefore = cpuSecondsOf(ses.pid);
  await measure('handing over, the SES client in one process', own, handOver);
  const ofSes = cpuSecondsOf(ses.pid) - sesBefore;
  const what = 'taking them, the local SES in one process';
  parts.push({ what, ratePerSecond: recipients / ofSes, cpu: (ofSes / recipients) * 1e6 });
  await provider.close();

  await measure('recording, one connection', ofPostgres, async () => {
    for (const [token, group] of claims) {
      const records = group.flatMap(({ id }) => answers.get(id) ?? []);
      await recordHandOvers(orm.em.fork(), token, records);
    }
  });
  return parts;
}
