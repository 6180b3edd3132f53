import { z } from 'zod';
import type { ClickHouse } from '../../analytics/clickhouse.ts';
import { activityStats, recentActivityCount } from '../../analytics/questions/activity-stats.ts';
import { activityFeed, listEvents } from '../../analytics/questions/event-listings.ts';
import { eventNames, listActivityTypes } from '../../analytics/questions/event-names.ts';
import { eventStats } from '../../analytics/questions/event-stats.ts';
import { notFound } from '../../core/errors.ts';
import { cursorInstant, encodeCursor } from '../../core/pagination/cursor.ts';
import { Contact } from '../../db/entities/contact.ts';
import { projectEm } from '../../db/entities/project-em.ts';
import type { Orm } from '../../db/orm.ts';
import { listUpcoming } from '../../db/statements/events/list-upcoming.ts';
import type { ActivityQuery, EventListQuery, PeriodQuery } from '../schemas/activity.ts';
import { readCursor, toScannedPage } from './cursor-page.ts';
import { refuseReversed, toPeriod, whileAvailable } from './read-model.ts';

const positionSchema = z
  .tuple([cursorInstant, z.uuid()])
  .transform(([at, id]) => ({ occurredAt: new Date(at), id }));

/**
 * Reads the journal in ClickHouse. Every method except `upcoming` throws `SERVICE_UNAVAILABLE` while ClickHouse is
 * down; `contactEvents` throws `NOT_FOUND` for an unknown contact.
 */
export function createActivityService(clickhouse: ClickHouse, orm: Orm) {
  /** `emails`: addresses of the rows' contacts, by contact id; deleted contacts are missing. */
  async function readPage(
    list: typeof listEvents | typeof activityFeed,
    { cursor, limit, ...filter }: (ActivityQuery | EventListQuery) & { projectId: string },
  ) {
    const before = readCursor(cursor, positionSchema);
    const found = await whileAvailable(list(clickhouse, { ...filter, before, limit: limit + 1 }));
    const { rows, next = null } = toScannedPage({ rows: found }, limit, ({ occurredAt, id }) =>
      encodeCursor([occurredAt.toISOString(), id]),
    );
    const contacts = projectEm(orm, filter.projectId).getRepository(Contact);
    return { rows, cursor: next, emails: await contacts.findEmails(rows.map((row) => row.contactId)) };
  }

  return {
    async feed(projectId: string, query: ActivityQuery) {
      refuseReversed(query);
      return readPage(activityFeed, { projectId, ...query });
    },
    stats: async (projectId: string, query: PeriodQuery) =>
      whileAvailable(activityStats(clickhouse, toPeriod(projectId, query))),
    recentCount: (projectId: string, minutes: number) =>
      whileAvailable(recentActivityCount(clickhouse, projectId, new Date(Date.now() - minutes * 60_000))),
    /** Scheduled campaigns and waiting executions, soonest first. Reads Postgres only. */
    upcoming: (projectId: string, limit: number) => listUpcoming(orm.em.fork(), projectId, limit),
    types: (projectId: string) => whileAvailable(listActivityTypes(clickhouse, projectId)),
    events: (projectId: string, query: EventListQuery) => readPage(listEvents, { projectId, ...query }),
    async contactEvents(projectId: string, contactId: string, query: EventListQuery) {
      if ((await projectEm(orm, projectId).count(Contact, { id: contactId })) === 0)
        throw notFound('Contact');
      return readPage(listEvents, { projectId, contactId, ...query });
    },
    eventNames: (projectId: string) => whileAvailable(eventNames(clickhouse, projectId)),
    eventStats: async (projectId: string, query: PeriodQuery) =>
      whileAvailable(eventStats(clickhouse, toPeriod(projectId, query))),
  };
}
