import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Segment } from '../../../db/entities/segment.ts';
import { deleteContacts } from '../../../db/statements/contacts/delete-contacts.ts';
import { deleteEvents } from '../../../db/statements/events/delete-events.ts';
import { recordEventDeletion } from '../../../db/statements/events/record-event-deletion.ts';
import { changeStaticMembers } from '../../../db/statements/segments/change-static-members.ts';
import { evaluateChanges } from '../../../db/statements/segments/evaluate-changes.ts';
import { eventually } from '../../../test/setup/eventually.ts';
import { memberOf, planIs, where } from '../../../test/setup/segments.ts';
import {
  addSegment,
  changeProject,
  changesLeft,
  computeOnce,
  computeStale,
  membersOf,
  project,
  round,
  track,
  useRoundsStage,
} from './testing/rounds-stage.ts';

const { em, sql } = useRoundsStage();

/** Histories of contacts that do not alternate from an entry on, or do not end where the contact is. */
async function wrongHistories(): Promise<unknown[]> {
  return sql(
    `select s.name, c.email, h.names
     from segments s
     cross join contacts c
     cross join lateral (
       select coalesce(array_agg(split_part(e.name, '.', 3) order by e.occurred_at, e.id), '{}') as names
       from events e
       where e.contact_id = c.id and e.name in ('segment.' || s.slug || '.entry', 'segment.' || s.slug || '.exit')
     ) h
     where s.project_id = $1 and c.project_id = $1 and s.track_membership and (
       (cardinality(h.names) % 2 = 1) <> exists (
         select from segment_members m where m.segment_id = s.id and m.contact_id = c.id)
       or exists (select from unnest(h.names) with ordinality n (name, at)
         where n.name <> case when at % 2 = 1 then 'entry' else 'exit' end))`,
    [project],
  );
}

/** A second or two, in minutes. */
const short = { value: 0.02, unit: 'minutes' };
const shortCount = (operator: string, value: number) =>
  where({ field: 'event.bought', operator, value, within: 0.03, unit: 'minutes' });

async function addEverySegment(): Promise<{ segments: Segment[]; list: Segment }> {
  const list = await addSegment('list', null);
  const plain = await addSegment('plain', planIs('pro'), false);
  const conditions: Record<string, Record<string, unknown>> = {
    pro: planIs('pro'),
    nested: where({ field: 'data.a.b', operator: 'equals', value: 1 }),
    without: where({ field: 'data.plan', operator: 'notExists' }),
    address: where({ field: 'email', operator: 'contains', value: 'a' }),
    subscribed: where({ field: 'subscribed', operator: 'equals', value: true }),
    snoozed: where({ field: 'snoozedUntil', operator: 'exists' }),
    ever: where({ field: 'event.bought', operator: 'triggered' }),
    never: where({ field: 'event.bought', operator: 'notTriggered' }),
    recent: where({ field: 'event.bought', operator: 'triggeredWithin', ...short }),
    not_recent: where({ field: 'event.bought', operator: 'notTriggeredWithin', ...short }),
    lapsed: where({ field: 'event.bought', operator: 'triggeredOlderThan', ...short }),
    often: shortCount('countGreaterThan', 1),
    rarely: shortCount('countLessThan', 2),
    seen: where({ field: 'data.seen', operator: 'within', ...short }),
    unseen: where({ field: 'data.seen', operator: 'olderThan', ...short }),
    fresh: where({ field: 'createdAt', operator: 'within', ...short }),
    changed: where({ field: 'updatedAt', operator: 'within', ...short }),
    listed: memberOf(list.id),
    through: memberOf(plain.id),
    entered: where({ field: 'event.segment.pro.entry', operator: 'triggered' }),
  };
  const segments: Segment[] = [];
  for (const [name, condition] of Object.entries(conditions))
    segments.push(await addSegment(name, condition));
  return { segments: [...segments, plain], list };
}

const emails = ['ada@example.com', 'bob@example.com', 'carl@example.com', 'dora@example.com'];
const email = fc.constantFrom(...emails);
const patch = fc.record(
  {
    plan: fc.constantFrom('pro', 'free', null),
    a: fc.constantFrom({ b: 1 }, { b: 2 }, null),
    seen: fc.constantFrom('now', 'long ago'),
  },
  { requiredKeys: [] },
);
const operation = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('track' as const),
      email,
      patch,
      subscribed: fc.option(fc.boolean(), { nil: undefined }),
      name: fc.constantFrom('bought', 'other'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('snooze' as const, 'rename' as const, 'delete' as const),
      email,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('add' as const, 'remove' as const), email }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('forget' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('edit' as const),
      plan: fc.constantFrom('pro', 'free'),
      name: fc.constantFrom('pro', 'plain'),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom('round' as const, 'two rounds' as const, 'killed round' as const, 'full' as const),
    }),
  },
);
type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never;

async function play(one: Operation, list: Segment): Promise<unknown> {
  switch (one.do) {
    case 'track': {
      const { seen, ...plain } = one.patch;
      const dated = seen && { seen: seen === 'now' ? new Date().toISOString() : '2020-01-01' };
      return track(one.email, {
        eventName: one.name,
        subscribed: one.subscribed,
        patch: { ...plain, ...dated },
      });
    }
    case 'snooze':
      return sql(
        `update contacts set snoozed_until = case when snoozed_until is null then now() end
        where project_id = $1 and email = $2`,
        [project, one.email],
      );
    case 'rename':
      return sql(
        `update contacts set email = 'x' || id || '@example.com'
        where project_id = $1 and email = $2`,
        [project, one.email],
      );
    case 'delete': {
      const rows = await sql<{ id: string }>('select id from contacts where project_id = $1 and email = $2', [
        project,
        one.email,
      ]);
      return em().transactional((own) =>
        deleteContacts(
          own,
          project,
          rows.map(({ id }) => id),
        ),
      );
    }
    case 'add':
    case 'remove':
      return em().transactional((own) => changeStaticMembers(own, list, one.do, [one.email]));
    case 'forget':
      return deleteEvents(em(), await recordEventDeletion(em(), project, 'bought'));
    case 'edit':
      return sql('update segments set condition = $3::jsonb where project_id = $1 and name = $2', [
        project,
        one.name,
        JSON.stringify(planIs(one.plan)),
      ]);
    case 'round':
      return round();
    case 'two rounds':
      return Promise.all([round(), evaluateChanges(em(), project, 10_000)]);
    case 'killed round': {
      const killed = new AbortController();
      setTimeout(() => killed.abort(), 5);
      return evaluateChanges(em(), project, 10_000, killed.signal).catch(() => undefined);
    }
    case 'full':
      return computeOnce();
  }
}

it('segments have the members of a full evaluation and one event per change, whatever happens', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(operation, { minLength: 1, maxLength: 3 }), { maxLength: 12 }),
      async (steps) => {
        changeProject();
        const { segments, list } = await addEverySegment();
        await track(emails[0] ?? '', { eventName: 'bought', patch: { plan: 'pro' } });
        await computeStale();
        // The operations of a step run concurrently.
        for (const step of steps) await Promise.all(step.map((one) => play(one, list)));
        const tracked = segments.filter(({ trackMembership }) => trackMembership);
        await eventually(
          async () => {
            // A check takes longer than the pause between two checks.
            await delay(300);
            await computeOnce();
            await round();
            const different: unknown[] = [];
            for (const segment of tracked) {
              const { stored, meeting } = await membersOf(segment);
              if (stored.join() !== meeting.join()) different.push({ name: segment.name, stored, meeting });
            }
            return { left: await changesLeft(), different };
          },
          // By then, everything that depends on time has changed: the windows are a second or two long.
          ({ left, different }) => left === 0 && different.length === 0,
        );
        expect(await wrongHistories()).toEqual([]);
      },
    ),
    { numRuns: 12 },
  );
});
