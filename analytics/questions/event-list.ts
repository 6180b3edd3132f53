import type { ClickHouse } from '../clickhouse.ts';
import type { Question } from '../client/question.ts';
import {
  type EventPageFilter,
  type EventPageParameters,
  type EventRow,
  eventPage,
  eventPageSql,
  eventRow,
} from './event-page.ts';

export interface EventListFilter extends EventPageFilter {
  name?: string | undefined;
}

const question: Question<EventPageParameters & { name: string }, EventRow> = {
  name: 'event-list',
  sql: eventPageSql(`kind IN ('tracked', 'emitted') AND ({name:String} = '' OR name = {name:String})`),
  row: eventRow,
};

/**
 * A page of the tracked and emitted events of a project or contact, without feed-only rows.
 *
 * @returns newest first, by instant and id; empty after the last page
 * @throws ClickHouseUnavailable
 */
export function listEvents(clickhouse: ClickHouse, filter: EventListFilter): Promise<EventRow[]> {
  return eventPage(clickhouse, question, filter, (page) => ({ ...page, name: filter.name ?? '' }));
}
