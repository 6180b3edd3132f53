import { z } from 'zod';
import type { EmailStatus, ProjectEmailSource } from '../../../core/email-state.ts';
import { lowestIdAt } from '../../../core/id-at.ts';
import { failedEmailSql } from '../../entities/email.ts';
import { containsSql, spellingsOf } from '../../fragments/contains-sql.ts';
import type { Em } from '../../orm.ts';
import { type Scan, scanPage } from '../../scan-page.ts';
import { type Bind, bindInto, query, queryColumn } from '../../sql.ts';
import { findByAddressPart } from '../contacts/find-addresses.ts';
import { type LoggedEmail, loggedEmailRow, loggedEmailsSql } from './email-log-row.ts';

export interface EmailFilter {
  sources: readonly ProjectEmailSource[];
  status: EmailStatus | undefined;
  contactIds: readonly string[] | undefined;
  /** First and last email of the campaign; few other emails lie between them. */
  campaign: { id: string; firstId: string; lastId: string } | undefined;
  workflowId: string | undefined;
  /** Part of the recipient's address, in lower case. */
  recipient: string | undefined;
  text: string | undefined;
  startDate: Date | undefined;
  endDate: Date | undefined;
}

/** Statuses whose emails are all in the index `emails_failed`. */
const failedStatuses: readonly EmailStatus[] = ['BOUNCED', 'COMPLAINED', 'FAILED', 'SUPPRESSED'];

/** Emails scanned for one page: 30 ms at 5 million emails, more on a busy machine. */
export const emailsPerScan = 20_000;

/** Ids and `created_at` may come from different clocks. */
const skewMs = 60_000;

/** Whether finding a page of matches may require reading many emails. */
export function isSparse({ status, recipient, text }: EmailFilter): boolean {
  const isIndexed = status === undefined || failedStatuses.includes(status);
  return !isIndexed || recipient !== undefined || text !== undefined;
}

/** Whether an index contains the matches and hardly anything else. */
const isServed = ({ status, campaign, recipient, text }: EmailFilter): boolean =>
  [status, campaign, recipient, text].every((filter) => filter === undefined);

/** Emails from the index that serves the filter best, newest first. */
function nearbySql(
  filter: EmailFilter,
  { beforeId, end }: { beforeId: string | undefined; end?: string | undefined },
  bind: Bind,
): string {
  const { campaign, contactIds, workflowId, status, startDate, endDate } = filter;
  // No index has the project beside these two, and Postgres would combine one on all its emails with theirs.
  const isByKey = contactIds !== undefined || workflowId !== undefined;
  const range = [isByKey ? 'e.project_id is not distinct from $1' : 'e.project_id = $1'];
  if (beforeId !== undefined) range.push(`e.id < ${bind(beforeId)}`);
  if (end !== undefined) range.push(`e.id >= ${bind(end)}`);
  if (startDate !== undefined) range.push(`e.id >= ${bind(lowestIdAt(earlier(startDate)))}`);
  if (endDate !== undefined) range.push(`e.id < ${bind(lowestIdAt(later(endDate)))}`);
  if (campaign !== undefined)
    range.push(`e.id between ${bind(campaign.firstId)} and ${bind(campaign.lastId)}`);
  const select = (condition: string) =>
    `select e.* from emails e where ${[...range, condition].join(' and ')} order by e.id desc`;
  if (contactIds !== undefined) return select(`e.contact_id = any(${bind(contactIds)}::uuid[])`);
  if (workflowId !== undefined) return select(`e.workflow_id = ${bind(workflowId)}`);
  if (status !== undefined && failedStatuses.includes(status)) return select(`(${failedEmailSql})`);
  const ofSources = filter.sources.map((source) => `(${select(`e.source = '${source}'`)})`);
  return ofSources.length === 1
    ? select(`e.source = '${filter.sources[0]}'`)
    : `select * from (${ofSources.join(' union all ')}) e order by e.id desc`;
}

function matchSql(filter: EmailFilter, bind: Bind): string {
  const { sources, status, campaign, workflowId, recipient, text, startDate, endDate } = filter;
  const conditions = [`e.source = any(${bind(sources)}::text[])`];
  if (status !== undefined) conditions.push(`e.status = ${bind(status)}`);
  if (campaign !== undefined) conditions.push(`e.campaign_id = ${bind(campaign.id)}`);
  if (workflowId !== undefined) conditions.push(`e.workflow_id = ${bind(workflowId)}`);
  if (recipient !== undefined) conditions.push(`position(${bind(recipient)} in e.to_email) > 0`);
  if (text !== undefined)
    conditions.push(containsSql(['e.subject', 'e.to_email'], spellingsOf(text).map(bind)));
  if (startDate !== undefined) conditions.push(`e.created_at >= ${bind(startDate)}`);
  if (endDate !== undefined) conditions.push(`e.created_at <= ${bind(endDate)}`);
  return conditions.join(' and ');
}

export interface EmailSearch {
  projectId: string;
  filter: EmailFilter;
  beforeId: string | undefined;
}

/** If more contacts share this part of an address, it is common enough to appear in the latest emails. */
const mostRecipients = 200;

/**
 * A page of a project's emails, newest first. When no index serves the filter, it scans at most `perScan` emails; only
 * emails to part of an address that few contacts have are found anywhere in the log.
 */
export async function listEmails(
  em: Em,
  search: EmailSearch,
  limit: number,
  perScan = emailsPerScan,
): Promise<Scan<LoggedEmail, string>> {
  const read = (end: string | undefined) => readPage(em, search, limit, end, perScan);
  if (isServed(search.filter)) {
    const rows = await read(undefined);
    if (rows.length === limit) return { rows, scannedUntil: undefined };
  }
  const found = await scanPage(limit, () => findEnd(em, search, perScan), read);
  const { recipient, contactIds } = search.filter;
  if (found.scannedUntil === undefined || recipient === undefined || contactIds !== undefined) return found;
  const contacts = await findByAddressPart(em, search.projectId, recipient, mostRecipients);
  if (contacts === undefined || contacts.length === 0) return found;
  const filter = { ...search.filter, contactIds: contacts.map(({ id }) => id) };
  return mergeScans(found, await listEmails(em, { ...search, filter }, limit, perScan), limit);
}

/**
 * Merges the scan with the contacts' emails: the scan also finds test emails to addresses without a contact, and the
 * contacts' emails reach further back.
 */
function mergeScans(
  found: Scan<LoggedEmail, string>,
  ofContacts: Scan<LoggedEmail, string>,
  limit: number,
): Scan<LoggedEmail, string> {
  const byId = new Map([...found.rows, ...ofContacts.rows].map((email) => [email.id, email]));
  const rows = [...byId.values()].sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit);
  return { rows, scannedUntil: rows.length === limit ? undefined : ofContacts.scannedUntil };
}

/**
 * The inner limit keeps the planner on the index that serves the filter; with only the page's limit it would scan the
 * whole project, hoping for early matches. Twice a scan, because emails may arrive after its end was found.
 */
function readPage(
  em: Em,
  { projectId, filter, beforeId }: EmailSearch,
  limit: number,
  end: string | undefined,
  perScan: number,
): Promise<LoggedEmail[]> {
  const parameters: unknown[] = [projectId];
  const bind = bindInto(parameters);
  const nearby = nearbySql(filter, { beforeId, end }, bind);
  const page = `select * from (${nearby} limit ${bind(2 * perScan)}) e where ${matchSql(filter, bind)}
    order by e.id desc limit ${bind(limit)}`;
  return query(em, loggedEmailRow, loggedEmailsSql(page), parameters);
}

async function findEnd(
  em: Em,
  { projectId, filter, beforeId }: EmailSearch,
  perScan: number,
): Promise<string | undefined> {
  const parameters: unknown[] = [projectId];
  const bind = bindInto(parameters);
  const nearby = nearbySql(filter, { beforeId }, bind).replaceAll('select e.*', 'select e.id');
  const sql = `select id from (${nearby} offset ${bind(perScan - 1)} limit 1) e`;
  const [last] = await queryColumn(em, z.uuid(), sql, parameters);
  return last;
}

const earlier = (instant: Date) => new Date(instant.getTime() - skewMs);
const later = (instant: Date) => new Date(instant.getTime() + skewMs);
