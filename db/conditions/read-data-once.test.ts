import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { parseCondition } from '../../core/conditions/parse-condition.ts';
import { newId } from '../../core/new-id.ts';
import { useTestDatabase } from '../../test/setup/database.ts';
import { bindInto } from '../sql.ts';
import { sql } from '../testing/sql.ts';
import { conditionAudience } from './audience.ts';
import { storeContacts } from './testing/stored-contacts.ts';

const database = useTestDatabase();
const now = new Date();

// Random text can't be compressed, so Postgres stores it in pieces outside the row; repeated text is compressed in it.
const noises = ['', randomBytes(40_000).toString('base64'), 'lorem ipsum '.repeat(4_000)];
const contact = (plan: string, noise: string, index: number) => ({
  email: `${plan}-${index}@example.com`,
  subscribed: true,
  createdAt: now,
  updatedAt: now,
  snoozedUntil: null,
  data: { plan, noise },
  events: { visit: [now] },
  segments: [],
});

interface Filter {
  field: string;
  operator: string;
  value?: unknown;
}

async function find(projectId: string, logic: 'AND' | 'OR', filters: Filter[]) {
  const parsed = parseCondition({ logic, groups: filters.map((filter) => ({ filters: [filter] })) });
  if (!parsed.ok) throw new Error('The condition is invalid');
  const { condition } = parsed;
  return database.em().transactional(async (em) => {
    const audience = await conditionAudience(em, projectId, condition);
    const parameters: unknown[] = [projectId];
    const where = audience.where(now, bindInto(parameters));
    const rows = await sql<{ email: string }>(
      em,
      `select c.email from contacts c where c.project_id = $1 and ${where} order by c.email`,
      parameters,
    );
    const [read] = await sql<{ pieces: number }>(
      em,
      `select pg_stat_get_xact_blocks_fetched(reltoastrelid)::int as pieces
       from pg_class where oid = 'contacts'::regclass`,
    );
    return { emails: rows.map(({ email }) => email), pieces: read?.pieces ?? 0 };
  });
}

const missing = Array.from({ length: 50 }, (_, index) => ({
  field: `data.missing${index}`,
  operator: 'notExists',
}));

it('reads large data once, however many filters test it', async () => {
  const projectId = newId();
  await storeContacts(
    database.em(),
    projectId,
    noises.map((noise, index) => contact('pro', noise, index)),
  );
  await find(projectId, 'AND', missing.slice(0, 1));
  const once = await find(projectId, 'AND', missing.slice(0, 1));
  expect(once.pieces).toBeGreaterThan(0);
  const often = await find(projectId, 'AND', missing);
  expect(often.emails).toEqual(once.emails);
  expect(often.pieces).toBeLessThan(3 * once.pieces);
});

it.each(['AND', 'OR'] as const)(
  'finds the same contacts with large data as with small (%s)',
  async (logic) => {
    const projectId = newId();
    const plans = ['pro', 'free'];
    await storeContacts(
      database.em(),
      projectId,
      plans.flatMap((plan) => noises.map((noise, index) => contact(plan, noise, index))),
    );
    const tests = logic === 'AND' ? missing : missing.map(({ field }) => ({ field, operator: 'exists' }));
    const filters = [
      ...tests,
      { field: 'data.plan', operator: 'equals', value: 'pro' },
      logic === 'AND'
        ? { field: 'event.visit', operator: 'triggered' }
        : { field: 'event.visit', operator: 'notTriggered' },
    ];
    const { emails } = await find(projectId, logic, filters);
    expect(emails).toEqual(['pro-0@example.com', 'pro-1@example.com', 'pro-2@example.com']);
  },
);
