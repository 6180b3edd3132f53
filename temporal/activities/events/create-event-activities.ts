import type { ClickHouse } from '../../../analytics/clickhouse.ts';
import { EventDeletion } from '../../../db/entities/event.ts';
import type { Orm } from '../../../db/orm.ts';
import type { EventDeletionActivities } from '../../contracts/event-deletion.ts';
import { withHeartbeat } from '../with-heartbeat.ts';
import { eraseDeletedEvents } from './erase-events.ts';

export interface EventActivityDependencies {
  orm: Orm;
  clickhouse: ClickHouse;
}

export function createEventActivities({
  orm,
  clickhouse,
}: EventActivityDependencies): EventDeletionActivities {
  return {
    eraseEvents: ({ deletionId }) =>
      withHeartbeat((signal) => eraseDeletedEvents(orm.em.fork(), clickhouse, deletionId, { signal })),
    async closeEventDeletion({ deletionId }) {
      await orm.em.fork().nativeDelete(EventDeletion, { id: deletionId });
    },
  };
}
