import { describe, expect, it } from 'vitest';
import { isLockTimeout } from '../../../db/database-errors.ts';
import { recordEventDeletion } from '../../../db/statements/events/record-event-deletion.ts';
import { trackEvents } from '../../../db/statements/events/track-events.ts';
import { computationStart, computeSegment } from '../../../db/statements/segments/compute-segment.ts';
import { evaluateChanges } from '../../../db/statements/segments/evaluate-changes.ts';
import { markCurrent, planSegment } from '../../../db/statements/segments/plan-segment.ts';
import {
  endSegmentTurn,
  listSegmentTurns,
  listStaleSegments,
} from '../../../db/statements/segments/segment-turns.ts';
import { sql as run } from '../../../db/testing/sql.ts';
import { openPool } from '../../../test/setup/database.ts';
import { eventually } from '../../../test/setup/eventually.ts';
import { trackInput } from '../../../test/setup/inputs.ts';
import { planIs, where } from '../../../test/setup/segments.ts';
import { evaluateProject } from './evaluate-project.ts';
import {
  addSegment,
  changeProject,
  changesLeft,
  computeFully,
  computeStale,
  membersOf,
  project,
  round,
  track,
  useRoundsStage,
} from './testing/rounds-stage.ts';

const stage = useRoundsStage();
const { em, sql } = stage;
const dayMs = 86_400_000;
const emails = ['ada@example.com', 'bob@example.com', 'carl@example.com', 'dora@example.com'];

describe('segments evaluated by rounds of changes', () => {
  it('plan changes by time once a day, a day and a half ahead', async () => {
    const twoDays = where({ field: 'data.seen', operator: 'within', value: 2, unit: 'days' });
    const segment = await addSegment('seen', twoDays);
    await track('ada@example.com', { patch: { seen: new Date().toISOString() } });
    await computeStale();
    expect((await membersOf(segment)).stored).toEqual(['ada@example.com']);
    // Beyond the plan.
    expect(await changesLeft()).toBe(0);
    expect(await listSegmentTurns(em(), 10)).not.toContain(project);
    // As if two days had passed: nothing was written, and the plan has run out.
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

  it('plan their clocks only once when they are computed concurrently', async () => {
    const today = where({ field: 'data.seen', operator: 'within', value: 1, unit: 'days' });
    const segments = [];
    for (const name of ['a', 'b', 'c']) segments.push(await addSegment(name, today));
    for (const each of emails) await track(each, { patch: { seen: new Date().toISOString() } });
    await Promise.all(segments.map(({ id }) => computeFully(id)));
    expect(await changesLeft()).toBe(emails.length);
  });

  it('record only what a tracked segment of the project reads', async () => {
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
    // A round stops the recording of inputs that are no longer read.
    await sql('update segments set track_membership = false where id = $1', [pro.id]);
    await track('ada@example.com', { patch: { plan: 'free' } });
    await round();
    await track('ada@example.com', { patch: { plan: 'pro' } });
    expect(await changesLeft()).toBe(0);
  });

  it('wait for a transaction that does not know the inputs of the segment yet', async () => {
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

  it('leave the first plan of a clock to a computation that waits for such a transaction', async () => {
    await track('ada@example.com');
    const window = where({ field: 'data.seen', operator: 'within', value: 30, unit: 'hours' });
    const segment = await addSegment('seen', window);
    await em().transactional(async (other) => {
      const patch = { seen: new Date().toISOString() };
      await trackEvents(other, [trackInput(project, 'ada@example.com', { patch })]);
      await planSegment(em(), project, segment.id);
      await round();
    });
    await computeStale();
    expect((await membersOf(segment)).stored).toEqual(['ada@example.com']);
    expect(await changesLeft()).toBe(1);
  });

  it('are computed in full after a process of any version deleted the events they read', async () => {
    const bought = await addSegment('bought', where({ field: 'event.bought', operator: 'triggered' }));
    const other = await addSegment('other', where({ field: 'event.other', operator: 'triggered' }));
    await computeStale();
    const { id } = await recordEventDeletion(em(), project, 'bought');
    await sql('delete from event_deletions where id = $1', [id]);
    const stale = (await listStaleSegments(em(), [], 1_000)).map(({ segmentId }) => segmentId);
    expect(stale).toContain(bought.id);
    expect(stale).not.toContain(other.id);
  });

  it('leave the segments that they do not come to in time to a full computation', async () => {
    const segments = await Promise.all(
      ['pro', 'free'].map((plan) => addSegment(`plan ${plan}`, planIs(plan))),
    );
    await track('ada@example.com', { patch: { plan: 'free' } });
    await computeStale();
    await track('ada@example.com', { patch: { plan: 'pro' } });
    const late = await evaluateChanges(em(), project, 10_000, undefined, 0);
    expect(late).toMatchObject({ changes: 1, added: 0, removed: 0, failed: 2, hasMore: false });
    expect(await changesLeft()).toBe(0);
    await computeStale();
    for (const segment of segments) {
      const { stored, meeting } = await membersOf(segment);
      expect(stored).toEqual(meeting);
    }
  });

  it('that wait long for a lock fail, and evaluate as many contacts in the next attempt', async () => {
    const pro = await addSegment('pro', planIs('pro'));
    await computeStale();
    for (let n = 0; n < 20; n += 1) await track(`reader-${n}@example.com`, { patch: { plan: 'pro' } });
    const evaluate = (longestMs?: number) =>
      evaluateChanges(em(), project, 10_000, undefined, undefined, longestMs);
    await em().transactional(async (other) => {
      await run(other, 'select from segments where id = $1 for update', [pro.id]);
      await expect(evaluate(1_000)).rejects.toSatisfy(isLockTimeout);
    });
    expect(await evaluate()).toEqual({ changes: 20, added: 20, removed: 0, failed: 0, hasMore: false });
    expect((await listStaleSegments(em(), [], 1_000)).map(({ segmentId }) => segmentId)).not.toContain(
      pro.id,
    );
  });

  it('leave a segment that fails to a full computation, and continue with the others', async () => {
    const [broken, pro] = [await addSegment('broken', planIs('pro')), await addSegment('pro', planIs('pro'))];
    await computeStale();
    await sql('alter table segments disable trigger segments_changed');
    await sql(`update segments set condition = '{"logic": "NONE"}' where id = $1`, [broken.id]);
    await sql('alter table segments enable trigger segments_changed');
    await track('ada@example.com', { patch: { plan: 'pro' } });
    expect(await round()).toMatchObject({ added: 1, failed: 1 });
    expect((await membersOf(pro)).stored).toEqual(['ada@example.com']);
    const stale = await listStaleSegments(em(), [], 1_000);
    expect(stale.map(({ segmentId }) => segmentId)).toContain(broken.id);
  });

  it('leave it to the next one if a full computation has passed the contact already', async () => {
    await track('ada@example.com');
    const pro = await addSegment('pro', planIs('pro'));
    const setCondition = async (condition: unknown) => {
      await sql('alter table segments disable trigger segments_changed');
      await sql('update segments set condition = $2 where id = $1', [pro.id, JSON.stringify(condition)]);
      await sql('alter table segments enable trigger segments_changed');
    };
    const planId = (await planSegment(em(), project, pro.id)) ?? '';
    await computeSegment(em(), project, pro.id, computationStart, () => undefined);
    await setCondition({ logic: 'NONE' });
    await track('ada@example.com', { patch: { plan: 'pro' } });
    expect(await round()).toMatchObject({ changes: 1, failed: 1 });
    await setCondition(pro.condition);
    expect(await markCurrent(em(), pro.id, planId)).toBe(false);
    await computeStale();
    expect((await membersOf(pro)).stored).toEqual(['ada@example.com']);
  });

  it('plan changes by time across a change of the clocks in the database', async () => {
    const segment = await addSegment(
      'seen',
      where({ field: 'data.seen', operator: 'within', value: 30, unit: 'hours' }),
    );
    const seen = new Date();
    await track('ada@example.com', { patch: { seen: seen.toISOString() } });
    const orm = openPool(`${stage.url}?options=-c%20TimeZone%3D${shortDayAfter(seen)}`, 3);
    await computeFully(segment.id, orm.em);
    await orm.close();
    const due = await sql<{ at: Date }>(
      'select uuid_extract_timestamp(id) as at from segment_changes where project_id = $1 and input is not null',
      [project],
    );
    const exit = seen.getTime() + 30 * 3_600_000;
    // Not an hour early. The clock goes on within the statement.
    expect(due.map(({ at }) => Math.abs(at.getTime() - exit) < 60_000)).toEqual([true]);
  });
});

/** A time zone whose clocks go forward at the next midnight (UTC), as Postgres takes it. */
function shortDayAfter(now: Date): string {
  const midnight = Math.ceil(now.getTime() / dayMs) * dayMs;
  const day = (midnight - Date.UTC(new Date(midnight).getUTCFullYear(), 0, 1)) / dayMs;
  return encodeURIComponent(`STD0DST,${day}/0,${(day + 30) % 365}/0`);
}

it('segments to compute in full are listed so that projects take turns', async () => {
  await sql('update segments set is_current = true');
  const heavy = [
    await addSegment('a', planIs('a')),
    await addSegment('b', planIs('b')),
    await addSegment('c', planIs('c')),
  ];
  changeProject();
  const other = [await addSegment('a', planIs('a')), await addSegment('b', planIs('b'))];
  const [first, second, third] = heavy.map(({ id }) => id);
  const [one, two] = other.map(({ id }) => id);
  const listed = async (except: string[]) =>
    (await listStaleSegments(em(), except, 4)).map(({ segmentId }) => segmentId);
  expect(await listed([])).toEqual([first, one, second, two]);
  expect(await listed([first ?? '', one ?? ''])).toEqual([second, two, third]);
});

describe('a project with changes', () => {
  it('gets its turn after the others, and then pauses', async () => {
    const first = project;
    await addSegment('pro', planIs('pro'));
    await computeStale();
    await track('ada@example.com', { patch: { plan: 'pro' } });
    changeProject();
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

  it('pauses after a turn that failed, so that the failing ones do not fill the list', async () => {
    await addSegment('pro', planIs('pro'));
    await computeStale();
    await track('ada@example.com', { patch: { plan: 'pro' } });
    expect(await listSegmentTurns(em(), 100)).toContain(project);
    await expect(evaluateProject(em(), project, AbortSignal.abort(new Error('failed')))).rejects.toThrow(
      'failed',
    );
    expect(await listSegmentTurns(em(), 100)).not.toContain(project);
    expect(await changesLeft()).toBe(1);
  });
});
