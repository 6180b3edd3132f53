import { firstUuidAtSql } from '../../fragments/uuid-at-sql.ts';
import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';

const agoSql = (seconds: string) => firstUuidAtSql(`now() - make_interval(secs => ${seconds})`);

/**
 * Queues a command for each non-campaign email that was accepted between `fromSeconds` and `toSeconds` ago, has not
 * been sent and has no command, for example after a batch workflow was terminated by hand. A duplicate command for an
 * email of a live batch does no harm.
 *
 * @returns the number of emails
 */
export function requeueStrandedEmails(em: Em, fromSeconds: number, toSeconds: number): Promise<number> {
  const sql = `insert into outbox (id, kind, subject_id, project_id)
     select uuidv7(), 'email.dispatch', e.id, e.project_id
     from emails e
     where e.id between ${agoSql('$1')} and ${agoSql('$2')}
       and e.source <> 'CAMPAIGN'
       and (e.status in ('QUEUED', 'SENDING') or (e.status = 'UNKNOWN' and e.attempts < 2))
       and not exists (select from outbox o where o.subject_id = e.id)
       and not exists (
         select from waiting_emails w
         where w.project_id = e.project_id and w.email_id = e.id and w.seen_at > now() - interval '5 minutes'
       )`;
  return execute(em, sql, [fromSeconds, toSeconds]);
}

const batchRows = 1_000;

/**
 * Queues a command for up to 1,000 received emails that have waited for more than an hour. They are chosen at random:
 * the oldest may be waiting for their bucket, for days, and would take every place.
 */
// A statement, because it finds and writes rows without reading them into the process.
export function requeueStrandedInbound(em: Em): Promise<number> {
  const sql = `insert into outbox (id, kind, subject_id, project_id)
     select uuidv7(), 'inbound.receive', i.id, i.project_id
     from (
       select id, project_id from inbound_emails
       where status = 'PENDING' and created_at < now() - interval '1 hour'
       order by random() limit ${batchRows}
     ) i
     where not exists (select from outbox o where o.subject_id = i.id)`;
  return execute(em, sql);
}

/**
 * Signals the workflows of all campaigns that are sending or due, which restarts lost ones. On running workflows the
 * signal only adds to the history, which holds 10,000 signals: after an hour, only every tenth minute.
 *
 * @returns the number of signals
 */
export const remindCampaigns = (em: Em): Promise<number> =>
  signalCampaigns(
    em,
    `(k.status = 'SENDING' and k.updated_at < now() - interval '1 minute'
         and (k.updated_at > now() - interval '1 hour'
           or extract(epoch from now() - k.updated_at)::int / 60 % 10 = 0)
       or k.status = 'SCHEDULED' and k.scheduled_for < now() - interval '10 seconds')`,
  );

/**
 * Signals the workflows of canceled campaigns with emails left to settle, which restarts lost ones: until then the
 * campaign can't be deleted. Reads all campaigns, so call it hourly.
 *
 * @returns the number of signals
 */
export const remindCancelledCampaigns = (em: Em): Promise<number> =>
  signalCampaigns(
    em,
    `k.status = 'CANCELLED' and k.cancelled_at < now() - interval '1 hour'
       and exists (select from campaign_batches b where b.campaign_id = k.id and b.ended_at is null)`,
  );

/** @param where condition on `campaigns k` */
const signalCampaigns = (em: Em, where: string): Promise<number> =>
  execute(
    em,
    `insert into outbox (id, kind, subject_id, project_id)
     select uuidv7(), 'campaign.changed', k.id, k.project_id
     from campaigns k
     where ${where}
       and not exists (select from outbox o where o.kind = 'campaign.changed' and o.subject_id = k.id)`,
  );

const maxSignals = 10_000;

/**
 * Wakes executions that are at least `lateSeconds` late: their wait is over, or they are running without a wait.
 * Temporal lost their workflow run, or it is slow (a call may take minutes). To avoid adding to an overload, each
 * execution is signaled after one and two times `lateSeconds`, and then once per six times. Projects share the 10,000
 * signals of a call: one with more late executions does not hold up those of others.
 *
 * @param lateSeconds twice the interval between two calls
 * @returns the number of signals
 */
export function signalLateExecutions(em: Em, lateSeconds: number): Promise<number> {
  const sql = `with late as (
       select id, project_id, resume_at as due_at from workflow_executions where resume_at < now() - make_interval(secs => $1)
       union all
       select x.id, x.project_id, coalesce(r.completed_at, r.started_at, x.started_at)
       from workflow_executions x
       left join workflow_step_runs r on r.execution_id = x.id and r.visit = x.visit
       where x.status = 'RUNNING' and x.started_at < now() - make_interval(secs => $1)
     ),
     lateness as (
       select id, project_id, extract(epoch from now() - due_at)::float8 / $1 as times from late
     )
     insert into outbox (id, kind, subject_id, project_id)
     select uuidv7(), 'execution.wake', l.id, l.project_id from lateness l
     where (floor(l.times * 2) in (2, 4) or floor(l.times * 2)::bigint % 12 = 8)
       and not exists (select from outbox o where o.subject_id = l.id)
     order by row_number() over (partition by l.project_id order by l.times desc)
     limit ${maxSignals}`;
  return execute(em, sql, [lateSeconds]);
}
