import { z } from 'zod';
import type { ClickHouse } from '../clickhouse.ts';
import {
  earliest,
  greatestUuid,
  instantColumn,
  jsonObjectColumn,
  latest,
  nullableIdColumn,
  type Question,
  toInstantParameter,
} from '../client/question.ts';
import { eventKinds } from '../tables/event.ts';

export interface EventPosition {
  occurredAt: Date;
  id: string;
}

export interface EventPageFilter {
  projectId: string;
  contactId?: string | undefined;
  /** Both inclusive. */
  startDate?: Date | undefined;
  endDate?: Date | undefined;
  before?: EventPosition | undefined;
  limit: number;
}

const eventRow = z.object({
  id: z.guid(),
  occurredAt: instantColumn,
  name: z.string(),
  kind: z.enum(eventKinds),
  activityType: z.string(),
  contactId: nullableIdColumn,
  emailId: nullableIdColumn,
  campaignId: nullableIdColumn,
  workflowId: nullableIdColumn,
  data: jsonObjectColumn,
});

export type EventRow = z.output<typeof eventRow>;

type EventPageParameters = ReturnType<typeof toEventPageParameters>;

function toEventPageParameters(filter: EventPageFilter) {
  const beforeAt = filter.before?.occurredAt ?? latest;
  const until = filter.endDate !== undefined && filter.endDate < beforeAt ? filter.endDate : beforeAt;
  return {
    projectId: filter.projectId,
    contactId: filter.contactId ?? '',
    since: toInstantParameter(filter.startDate ?? earliest),
    until: toInstantParameter(until),
    beforeAt: toInstantParameter(beforeAt),
    beforeId: filter.before?.id ?? greatestUuid,
    limit: filter.limit,
  };
}

/**
 * SQL of the next rows of a listing, newest first; duplicate deliveries are included. FINAL or LIMIT BY would make
 * ClickHouse read the whole project rather than stop at the limit. `until` repeats a bound of the tuple comparison,
 * because the index only supports the plain one.
 *
 * @param condition SQL over the columns of `event`
 */
export function eventPageSql(condition: string): string {
  return `
SELECT
  event_id AS id, occurred_at AS occurredAt, name, kind, activity_type AS activityType, contact_id AS contactId,
  email_id AS emailId, campaign_id AS campaignId, workflow_id AS workflowId, data
FROM event
WHERE project_id = {projectId:UUID}
  AND occurred_at >= {since:DateTime64(3, 'UTC')}
  AND occurred_at <= {until:DateTime64(3, 'UTC')}
  AND (occurred_at, event_id) < ({beforeAt:DateTime64(3, 'UTC')}, {beforeId:UUID})
  AND ({contactId:String} = '' OR contact_id = toUUIDOrZero({contactId:String}))
  AND ${condition}
ORDER BY occurred_at DESC, event_id DESC
LIMIT {limit:UInt32}`;
}

/**
 * Days before the end of a page to try first. The latest days are few parts, however large the project; older ones are
 * read only when these do not fill the page.
 */
const windowsInDays = [2, 40];

/** Answers one query of a listing. */
type ReadRows = (page: EventPageFilter) => Promise<EventRow[]>;

async function nextRows(filter: EventPageFilter, read: ReadRows): Promise<EventRow[]> {
  const earliestWanted = filter.startDate ?? earliest;
  const end = Math.min(
    filter.endDate?.getTime() ?? Number.POSITIVE_INFINITY,
    filter.before?.occurredAt.getTime() ?? Number.POSITIVE_INFINITY,
    Date.now(),
  );
  for (const days of windowsInDays) {
    const startDate = new Date(end - days * 86_400_000);
    if (startDate <= earliestWanted) break;
    const rows = await read({ ...filter, startDate });
    if (rows.length >= filter.limit) return rows;
  }
  return read(filter);
}

/**
 * A page of a listing without duplicates. Copies of an event are adjacent, so rows lost to duplicates are replaced by
 * reading on after the last row; usually there are none and one query suffices.
 */
async function eventPage(filter: EventPageFilter, read: ReadRows): Promise<EventRow[]> {
  const rows = new Map<string, EventRow>();
  let { before } = filter;
  for (;;) {
    const limit = filter.limit - rows.size;
    const found = await nextRows({ ...filter, before, limit }, read);
    for (const row of found) rows.set(row.id, row);
    before = found.at(-1);
    if (found.length < limit || rows.size >= filter.limit) return [...rows.values()];
  }
}

export interface EventListFilter extends EventPageFilter {
  name?: string | undefined;
}

const listQuestion: Question<EventPageParameters & { name: string }, EventRow> = {
  name: 'event-list',
  sql: eventPageSql(`kind IN ('tracked', 'emitted') AND ({name:String} = '' OR name = {name:String})`),
  row: eventRow,
};

/**
 * A page of the tracked and emitted events of a project or contact, without feed-only rows.
 *
 * @returns newest first, by instant and id; empty after the last page
 */
export function listEvents(clickhouse: ClickHouse, filter: EventListFilter): Promise<EventRow[]> {
  const { name = '' } = filter;
  return eventPage(filter, (page) =>
    clickhouse.query(listQuestion, { ...toEventPageParameters(page), name }),
  );
}

export interface ActivityFilter extends EventPageFilter {
  types?: readonly string[] | undefined;
}

const feedQuestion: Question<EventPageParameters & { types: readonly string[] }, EventRow> = {
  name: 'activity-feed',
  sql: eventPageSql(
    `activity_type != '' AND (empty({types:Array(String)}) OR activity_type IN {types:Array(String)})`,
  ),
  row: eventRow,
};

/**
 * A page of a project's activity feed.
 *
 * @returns newest first, by instant and id; empty after the last page
 */
export function activityFeed(clickhouse: ClickHouse, filter: ActivityFilter): Promise<EventRow[]> {
  const { types = [] } = filter;
  return eventPage(filter, (page) =>
    clickhouse.query(feedQuestion, { ...toEventPageParameters(page), types }),
  );
}
