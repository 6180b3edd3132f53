const manyReads = 8;
/** Length of tests, about 12 of dates, from which planning them twice costs more than copying small data as well. */
const longTests = 30_000;
/** Neither compressed nor outside the row, so that reading it often costs next to nothing. */
const isSmall = 'pg_column_size(c.data) < 500 and pg_column_compression(c.data) is null';

/**
 * What conditions read of a contact. Concatenating an empty object leaves data that isn't fetched and decompressed again
 * for each test. The enclosing query needs `offset 0`, which keeps the planner from repeating the expression.
 */
export const contactColumnsSql = `c.id, c.project_id, c.email, c.subscribed, c.snoozed_until, c.created_at, c.updated_at,
  case when ${isSmall} then c.data else c.data || '{}' end as data`;

/** Whether tests over `contacts c` read `data` so often that a copy of large data pays off. */
export const readDataOften = (tests: readonly string[]): boolean =>
  tests.join().split('c.data').length > manyReads;

/**
 * Joins tests over `contacts c` that must all hold. When they read `data` often, those that do run on a copy of it for
 * contacts with large data, and for all contacts when the tests are long. The other tests stay outside, where indexes can
 * serve them.
 */
export function readDataOnce(tests: readonly string[]): string {
  if (!readDataOften(tests)) return `(${tests.join(' and ')})`;
  const readsData = (test: string) => test.includes('c.data');
  const test = tests.filter(readsData).join(' and ');
  const copied = `(select (${test}) from (select ${contactColumnsSql} offset 0) c)`;
  const once = test.length > longTests ? copied : `case when ${isSmall} then (${test}) else ${copied} end`;
  return `(${[...tests.filter((each) => !readsData(each)), once].join(' and ')})`;
}
