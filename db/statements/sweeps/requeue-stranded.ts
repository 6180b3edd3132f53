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
