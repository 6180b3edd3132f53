import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';

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
