import { z } from 'zod';
import type { ClickHouse } from '../../analytics/clickhouse.ts';
import { activityFeed } from '../../analytics/questions/activity-feed.ts';
import { type ActivityStats, activityStats } from '../../analytics/questions/activity-stats.ts';
import { activityTypesOf } from '../../analytics/questions/activity-types.ts';
import { listEvents } from '../../analytics/questions/event-list.ts';
import { eventNames } from '../../analytics/questions/event-names.ts';
import type { EventPosition, EventRow } from '../../analytics/questions/event-page.ts';
import { type EventStats, eventStats } from '../../analytics/questions/event-stats.ts';
import { recentActivityCount } from '../../analytics/questions/recent-activity-count.ts';
import { DomainError, notFound } from '../../core/errors.ts';
import { cursorInstant, decodeCursor, encodeCursor } from '../../core/pagination/cursor.ts';
import type { Orm } from '../../db/orm.ts';
import { findContact, findContactEmails } from '../../db/repositories/contacts/contacts.ts';
import { listUpcoming, type UpcomingRow } from '../../db/repositories/events/upcoming.ts';
import type { ActivityQuery, EventListQuery, PeriodQuery } from '../schemas/activity.ts';
import { refuseReversed, toPeriod, whileAvailable } from './read-model.ts';

export interface EventPage {
  rows: EventRow[];
  cursor: string | null;
}

/** Readers of the journal in ClickHouse. Every call throws `SERVICE_UNAVAILABLE` while that store is away. */
export interface ActivityService {
  /** A page of the feed, and the addresses of its contacts by id. */
  feed(projectId: string, query: ActivityQuery): Promise<EventPage & { emails: Map<string, string> }>;
  stats(projectId: string, query: PeriodQuery): Promise<ActivityStats>;
  recentCount(projectId: string, minutes: number): Promise<number>;
  types(projectId: string): Promise<string[]>;
  /** Scheduled campaigns and waiting executions, soonest first; from Postgres, so always available. */
  upcoming(projectId: string, limit: number): Promise<UpcomingRow[]>;
  events(projectId: string, query: EventListQuery): Promise<EventPage>;
  /** @throws DomainError `NOT_FOUND` for a contact that is not the project's */
  contactEvents(projectId: string, contactId: string, query: EventListQuery): Promise<EventPage>;
  eventNames(projectId: string): Promise<string[]>;
  eventStats(projectId: string, query: PeriodQuery): Promise<EventStats>;
}

const positionSchema = z.tuple([cursorInstant, z.uuid()]);

function readPosition(cursor: string | undefined): EventPosition | undefined {
  if (cursor === undefined) return undefined;
  const position = decodeCursor<[string, string]>(cursor, positionSchema);
  if (position === undefined) {
    throw new DomainError('BAD_REQUEST', 'The cursor is not one of this list', {
      suggestion: 'Pass back the cursor of the page before, or leave it out.',
    });
  }
  return { occurredAt: new Date(position[0]), id: position[1] };
}

function toPage(found: EventRow[], limit: number): EventPage {
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  const more = found.length > limit && last !== undefined;
  return { rows, cursor: more ? encodeCursor([last.occurredAt.toISOString(), last.id]) : null };
}

export function createActivityService(clickhouse: ClickHouse, orm: Orm): ActivityService {
  const page = async (projectId: string, contactId: string | undefined, query: EventListQuery) => {
    const before = readPosition(query.cursor);
    const { name, limit } = query;
    return toPage(
      await whileAvailable(listEvents(clickhouse, { projectId, contactId, name, before, limit: limit + 1 })),
      limit,
    );
  };

  return {
    async feed(projectId, { cursor, limit, ...filter }) {
      refuseReversed(filter);
      const before = readPosition(cursor);
      const found = await whileAvailable(
        activityFeed(clickhouse, { projectId, ...filter, before, limit: limit + 1 }),
      );
      const { rows, cursor: next } = toPage(found, limit);
      const contactIds = [...new Set(rows.flatMap((row) => row.contactId ?? []))];
      const emails =
        contactIds.length === 0
          ? new Map<string, string>()
          : await findContactEmails(orm.em.fork(), projectId, contactIds);
      return { rows, cursor: next, emails };
    },
    stats: async (projectId, query) => whileAvailable(activityStats(clickhouse, toPeriod(projectId, query))),
    recentCount: (projectId, minutes) =>
      whileAvailable(recentActivityCount(clickhouse, projectId, new Date(Date.now() - minutes * 60_000))),
    upcoming: (projectId, limit) => listUpcoming(orm.em.fork(), projectId, limit),
    types: (projectId) => whileAvailable(activityTypesOf(clickhouse, projectId)),
    events: (projectId, query) => page(projectId, undefined, query),
    async contactEvents(projectId, contactId, query) {
      if ((await findContact(orm.em.fork(), projectId, contactId)) === undefined) throw notFound('Contact');
      return page(projectId, contactId, query);
    },
    eventNames: (projectId) => whileAvailable(eventNames(clickhouse, projectId)),
    eventStats: async (projectId, query) =>
      whileAvailable(eventStats(clickhouse, toPeriod(projectId, query))),
  };
}
