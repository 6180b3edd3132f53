import { beforeEach, describe, expect, it } from 'vitest';
import type { Condition } from '../../core/conditions/condition.ts';
import { parseCondition } from '../../core/conditions/parse-condition.ts';
import { conditionReferences } from '../../core/conditions/references.ts';
import { evaluateCondition } from '../../core/conditions/testing/evaluate-condition.ts';
import { newId } from '../../core/new-id.ts';
import { useTestDatabase } from '../../test/setup/database.ts';
import { insertSegment, memberOf, notMemberOf, planIs, where } from '../../test/setup/segments.ts';
import { bindInto } from '../sql.ts';
import { type Audience, conditionAudience, segmentAudience } from './audience.ts';
import { loadConditionContact } from './testing/load-condition-contact.ts';
import { storeContacts } from './testing/stored-contacts.ts';

const now = new Date('2024-03-10T12:00:00.000Z');
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000);

const { em, sql } = useTestDatabase(2);
let project: string;
let ids: string[];

const contact = (name: string, plan: string | number, visits: number[]) => ({
  email: `${name}@example.com`,
  subscribed: true,
  createdAt: daysAgo(100),
  updatedAt: daysAgo(10),
  snoozedUntil: null,
  data: { plan },
  events: { visit: visits.map(daysAgo) },
  segments: [],
});

beforeEach(async () => {
  project = newId();
  ids = await storeContacts(em(), project, [
    contact('ada', 'pro', [1, 2, 40]),
    contact('bob', 'pro', [30, 40]),
    contact('cyd', 'free', [2]),
    contact('dan', 3, []),
  ]);
});

const parse = (raw: unknown): Condition => {
  const parsed = parseCondition(raw);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.condition;
};

/** Stores a segment; a list of indexes creates a static segment of those contacts. */
async function segment(definition: object | number[], projectId = project): Promise<string> {
  const id = newId();
  const isStatic = Array.isArray(definition);
  await insertSegment(em(), {
    id,
    projectId,
    name: 'A',
    description: null,
    type: isStatic ? 'STATIC' : 'DYNAMIC',
    slug: id,
    trackMembership: false,
    condition: isStatic ? null : { ...definition },
    filterCount: 0,
    refersTo: isStatic ? [] : [...conditionReferences(parse(definition)).segments],
  });
  if (isStatic) {
    await sql('insert into segment_members (segment_id, contact_id) select $1, unnest($2::uuid[])', [
      id,
      definition.map((index) => ids[index]),
    ]);
  }
  return id;
}

/** Indexes of the contacts found by SQL. */
async function found(audience: Audience | undefined): Promise<number[]> {
  if (audience === undefined) throw new Error('There is no such segment');
  const parameters: unknown[] = [project];
  const condition = audience.where(now, bindInto(parameters));
  const rows = await sql<{ id: string }>(
    `select c.id from contacts c where c.project_id = $1 and ${condition}`,
    parameters,
  );
  return rows.map(({ id }) => ids.indexOf(id)).toSorted();
}

/** Indexes of the contacts that match in memory, given only what the loader reads. */
async function evaluated(condition: Condition): Promise<number[]> {
  const meets = await Promise.all(
    ids.map(async (id) => {
      const loaded = await loadConditionContact(em(), project, id, condition, now);
      if (loaded === undefined) throw new Error('There is no such contact');
      return evaluateCondition(condition, loaded, now);
    }),
  );
  return meets.flatMap((isMet, index) => (isMet ? [index] : []));
}

describe('an audience', () => {
  it('is the same in SQL and in memory, through segments of every kind', async () => {
    const list = await segment([1, 2]);
    const pro = await segment(planIs('pro'));
    const recent = where({ field: 'event.visit', operator: 'triggeredWithin', value: 7 });
    const recentPro = await segment({ logic: 'AND', groups: [...recent.groups, ...memberOf(pro).groups] });
    const others = await segment(notMemberOf(recentPro));
    const often = where({ field: 'event.visit', operator: 'countGreaterThan', value: 1, within: 35 });
    for (const [raw, expected] of [
      [memberOf(list), [1, 2]],
      [notMemberOf(list), [0, 3]],
      [memberOf(pro), [0, 1]],
      [notMemberOf(pro), [2, 3]],
      [memberOf(recentPro), [0]],
      [memberOf(others), [1, 2, 3]],
      [notMemberOf(others), [0]],
      [often, [0]],
      [
        { logic: 'AND', groups: [...memberOf(others).groups, ...memberOf(list).groups, ...recent.groups] },
        [2],
      ],
      [
        { logic: 'OR', groups: [...often.groups, ...notMemberOf(others).groups, ...memberOf(list).groups] },
        [0, 1, 2],
      ],
      [where({ field: 'data.plan', operator: 'notEquals', value: 'pro' }), [2, 3]],
    ] as const) {
      const condition = parse(raw);
      expect(await found(await conditionAudience(em(), project, condition))).toEqual(expected);
      expect(await evaluated(condition)).toEqual(expected);
    }
    expect(await found(await segmentAudience(em(), project, list))).toEqual([1, 2]);
    expect(await found(await segmentAudience(em(), project, others))).toEqual([1, 2, 3]);
  });

  it('finds no segment of another project, neither by id nor through a condition', async () => {
    const foreign = await segment([0, 1, 2, 3], newId());
    expect(await segmentAudience(em(), project, foreign)).toBeUndefined();
    const condition = parse(memberOf(foreign));
    expect(await found(await conditionAudience(em(), project, condition))).toEqual([]);
    expect(await evaluated(condition)).toEqual([]);
  });

  it('is not loaded for a contact of another project', async () => {
    const loaded = await loadConditionContact(em(), newId(), ids[0] ?? '', parse(planIs('pro')), now);
    expect(loaded).toBeUndefined();
  });

  it('reads only the events that the condition asks for', async () => {
    const condition = parse(
      where({ field: 'event.visit', operator: 'countGreaterThan', value: 1, within: 5 }),
    );
    const loaded = await loadConditionContact(em(), project, ids[0] ?? '', condition, now);
    expect(loaded?.events.get('visit')).toMatchObject({ count: 3, firstAt: daysAgo(40), lastAt: daysAgo(1) });
    expect(loaded?.events.get('visit')?.times).toHaveLength(2);
    const other = await loadConditionContact(em(), project, ids[0] ?? '', parse(planIs('pro')), now);
    expect(other?.events.size).toBe(0);
  });
});
