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

export interface ActivityFilter extends EventPageFilter {
  types?: readonly string[] | undefined;
}

const question: Question<EventPageParameters & { types: readonly string[] }, EventRow> = {
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
 * @throws ClickHouseUnavailable
 */
export function activityFeed(clickhouse: ClickHouse, filter: ActivityFilter): Promise<EventRow[]> {
  return eventPage(clickhouse, question, filter, (page) => ({ ...page, types: filter.types ?? [] }));
}
