import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';

/**
 * Signals the workflows of all campaigns that are sending or due, which restarts lost ones. On running workflows the
 * signal only adds to the history, which holds 10,000 signals: after an hour, only every tenth minute.
 *
 * @returns the number of signals
 */
export function remindCampaigns(em: Em): Promise<number> {
  return execute(
    em,
    `insert into outbox (id, kind, subject_id, project_id)
     select uuidv7(), 'campaign.changed', k.id, k.project_id
     from campaigns k
     where (k.status = 'SENDING' and k.updated_at < now() - interval '1 minute'
         and (k.updated_at > now() - interval '1 hour'
           or extract(epoch from now() - k.updated_at)::int / 60 % 10 = 0)
         or k.status = 'SCHEDULED' and k.scheduled_for < now() - interval '10 seconds')
       and not exists (select from outbox o where o.kind = 'campaign.changed' and o.subject_id = k.id)`,
  );
}

/**
 * Signals the workflows of canceled campaigns with emails left to settle, which restarts lost ones: until then the
 * campaign can't be deleted. Reads all campaigns, so call it hourly.
 *
 * @returns the number of signals
 */
export function remindCancelledCampaigns(em: Em): Promise<number> {
  return execute(
    em,
    `insert into outbox (id, kind, subject_id, project_id)
     select uuidv7(), 'campaign.changed', k.id, k.project_id
     from campaigns k
     where k.status = 'CANCELLED' and k.cancelled_at < now() - interval '1 hour'
       and exists (select from campaign_batches b where b.campaign_id = k.id and b.ended_at is null)
       and not exists (select from outbox o where o.kind = 'campaign.changed' and o.subject_id = k.id)`,
  );
}
