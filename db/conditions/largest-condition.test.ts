import { expect, it } from 'vitest';
import { z } from 'zod';
import { operatorTables } from '../../core/conditions/operators.ts';
import { parseCondition } from '../../core/conditions/parse-condition.ts';
import type { JsonValue } from '../../core/json-value.ts';
import { newId } from '../../core/new-id.ts';
import { maxExpandedFilters } from '../../core/segments/reference-graph.ts';
import { useTestDatabase } from '../../test/setup/database.ts';
import { insertSegment } from '../../test/setup/segments.ts';
import { bindInto } from '../sql.ts';
import { conditionAudience } from './audience.ts';
import { audienceQuery } from './audience-query.ts';
import { compileCondition } from './testing/compile-condition.ts';
import { storeContacts } from './testing/stored-contacts.ts';

const { em } = useTestDatabase(1);
const now = new Date('2024-03-10T12:00:00.000Z');
const levels = Array.from({ length: 33 }, () => 'a');
const deepest = `data.${levels.join('.')}`;

const anyOf = (filters: object[]) => ({
  logic: 'OR',
  groups: filters.map((filter) => ({ filters: [filter] })),
});
function parsed(raw: object) {
  const result = parseCondition(raw);
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  return result.condition;
}

const texts = ['text', '1', '2024-03-10', '2024-03-10T12:00:00Z'];
function valuesOf(test: string): unknown[] {
  if (test === 'oneOf') return [['text', 1]];
  return test === 'within' || test === 'olderThan' ? [1] : texts;
}

it.each([...operatorTables.data])('writes a nested value few times (%s)', (operator, { test }) => {
  const options = { projectId: newId(), now, segmentMembership: () => 'false' };
  for (const value of valuesOf(test)) {
    const condition = parsed(anyOf([{ field: deepest, operator, value }]));
    expect(compileCondition(condition, options, []).sql.length).toBeLessThan(7_000);
  }
});

it('fits the largest accepted condition into a statement of 2 MB', async () => {
  const projectId = newId();
  const segments = 5;
  // Each segment is a filter too.
  const filtersEach = maxExpandedFilters / segments - 1;
  const ids = Array.from({ length: segments }, () => newId());
  for (const [index, id] of ids.entries()) {
    const filters = Array.from({ length: filtersEach }, (_, n) => ({
      field: deepest,
      operator: 'within',
      value: index * filtersEach + n + 1,
    }));
    await insertSegment(em(), {
      id,
      projectId,
      name: id,
      slug: id,
      type: 'DYNAMIC',
      condition: anyOf(filters),
    });
  }
  const contact = (email: string, at: string, noise: string) => ({
    email,
    subscribed: true,
    createdAt: now,
    updatedAt: now,
    snoozedUntil: null,
    data: { noise, a: levels.slice(1).reduceRight<JsonValue>((value, key) => ({ [key]: value }), at) },
    events: {},
    segments: [],
  });
  const noise = 'lorem ipsum '.repeat(4_000);
  await storeContacts(em(), projectId, [
    contact('small@example.com', '2024-03-01', ''),
    contact('large@example.com', '2024-03-01', noise),
    contact('small-old@example.com', '2020-03-01', ''),
    contact('large-old@example.com', '2020-03-01', noise),
  ]);

  const condition = anyOf(ids.map((id) => ({ field: `segment.${id}`, operator: 'memberOfSegment' })));
  const audience = await conditionAudience(em(), projectId, parsed(condition));
  const parameters: unknown[] = [projectId];
  const where = audience.where(now, bindInto(parameters));
  expect(where.length).toBeLessThan(2_000_000);
  // The protocol counts them in 16 bits.
  expect(parameters.length).toBeLessThan(65_535);
  const text = `select c.email from contacts c where c.project_id = $1 and ${where} order by c.email`;
  expect(await audienceQuery(em(), 'few', z.object({ email: z.string() }), text, parameters)).toEqual([
    { email: 'large@example.com' },
    { email: 'small@example.com' },
  ]);
});
