import type { CampaignCounters } from '../../../core/campaign-rates.ts';
import type { CampaignStatus } from '../../../core/campaign-state.ts';
import type { CampaignRow } from '../../entities/campaign.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';
import { containsSql, foldedSql } from '../contacts/text-search.ts';
import { campaignCounters } from './campaign-figures.ts';

/** What a user writes of a campaign. */
export interface CampaignFields {
  name: string;
  description: string | null;
  subject: string;
  body: string;
  fromEmail: string;
  fromName: string | null;
  replyTo: string | null;
  type: CampaignRow['type'];
  audienceType: CampaignRow['audienceType'];
  audienceCondition: Record<string, unknown> | null;
  segmentId: string | null;
}

/** A campaign with its counters as of now. */
export interface CampaignRecord extends CampaignFields {
  id: string;
  projectId: string;
  status: CampaignStatus;
  scheduledFor: Date | null;
  /** Why the service itself cancelled it. */
  cancelReason: string | null;
  totalRecipients: number;
  frozenAt: Date | null;
  sentAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
  /** `held` ended without leaving. */
  counters: CampaignCounters & { held: number };
}

export interface CampaignFilter {
  status: CampaignStatus | undefined;
  /** Part of the name, the subject or the sender's address, whatever its case. */
  search: string | undefined;
}

export interface CampaignOrder {
  by: 'name' | 'createdAt' | 'updatedAt';
  direction: 'asc' | 'desc';
}

const columns = `k.id, k.project_id as "projectId", k.name, k.description, k.subject, k.body,
  k.from_email as "fromEmail", k.from_name as "fromName", k.reply_to as "replyTo", k.type, k.status,
  k.audience_type as "audienceType", k.audience_condition as "audienceCondition", k.segment_id as "segmentId",
  k.scheduled_for as "scheduledFor", k.cancel_reason as "cancelReason", k.total_recipients as "totalRecipients", k.frozen_at as "frozenAt",
  k.sent_at as "sentAt", k.created_at as "createdAt", k.updated_at as "updatedAt"`;

const countersSql = `
left join campaign_figures f on f.campaign_id = k.id
left join lateral (
  select ${campaignCounters.map((name) => `sum(${name})::int as ${name}`).join(', ')}
  from campaign_figure_changes where campaign_id = k.id
) g on true`;

const orders: Readonly<Record<CampaignOrder['by'], string>> = {
  name: foldedSql('k.name'),
  createdAt: 'k.created_at',
  updatedAt: 'k.updated_at',
};

const countersColumn = `json_build_object(${campaignCounters
  .map((name) => `'${name}', coalesce(f.${name}, 0) + coalesce(g.${name}, 0)`)
  .join(', ')}) as counters`;

function conditions(projectId: string, filter: CampaignFilter): { where: string; parameters: unknown[] } {
  const parameters: unknown[] = [projectId];
  let where = 'k.project_id = $1';
  if (filter.status !== undefined) {
    parameters.push(filter.status);
    where += ` and k.status = $${parameters.length}`;
  }
  if (filter.search !== undefined) {
    parameters.push(filter.search);
    where += ` and ${containsSql(['k.name', 'k.subject', 'k.from_email'], `$${parameters.length}`)}`;
  }
  return { where, parameters };
}

/** A page of the project's campaigns, at most `limit` after the first `offset`. */
export function listCampaigns(
  em: Em,
  projectId: string,
  filter: CampaignFilter,
  order: CampaignOrder,
  page: { limit: number; offset: number },
): Promise<CampaignRecord[]> {
  const { where, parameters } = conditions(projectId, filter);
  const direction = order.direction === 'asc' ? 'asc' : 'desc';
  parameters.push(page.limit, page.offset);
  const by = `${orders[order.by]} ${direction}, k.id ${direction}`;
  return sql(
    em,
    `select ${columns}, ${countersColumn}
     from (
       select * from campaigns k where ${where}
       order by ${by} limit $${parameters.length - 1} offset $${parameters.length}::bigint
     ) k ${countersSql}
     order by ${by}`,
    parameters,
  );
}

export async function countCampaigns(em: Em, projectId: string, filter: CampaignFilter): Promise<number> {
  const { where, parameters } = conditions(projectId, filter);
  const [row] = await sql<{ count: number }>(
    em,
    `select count(*)::int as count from campaigns k where ${where}`,
    parameters,
  );
  return row?.count ?? 0;
}

/**
 * A campaign of the project.
 * @param hold in a transaction: `update` keeps other changes away until its end
 */
export async function findCampaign(
  em: Em,
  projectId: string,
  id: string,
  hold?: 'update',
): Promise<CampaignRecord | undefined> {
  const [row] = await sql<CampaignRecord>(
    em,
    `select ${columns}, ${countersColumn} from campaigns k ${countersSql}
     where k.project_id = $1 and k.id = $2 ${hold === undefined ? '' : 'for no key update of k'}`,
    [projectId, id],
  );
  return row;
}

const valuesOf = (fields: CampaignFields) => [
  fields.name,
  fields.description,
  fields.subject,
  fields.body,
  fields.fromEmail,
  fields.fromName,
  fields.replyTo,
  fields.type,
  fields.audienceType,
  fields.audienceCondition === null ? null : JSON.stringify(fields.audienceCondition),
  fields.segmentId,
];

/** Adds a draft; the caller holds its sender domain and its segment. */
export async function insertCampaign(
  em: Em,
  id: string,
  projectId: string,
  fields: CampaignFields,
): Promise<void> {
  await sql(
    em,
    `insert into campaigns (id, project_id, name, description, subject, body, from_email, from_name, reply_to, type,
       audience_type, audience_condition, segment_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12::jsonb, $13)`,
    [id, projectId, ...valuesOf(fields)],
  );
}

/** Replaces what a user writes of a campaign. */
export async function updateCampaign(
  em: Em,
  projectId: string,
  id: string,
  fields: CampaignFields,
): Promise<void> {
  await sql(
    em,
    `update campaigns
     set name = $3, description = $4, subject = $5, body = $6, from_email = $7, from_name = $8, reply_to = $9,
       type = $10, audience_type = $11, audience_condition = $12::jsonb, segment_id = $13,
       updated_at = clock_timestamp()
     where id = $1 and project_id = $2`,
    [id, projectId, ...valuesOf(fields)],
  );
}

/** Remembers the estimate of a campaign whose audience is not frozen yet. */
export async function recordEstimate(em: Em, id: string, recipients: number): Promise<void> {
  await sql(
    em,
    `update campaigns set total_recipients = $2
     where id = $1 and status in ('DRAFT', 'SCHEDULED') and total_recipients <> $2`,
    [id, recipients],
  );
}

/** Removes a campaign; its emails stay in the history of their contacts. */
export async function deleteCampaign(em: Em, projectId: string, id: string): Promise<void> {
  await sql(
    em,
    `with removed as (delete from campaigns where id = $1 and project_id = $2 returning id),
     batches as (delete from campaign_batches where campaign_id in (select id from removed)),
     changes as (delete from campaign_figure_changes where campaign_id in (select id from removed))
     delete from campaign_figures where campaign_id in (select id from removed)`,
    [id, projectId],
  );
}

/** Campaigns that send from a domain and are not over: the first by creation, at most `limit`. */
export function findCampaignsOfDomain(
  em: Em,
  projectId: string,
  domain: string,
  limit: number,
): Promise<{ id: string; name: string }[]> {
  return sql(
    em,
    `select id, name from campaigns
     where project_id = $1 and split_part(from_email, '@', 2) = $2 and status in ('DRAFT', 'SCHEDULED', 'SENDING')
     order by created_at, id limit $3`,
    [projectId, domain, limit],
  );
}

/** Campaigns that are not over and whose audience refers to a segment, the oldest first. */
export function findCampaignsOfSegment(
  em: Em,
  projectId: string,
  segmentId: string,
): Promise<{ id: string; name: string }[]> {
  return sql(
    em,
    `select id, name from campaigns
     where project_id = $1 and status in ('DRAFT', 'SCHEDULED', 'SENDING')
       and (segment_id = $2::uuid or position('"segment.' || $2::text || '"' in lower(audience_condition::text)) > 0)
     order by created_at, id`,
    [projectId, segmentId],
  );
}
