import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../../core/new-id.ts';
import { segmentAudience } from '../../../db/conditions/audience.ts';
import { bindInto } from '../../../db/conditions/bind.ts';
import { Segment } from '../../../db/entities/segment.ts';
import { deleteContacts } from '../../../db/statements/contacts/delete-contacts.ts';
import { deleteEvents } from '../../../db/statements/events/delete-events.ts';
import { recordEventDeletion } from '../../../db/statements/events/record-event-deletion.ts';
import { trackEvents } from '../../../db/statements/events/track-events.ts';
import { changeStaticMembers } from '../../../db/statements/segments/change-static-members.ts';
import { evaluateChanges } from '../../../db/statements/segments/evaluate-changes.ts';
import { endSegmentTurn, listSegmentTurns } from '../../../db/statements/segments/segment-turns.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { eventually } from '../../../test/setup/eventually.ts';
import { trackInput } from '../../../test/setup/inputs.ts';
import { insertSegment, memberOf, planIs, where } from '../../../test/setup/segments.ts';
import { computeTrackedSegment } from './compute-tracked-segment.ts';
import { evaluateProject } from './evaluate-project.ts';

const { em, sql } = useTestDatabase();
let project: string;
beforeEach(() => {
  project = newId();
});

async function addSegment(name: string, condition: Record<string, unknown> | null, isTracked = true) {
  const text = JSON.stringify(condition);
  const refersTo = [...text.matchAll(/"segment\.([0-9a-f-]{36})"/g)].flatMap(([, id]) => id ?? []);
  return insertSegment(em(), {
    id: newId(),
    projectId: project,
    name,
    slug: name,
    type: condition === null ? 'STATIC' : 'DYNAMIC',
    condition,
    filterCount: 1,
    refersTo,
    trackMembership: isTracked,
  });
}

const track = (email: string, rest: Parameters<typeof trackInput>[2] = {}) =>
  trackEvents(em(), [trackInput(project, email, rest)]);

/** As the schedule does: the segments that are not current, in full. */
async function computeStale(): Promise<void> {
  for (const { projectId, segmentId } of await em().getRepository(Segment).listTracked(null)) {
    if (projectId !== project) continue;
    await computeTrackedSegment(em(), { projectId, segmentId }, undefined, () => {});
  }
}

const round = () => evaluateProject(em(), project);

async function changesLeft(): Promise<number> {
  return (await sql('select 1 from segment_changes where project_id = $1', [project])).length;
}

/** Emails of the stored members, and of those who meet the condition now. */
async function membersOf({ id }: Segment): Promise<{ stored: string[]; meeting: string[] }> {
  const audience = await segmentAudience(em(), project, id);
  const parameters: unknown[] = [project, id];
  const belongs = audience?.where(new Date(), bindInto(parameters)) ?? 'false';
  const rows = await sql<{ email: string; isMember: boolean; belongs: boolean }>(
    `select c.email, (${belongs}) is true as belongs,
       exists (select from segment_members m where m.segment_id = $2 and m.contact_id = c.id) as "isMember"
     from contacts c where c.project_id = $1 order by c.email`,
    parameters,
  );
  return {
    stored: rows.filter((row) => row.isMember).map((row) => row.email),
    meeting: rows.filter((row) => row.belongs).map((row) => row.email),
  };
}

/** Histories of contacts that do not take turns from an entry on, or do not end where the contact is. */
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
      return computeStale();
  }
}

describe('segments whose rounds evaluate what changed', () => {
  it('have the members of a full evaluation, and one event for each change, whatever happens', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(operation, { minLength: 1, maxLength: 3 }), { maxLength: 12 }),
        async (steps) => {
          project = newId();
          const { segments, list } = await addEverySegment();
          await track(emails[0] ?? '', { eventName: 'bought', patch: { plan: 'pro' } });
          await computeStale();
          // The operations of a step run at the same moment.
          for (const step of steps) await Promise.all(step.map((one) => play(one, list)));
          const tracked = segments.filter(({ trackMembership }) => trackMembership);
          await eventually(
            async () => {
              // Looking takes longer than the pause between two looks.
              await delay(300);
              await computeStale();
              await round();
              const different: unknown[] = [];
              for (const segment of tracked) {
                const { stored, meeting } = await membersOf(segment);
                if (stored.join() !== meeting.join()) different.push({ name: segment.name, stored, meeting });
              }
              return { left: await changesLeft(), different };
            },
            // All that time changes has changed by then: the windows are of a second or two.
            ({ left, different }) => left === 0 && different.length === 0,
          );
          expect(await wrongHistories()).toEqual([]);
        },
      ),
      { numRuns: 12 },
    );
  });

  it('plan what time changes once a day, a day and a half ahead', async () => {
    const twoDays = where({ field: 'data.seen', operator: 'within', value: 2, unit: 'days' });
    const segment = await addSegment('seen', twoDays);
    await track('ada@example.com', { patch: { seen: new Date().toISOString() } });
    await computeStale();
    expect((await membersOf(segment)).stored).toEqual(['ada@example.com']);
    // Beyond the plan.
    expect(await changesLeft()).toBe(0);
    expect(await listSegmentTurns(em(), 10)).not.toContain(project);
    // As it is two days later: nothing was written, and the plan has run out.
    await sql('alter table contacts disable trigger contacts_updated');
    await sql(
      `update contacts set data = jsonb_build_object('seen', to_jsonb(now() at time zone 'UTC' - interval '2 days') #>> '{}' || 'Z')
       where project_id = $1`,
      [project],
    );
    await sql('alter table contacts enable trigger contacts_updated');
    await sql(
      `update segment_inputs set planned_until = now() - interval '1 minute' where project_id = $1 and clock is not null`,
      [project],
    );
    expect(await listSegmentTurns(em(), 10)).toContain(project);
    await eventually(
      async () => {
        await round();
        return (await membersOf(segment)).stored;
      },
      (stored) => stored.length === 0,
    );
    expect(await listSegmentTurns(em(), 10)).not.toContain(project);
  });

  it('plan their clocks a single time when they are computed at once', async () => {
    const today = where({ field: 'data.seen', operator: 'within', value: 1, unit: 'days' });
    const segments = [];
    for (const name of ['a', 'b', 'c']) segments.push(await addSegment(name, today));
    for (const each of emails) await track(each, { patch: { seen: new Date().toISOString() } });
    const compute = ({ id }: Segment) =>
      computeTrackedSegment(em(), { projectId: project, segmentId: id }, undefined, () => {});
    await Promise.all(segments.map(compute));
    expect(await changesLeft()).toBe(emails.length);
  });

  it('record nothing that no tracked segment of the project reads', async () => {
    await addSegment('free', planIs('free'), false);
    await track('ada@example.com', { patch: { plan: 'free' } });
    expect(await changesLeft()).toBe(0);
    const pro = await addSegment('pro', planIs('pro'));
    await computeStale();
    await track('ada@example.com', { patch: { seats: 3 } });
    expect(await changesLeft()).toBe(0);
    await track('ada@example.com', { patch: { plan: 'pro' } });
    expect(await changesLeft()).toBe(1);
    expect(await round()).toEqual({ changes: 1, added: 1, removed: 0, failed: 0 });
    // A round ends the recording of what is no longer read.
    await sql('update segments set track_membership = false where id = $1', [pro.id]);
    await track('ada@example.com', { patch: { plan: 'free' } });
    await round();
    await track('ada@example.com', { patch: { plan: 'pro' } });
    expect(await changesLeft()).toBe(0);
  });

  it('wait for a transaction that does not know yet what the segment reads', async () => {
    await track('ada@example.com');
    const pro = await addSegment('pro', planIs('pro'));
    let computing: Promise<void> | undefined;
    await em().transactional(async (other) => {
      await trackEvents(other, [trackInput(project, 'ada@example.com', { patch: { plan: 'pro' } })]);
      computing = computeStale();
      const planned = () => sql('select 1 from segment_inputs where project_id = $1', [project]);
      await eventually(planned, (rows) => rows.length > 0);
    });
    await computing;
    expect((await membersOf(pro)).stored).toEqual(['ada@example.com']);
  });

  it('are computed in full when the events that they read were deleted, by a process of any version', async () => {
    const bought = await addSegment('bought', where({ field: 'event.bought', operator: 'triggered' }));
    const other = await addSegment('other', where({ field: 'event.other', operator: 'triggered' }));
    await computeStale();
    const { id } = await recordEventDeletion(em(), project, 'bought');
    await sql('delete from event_deletions where id = $1', [id]);
    const stale = (await em().getRepository(Segment).listTracked(null)).map(({ segmentId }) => segmentId);
    expect(stale).toContain(bought.id);
    expect(stale).not.toContain(other.id);
  });

  it('leave a segment that can not be evaluated to a computation in full, and go on with the others', async () => {
    const [broken, pro] = [await addSegment('broken', planIs('pro')), await addSegment('pro', planIs('pro'))];
    await computeStale();
    await sql('alter table segments disable trigger segments_changed');
    await sql(`update segments set condition = '{"logic": "NONE"}' where id = $1`, [broken.id]);
    await sql('alter table segments enable trigger segments_changed');
    await track('ada@example.com', { patch: { plan: 'pro' } });
    expect(await round()).toMatchObject({ added: 1, failed: 1 });
    expect((await membersOf(pro)).stored).toEqual(['ada@example.com']);
    const stale = await em().getRepository(Segment).listTracked(null);
    expect(stale.map(({ segmentId }) => segmentId)).toContain(broken.id);
  });
});

describe('a project with changes', () => {
  it('has its turn when others have had theirs, and pauses after it', async () => {
    const first = project;
    await addSegment('pro', planIs('pro'));
    await computeStale();
    await track('ada@example.com', { patch: { plan: 'pro' } });
    project = newId();
    await addSegment('pro', planIs('pro'));
    await computeStale();
    await track('ada@example.com', { patch: { plan: 'pro' } });
    const turns = async () =>
      (await listSegmentTurns(em(), 100)).filter((id) => id === first || id === project);
    expect(await turns()).toHaveLength(2);
    // Times are rounded to milliseconds: a pause of 0 may end half a millisecond later.
    await endSegmentTurn(em(), first, -1);
    expect(await turns()).toEqual([project, first]);
    await endSegmentTurn(em(), project, 60_000);
    expect(await turns()).toEqual([first]);
  });
});
