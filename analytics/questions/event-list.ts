import type { ClickHouse } from '../clickhouse.ts';
import type { Question } from '../question.ts';
import {
  type EventPageFilter,
  type EventPageParameters,
  type EventRow,
  eventPage,
  eventPageSql,
  eventRow,
} from './event-page.ts';

export interface EventListFilter extends EventPageFilter {
  /** Only events of this name. */
  name?: string | undefined;
}

const question: Question<EventPageParameters & { name: string }, EventRow> = {
  name: 'event-list',
  sql: eventPageSql(`kind IN ('tracked', 'emitted') AND ({name:String} = '' OR name = {name:String})`),
  row: eventRow,
};

/**
 * A page of the events of a project, or of one contact: tracked and emitted ones, not what only the feed shows.
 *
 * @returns newest first, by instant and id; no rows behind the last page.
 * @throws ClickHouseUnavailable
 */
export function listEvents(clickhouse: ClickHouse, filter: EventListFilter): Promise<EventRow[]> {
  return eventPage(clickhouse, question, filter, (page) => ({ ...page, name: filter.name ?? '' }));
}
