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
import { Contact } from '../../db/entities/contact.ts';
import type { Orm } from '../../db/orm.ts';
import { listUpcoming, type UpcomingRow } from '../../db/statements/events/list-upcoming.ts';
import type { ActivityQuery, EventListQuery, PeriodQuery } from '../schemas/activity.ts';
import { refuseReversed, toPeriod, whileAvailable } from './read-model.ts';

export interface EventPage {
  rows: EventRow[];
  cursor: string | null;
  /** Addresses of the contacts of the rows, by id; without those that were deleted. */
  emails: Map<string, string>;
}

/**
 * Reads the journal in ClickHouse. Every method except `upcoming` throws `SERVICE_UNAVAILABLE` while ClickHouse is
 * down; `contactEvents` throws `NOT_FOUND` for an unknown contact.
 */
export interface ActivityService {
  feed(projectId: string, query: ActivityQuery): Promise<EventPage>;
  stats(projectId: string, query: PeriodQuery): Promise<ActivityStats>;
  recentCount(projectId: string, minutes: number): Promise<number>;
  types(projectId: string): Promise<string[]>;
  /** Scheduled campaigns and waiting executions, soonest first. Reads Postgres only. */
  upcoming(projectId: string, limit: number): Promise<UpcomingRow[]>;
  events(projectId: string, query: EventListQuery): Promise<EventPage>;
  contactEvents(projectId: string, contactId: string, query: EventListQuery): Promise<EventPage>;
  eventNames(projectId: string): Promise<string[]>;
  eventStats(projectId: string, query: PeriodQuery): Promise<EventStats>;
}

const positionSchema = z.tuple([cursorInstant, z.uuid()]);

function readPosition(cursor: string | undefined): EventPosition | undefined {
  if (cursor === undefined) return undefined;
  const position = decodeCursor<[string, string]>(cursor, positionSchema);
  if (position === undefined) {
    throw new DomainError('BAD_REQUEST', 'The cursor is not valid for this list', {
      suggestion: 'Pass the cursor of the previous page, or leave it out.',
    });
  }
  return { occurredAt: new Date(position[0]), id: position[1] };
}

export function createActivityService(clickhouse: ClickHouse, orm: Orm): ActivityService {
  async function toPage(projectId: string, found: EventRow[], limit: number): Promise<EventPage> {
    const rows = found.slice(0, limit);
    const last = rows.at(-1);
    const more = found.length > limit && last !== undefined;
    const cursor = more ? encodeCursor([last.occurredAt.toISOString(), last.id]) : null;
    const contacts = orm.em.fork().getRepository(Contact);
    return {
      rows,
      cursor,
      emails: await contacts.findEmails(
        projectId,
        rows.map((row) => row.contactId),
      ),
    };
  }

  const page = async (projectId: string, contactId: string | undefined, query: EventListQuery) => {
    const before = readPosition(query.cursor);
    const { name, limit } = query;
    const found = await whileAvailable(
      listEvents(clickhouse, { projectId, contactId, name, before, limit: limit + 1 }),
    );
    return toPage(projectId, found, limit);
  };

  return {
    async feed(projectId, { cursor, limit, ...filter }) {
      refuseReversed(filter);
      const before = readPosition(cursor);
      const found = await whileAvailable(
        activityFeed(clickhouse, { projectId, ...filter, before, limit: limit + 1 }),
      );
      return toPage(projectId, found, limit);
    },
    stats: async (projectId, query) => whileAvailable(activityStats(clickhouse, toPeriod(projectId, query))),
    recentCount: (projectId, minutes) =>
      whileAvailable(recentActivityCount(clickhouse, projectId, new Date(Date.now() - minutes * 60_000))),
    upcoming: (projectId, limit) => listUpcoming(orm.em.fork(), projectId, limit),
    types: (projectId) => whileAvailable(activityTypesOf(clickhouse, projectId)),
    events: (projectId, query) => page(projectId, undefined, query),
    async contactEvents(projectId, contactId, query) {
      if ((await orm.em.fork().count(Contact, { id: contactId, projectId })) === 0) throw notFound('Contact');
      return page(projectId, contactId, query);
    },
    eventNames: (projectId) => whileAvailable(eventNames(clickhouse, projectId)),
    eventStats: async (projectId, query) =>
      whileAvailable(eventStats(clickhouse, toPeriod(projectId, query))),
  };
}
