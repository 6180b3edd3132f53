import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';

const batchRows = 1_000;

/**
 * Deletes contents past their retention, in one transaction per batch; senders, subjects and times stay.
 *
 * @returns the number of emails changed
 */
export async function dropInboundContents(em: Em, retentionDays: number): Promise<number> {
  let total = 0;
  for (;;) {
    const dropped = await execute(
      em,
      `update inbound_emails set text = null, html = null, attachments = '[]', has_content = false
       where id = any(array(
         select id from inbound_emails
         where has_content and created_at < now() - make_interval(days => $1) limit ${batchRows}))`,
      [retentionDays],
    );
    total += dropped;
    if (dropped < batchRows) return total;
  }
}
