import { randomUUID } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { trackInput } from '../../../test/setup/inputs.ts';
import { useProject } from '../../../test/setup/projects.ts';
import { findWrongCounts, readContact, readCounts, readEvents } from '../../../test/setup/read-database.ts';
import { storeListeners } from '../../../test/setup/stored-workflows.ts';
import { Batcher } from '../../batching/batcher.ts';
import { brokenConstraint, isRolledBack } from '../../database-errors.ts';
import { type TrackedEvent, type TrackInput, trackEvents } from './track-events.ts';

const { em, sql } = useTestDatabase();
const project = useProject(em);

describe('a new contact', () => {
  it('is created subscribed, with its data, and emits only the event itself', async () => {
    const input = trackInput(project.id, 'new@example.com', {
      patch: { plan: 'pro', gone: null, nested: { a: [1, null] } },
      eventName: 'bought',
      eventData: { amount: 12 },
    });
    expect(await trackEvents(em(), [input])).toMatchObject([{ contactId: input.contactId }]);
    expect(await readContact(em(), project.id, 'new@example.com')).toMatchObject({
      id: input.contactId,
      subscribed: true,
      snoozedUntil: null,
      createdAt: input.occurredAt,
      updatedAt: input.occurredAt,
    });
    expect((await readContact(em(), project.id, 'new@example.com'))?.data).toEqual({
      plan: 'pro',
      nested: { a: [1, null] },
    });
    expect(await readEvents(em(), project.id)).toMatchObject([
      {
        id: input.eventId,
        name: 'bought',
        kind: 'tracked',
        contactId: input.contactId,
        emailId: null,
        data: { amount: 12 },
        occurredAt: input.occurredAt,
      },
    ]);
    expect(await readCounts(em(), input.contactId)).toEqual({ bought: 1 });
  });

  it('is unsubscribed when the call says so, which is not a change and emits nothing', async () => {
    const input = trackInput(project.id, 'new@example.com', { subscribed: false });
    await trackEvents(em(), [input]);
    expect(await readContact(em(), project.id, 'new@example.com')).toMatchObject({ subscribed: false });
    expect(await readCounts(em(), input.contactId)).toEqual({ signed_up: 1 });
  });

  it('is a different contact in each project', async () => {
    const other = randomUUID();
    const inputs = [trackInput(project.id, 'same@example.com'), trackInput(other, 'same@example.com')];
    const tracked = await trackEvents(em(), inputs);
    expect(tracked.map((event) => event.contactId)).toEqual(inputs.map((input) => input.contactId));
    expect(await readEvents(em(), other)).toHaveLength(1);
  });
});

describe('an existing contact', () => {
  it('keeps its id, and its data is patched: set, replaced as a whole, removed', async () => {
    const first = trackInput(project.id, 'a@example.com', {
      patch: { keep: 1, deep: { x: 1, y: 2 }, gone: 'x' },
    });
    await trackEvents(em(), [first]);
    const occurredAt = new Date(Date.now() + 1_000);
    const second = trackInput(project.id, 'a@example.com', {
      patch: { deep: { x: 3 }, gone: null, never: null, list: [1, [2]] },
      occurredAt,
    });
    expect(await trackEvents(em(), [second])).toMatchObject([{ contactId: first.contactId }]);
    expect(await readContact(em(), project.id, 'a@example.com')).toMatchObject({
      id: first.contactId,
      createdAt: first.occurredAt,
      updatedAt: occurredAt,
    });
    expect((await readContact(em(), project.id, 'a@example.com'))?.data).toEqual({
      keep: 1,
      deep: { x: 3 },
      list: [1, [2]],
    });
  });

  it('is not written when nothing would change', async () => {
    const input = trackInput(project.id, 'a@example.com', {
      patch: { a: 1, b: { c: [1] } },
      subscribed: true,
    });
    await trackEvents(em(), [input]);
    const before = await readContact(em(), project.id, 'a@example.com');
    await trackEvents(em(), [trackInput(project.id, 'a@example.com')]);
    await trackEvents(em(), [trackInput(project.id, 'a@example.com', { patch: { a: 1 }, subscribed: true })]);
    await trackEvents(em(), [
      trackInput(project.id, 'a@example.com', { patch: { b: { c: [1] }, never: null } }),
    ]);
    expect(await readContact(em(), project.id, 'a@example.com')).toEqual(before);
    expect(await readCounts(em(), input.contactId)).toEqual({ signed_up: 4 });
  });

  it('emits each change of its subscription once', async () => {
    const input = trackInput(project.id, 'a@example.com');
    await trackEvents(em(), [input]);
    const flips = [false, false, undefined, true, true, false].map((subscribed) =>
      trackInput(project.id, 'a@example.com', { subscribed }),
    );
    for (const flip of flips) await trackEvents(em(), [flip]);
    const emitted = (await readEvents(em(), project.id)).filter((event) => event.kind === 'emitted');
    expect(emitted.map((event) => [event.id, event.name, event.contactId])).toEqual([
      [flips[0]?.flipId, 'contact.unsubscribed', input.contactId],
      [flips[3]?.flipId, 'contact.subscribed', input.contactId],
      [flips[5]?.flipId, 'contact.unsubscribed', input.contactId],
    ]);
    expect(await readCounts(em(), input.contactId)).toEqual({
      signed_up: 7,
      'contact.unsubscribed': 2,
      'contact.subscribed': 1,
    });
    expect(await findWrongCounts(em(), project.id)).toEqual([]);
  });

  it('is no longer snoozed after any write to its subscription', async () => {
    for (const subscribed of [false, true]) {
      const email = `snoozed-${subscribed}@example.com`;
      await trackEvents(em(), [trackInput(project.id, email, { subscribed: false })]);
      await sql(`update contacts set snoozed_until = now() + interval '1 day' where email = $1`, [email]);
      await trackEvents(em(), [trackInput(project.id, email, { patch: { a: 1 } })]);
      expect(await readContact(em(), project.id, email)).toMatchObject({ snoozedUntil: expect.any(Date) });
      await trackEvents(em(), [trackInput(project.id, email, { subscribed })]);
      expect(await readContact(em(), project.id, email)).toMatchObject({ subscribed, snoozedUntil: null });
    }
  });

  it('is suppressed until it is subscribed again', async () => {
    const input = trackInput(project.id, 'a@example.com');
    await trackEvents(em(), [input]);
    await sql(
      `update contacts set subscribed = false, suppression_reason = 'bounce', suppressed_at = now(),
         suppressed_email_id = uuidv7() where id = $1`,
      [input.contactId],
    );
    await trackEvents(em(), [
      trackInput(project.id, 'a@example.com', { subscribed: false, patch: { a: 1 } }),
    ]);
    expect(await readContact(em(), project.id, 'a@example.com')).toMatchObject({
      suppressionReason: 'bounce',
    });
    await trackEvents(em(), [trackInput(project.id, 'a@example.com', { subscribed: true })]);
    expect(await readContact(em(), project.id, 'a@example.com')).toMatchObject({
      subscribed: true,
      suppressionReason: null,
      suppressedAt: null,
      suppressedEmailId: null,
    });
  });
});

describe('a batch', () => {
  it('returns rows in the order of its inputs, whatever the order of the contacts', async () => {
    await trackEvents(em(), [trackInput(project.id, 'm@example.com')]);
    const inputs = ['z', 'm', 'a', 'q'].map((name) => trackInput(project.id, `${name}@example.com`));
    const tracked = await trackEvents(em(), inputs);
    const ids = await Promise.all(
      inputs.map(async (input) => (await readContact(em(), project.id, input.email))?.id),
    );
    expect(tracked.map((event) => event.contactId)).toEqual(ids);
  });

  it('treats several events of one contact as if they had come one after the other', async () => {
    const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms);
    const inputs = [
      trackInput(project.id, 'a@example.com', { patch: { a: 1, b: 1, c: 1 }, occurredAt: at(1) }),
      trackInput(project.id, 'b@example.com', { patch: { a: 9 }, occurredAt: at(2) }),
      trackInput(project.id, 'a@example.com', { patch: { b: null, c: 2, d: null }, occurredAt: at(3) }),
      trackInput(project.id, 'a@example.com', { patch: { d: 4 }, eventName: 'other', occurredAt: at(4) }),
    ];
    const id = inputs[0]?.contactId;
    expect(await trackEvents(em(), inputs)).toMatchObject([
      { contactId: id },
      { contactId: inputs[1]?.contactId },
      { contactId: id },
      { contactId: id },
    ]);
    expect(await readContact(em(), project.id, 'a@example.com')).toMatchObject({
      createdAt: at(1),
      updatedAt: at(4),
    });
    expect((await readContact(em(), project.id, 'a@example.com'))?.data).toEqual({ a: 1, c: 2, d: 4 });
    expect(await readCounts(em(), id ?? '')).toEqual({ signed_up: 2, other: 1 });
    expect(await findWrongCounts(em(), project.id)).toEqual([]);
    expect((await readEvents(em(), project.id)).map((event) => event.id)).toEqual(
      inputs.map((input) => input.eventId),
    );
  });

  it('emits one change when several events of one contact ask for the same subscription', async () => {
    const first = trackInput(project.id, 'a@example.com');
    await trackEvents(em(), [first]);
    await trackEvents(
      em(),
      [undefined, false, false].map((subscribed) => trackInput(project.id, 'a@example.com', { subscribed })),
    );
    expect(await readCounts(em(), first.contactId)).toEqual({ signed_up: 4, 'contact.unsubscribed': 1 });
  });

  it('writes nothing when the data of one contact would exceed 64 KB', async () => {
    await trackEvents(em(), [
      trackInput(project.id, 'full@example.com', { patch: { a: 'x'.repeat(60_000) } }),
    ]);
    const failure = await trackEvents(em(), [
      trackInput(project.id, 'fine@example.com'),
      trackInput(project.id, 'full@example.com', { patch: { b: 'x'.repeat(6_000) } }),
    ]).catch((error: unknown) => error);
    expect(brokenConstraint(failure)).toBe('contacts_data_size');
    expect(isRolledBack(failure)).toBe(true);
    expect(await readContact(em(), project.id, 'fine@example.com')).toBeUndefined();
    expect(await readEvents(em(), project.id)).toHaveLength(1);
  });

  it('fails only the item with too much data when it runs in a batcher', async () => {
    const batcher = new Batcher<TrackInput, TrackedEvent>({
      run: (inputs) => trackEvents(em(), inputs),
      maxItems: 100,
      concurrency: 1,
    });
    await batcher.submit(trackInput(project.id, 'full@example.com', { patch: { a: 'x'.repeat(60_000) } }));
    const answers = await Promise.allSettled(
      ['one', 'full', 'two'].map((name) =>
        batcher.submit(
          trackInput(project.id, `${name}@example.com`, {
            patch: { b: name === 'full' ? 'x'.repeat(6_000) : 1 },
          }),
        ),
      ),
    );
    expect(answers.map((answer) => answer.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await readContact(em(), project.id, 'full@example.com'))?.data).not.toHaveProperty('b');
    expect(await readEvents(em(), project.id)).toHaveLength(3);
  });

  it('stores ids, names and data that look like SQL or JSON unchanged', async () => {
    const eventName = `it's "quoted" \\ {} ; drop table events; -- ключ 😀`;
    const input = trackInput(project.id, `o'brien+"x"@example.com`, {
      eventName,
      patch: { "k'ey": '\\u0041', '': 'empty', 'a.b': '{"x":1}', ключ: '😀' },
      contactId: uuidv7(),
    });
    await trackEvents(em(), [input]);
    expect((await readContact(em(), project.id, input.email))?.data).toEqual(input.patch);
    expect(await readCounts(em(), input.contactId)).toEqual({ [eventName]: 1 });
  });
});

describe('events that start very many executions', () => {
  it('share no statement with those of other projects, and are divided', async () => {
    await storeListeners(em(), project.id, 'signed_up', 100);
    const other = randomUUID();
    const written: TrackInput[][] = [];
    const batcher = new Batcher<TrackInput, TrackedEvent>({
      async run(inputs) {
        const tracked = await trackEvents(em(), inputs);
        written.push(inputs);
        return tracked;
      },
      maxItems: 500,
      concurrency: 2,
      groupOf: ({ projectId }) => projectId,
    });
    const inputs = Array.from({ length: 120 }, (_, n) => trackInput(project.id, `reader-${n}@example.com`));
    inputs.push(trackInput(other, 'other@example.com'));
    await Promise.all(inputs.map((input) => batcher.submit(input)));
    expect(await sql('select from workflow_executions where project_id = $1', [project.id])).toHaveLength(
      12_000,
    );
    for (const batch of written) expect(batch.length).toBeLessThanOrEqual(50);
    expect(written.filter((batch) => batch.some(({ projectId }) => projectId === other))).toMatchObject([
      [{ projectId: other }],
    ]);
  });

  it('of one contact share no statement with those of other projects either', async () => {
    await sql(
      `insert into event_listeners
       select $1, 'signed_up', '00000000-0000-0000-0000-000000000000', id, id
       from (select gen_random_uuid() as id from generate_series(1, 501)) listener`,
      [project.id],
    );
    const written: TrackInput[][] = [];
    const batcher = new Batcher<TrackInput, TrackedEvent>({
      async run(inputs, lockMs) {
        const tracked = await trackEvents(em(), inputs, lockMs);
        written.push(inputs);
        return tracked;
      },
      maxItems: 500,
      concurrency: 2,
      groupOf: ({ projectId }) => projectId,
      limitsLocks: true,
    });
    const loud = trackInput(project.id, 'reader@example.com');
    const quiet = trackInput(randomUUID(), 'other@example.com');
    await Promise.all([loud, quiet].map((input) => batcher.submit(input)));
    expect(written).toEqual([[quiet], [loud]]);
  });

  it('of several projects share a statement, if each of them starts few', async () => {
    const both = [project.id, randomUUID()];
    await sql(
      `insert into event_listeners
       select project, 'signed_up', '00000000-0000-0000-0000-000000000000', id, id
       from unnest($1::uuid[]) project, (select gen_random_uuid() as id from generate_series(1, 400)) listener`,
      [both],
    );
    const inputs = () => both.map((id) => trackInput(id, 'reader@example.com'));
    expect(await trackEvents(em(), inputs(), 1_000)).toHaveLength(2);
    const twice = [...inputs(), trackInput(project.id, 'friend@example.com')];
    await expect(trackEvents(em(), twice, 1_000)).rejects.toThrow('the events start or wake 1200 executions');
  });

  it('are written, if it is a single one that shares no statement', async () => {
    await sql(
      `insert into event_listeners
       select $1, 'signed_up', '00000000-0000-0000-0000-000000000000', id, id
       from (select gen_random_uuid() as id from generate_series(1, 5001)) listener`,
      [project.id],
    );
    const inputs = ['one', 'two', 'three'].map((name) => trackInput(project.id, `${name}@example.com`));
    await expect(trackEvents(em(), inputs)).rejects.toThrow('the events start or wake 15003 executions');
    await expect(trackEvents(em(), inputs.slice(0, 1), 1_000)).rejects.toThrow(
      'start or wake 5001 executions',
    );
    expect(await trackEvents(em(), inputs.slice(0, 1))).toHaveLength(1);
  });
});
