import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../testing/test-ses.ts';
import { createMessageId, databaseFile, MailStore } from './mail-store.ts';
import type { MessageRecord, PendingEvent } from './records.ts';

function openStore(folder: string): MailStore {
  const store = new MailStore(folder);
  let isClosed = false;
  const close = store.close.bind(store);
  store.close = () => {
    if (!isClosed) close();
    isClosed = true;
  };
  onTestFinished(() => store.close());
  return store;
}

function message(to: string, replaced: Partial<MessageRecord> = {}): MessageRecord {
  return {
    id: createMessageId(Date.now()),
    at: Date.now(),
    from: 'hello@example.test',
    replyTo: [],
    to: [to],
    cc: [],
    bcc: [],
    recipients: [to],
    subject: `For ${to}`,
    headers: [],
    tags: {},
    configurationSet: 'posthaste',
    events: [{ type: 'Send' }, { type: 'Delivery', recipients: [to] }],
    entry: null,
    ...replaced,
  };
}

const callBody = (subject: string): Buffer =>
  Buffer.from(JSON.stringify({ Content: { Simple: { Subject: { Data: subject }, Body: {} } } }));

function takeAll(store: MailStore): PendingEvent[] {
  const events: PendingEvent[] = [];
  for (let event = store.takeEvent(); event !== undefined; event = store.takeEvent()) events.push(event);
  return events;
}

const describeEvents = (events: PendingEvent[]): string[] =>
  events.map((event) =>
    'received' in event ? `received ${event.received.id}` : `${event.event.type} ${event.message.to[0]}`,
  );

const numbersOf = (events: PendingEvent[]): number[] => events.map(({ number }) => number);

describe('mail store', () => {
  it('returns messages and undelivered events, in order, after it was reopened', async () => {
    const folder = await temporaryFolder();
    const first = openStore(folder);
    first.accept(callBody('one'), [message('one@example.test')]);
    first.accept(callBody('two ✓'), [message('two@example.test', { subject: 'two ✓' })]);
    const before = takeAll(first);
    first.noteDelivered(numbersOf(before.slice(1, 3)));
    first.close();

    const again = openStore(folder);
    const { total, ids } = again.search({}, 10);
    expect([total, again.size, again.pendingEvents]).toEqual([2, 2, 2]);
    const read = await Promise.all(ids.map((id) => again.read(id)));
    expect(read.map((stored) => stored?.content.subject)).toEqual(['two ✓', 'one']);
    const after = takeAll(again);
    expect(describeEvents(after)).toEqual(['Send one@example.test', 'Delivery two@example.test']);
    expect(after).toEqual([before[0], before[3]]);
  });

  it('returns events in the order in which they were added, also after all before were delivered', async () => {
    const store = openStore(await temporaryFolder());
    const one = message('one@example.test', { events: [{ type: 'Send' }] });
    store.accept(callBody('one'), [one]);
    const taken = takeAll(store);
    expect(describeEvents(taken)).toEqual(['Send one@example.test']);
    store.noteDelivered(numbersOf(taken));
    expect(store.addEvent(one.id, { type: 'Open' })).toBe(true);
    const verdicts = { spf: 'PASS', dkim: 'PASS', dmarc: 'PASS', spam: 'PASS', virus: 'PASS' } as const;
    store.receive({ id: 'r1', at: 1, source: '', recipients: [], size: 1, verdicts });
    const later = takeAll(store);
    expect(describeEvents(later)).toEqual(['Open one@example.test', 'received r1']);
    expect(new Set([...taken, ...later].map(({ id }) => id)).size).toBe(3);
  });

  it('accepts all messages of a call or none', async () => {
    const folder = await temporaryFolder();
    const store = openStore(folder);
    const known = message('known@example.test');
    store.accept(callBody('one'), [known]);
    expect(() => store.accept(callBody('two'), [message('new@example.test'), known])).toThrow();
    store.accept(callBody('three'), [message('later@example.test')]);
    for (const opened of [store, openStore(folder)]) {
      const { ids } = opened.search({}, 10);
      expect(ids.map((id) => opened.find(id)?.to[0])).toEqual(['later@example.test', 'known@example.test']);
      expect(opened.size).toBe(2);
      expect(takeAll(opened)).toHaveLength(4);
    }
  });

  it('delivers the pending events of deleted messages, and then frees the space', async () => {
    const folder = await temporaryFolder();
    const first = openStore(folder);
    first.accept(callBody('x'.repeat(1_000_000)), [message('gone@example.test')]);
    first.clear();
    expect(first.size).toBe(0);
    first.close();

    const second = openStore(folder);
    expect(second.search({}, 10)).toEqual({ total: 0, ids: [] });
    const events = takeAll(second);
    expect(describeEvents(events)).toEqual(['Send gone@example.test', 'Delivery gone@example.test']);
    second.noteDelivered(numbersOf(events));
    second.clear();
    second.close();
    expect((await stat(join(folder, databaseFile))).size).toBeLessThan(100_000);
  });

  it('adds no event to a deleted message', async () => {
    const store = openStore(await temporaryFolder());
    const one = message('one@example.test', { events: [] });
    store.accept(callBody('one'), [one]);
    store.clear();
    expect(store.addEvent(one.id, { type: 'Open' })).toBe(false);
    expect(takeAll(store)).toEqual([]);
  });

  it('finds messages by part of recipient and subject, whatever the case, page by page', async () => {
    const store = openStore(await temporaryFolder());
    for (const name of ['Ada', 'Bob', 'adam', 'Änne']) {
      store.accept(callBody(name), [message(`${name}@Example.test`, { subject: `Hello ${name}` })]);
    }
    const found = (filter: object, limit = 10, offset = 0): [number, (string | undefined)[]] => {
      const { total, ids } = store.search(filter, limit, offset);
      return [total, ids.map((id) => store.find(id)?.subject)];
    };
    expect(found({ to: 'ADA' })).toEqual([2, ['Hello adam', 'Hello Ada']]);
    expect(found({ subject: 'bob' })).toEqual([1, ['Hello Bob']]);
    expect(found({ subject: 'äNN' })).toEqual([1, ['Hello Änne']]);
    expect(found({ to: 'ada', subject: 'bob' })).toEqual([0, []]);
    expect(found({}, 1, 2)).toEqual([4, ['Hello Bob']]);
  });

  it('counts the messages since a time', async () => {
    const store = openStore(await temporaryFolder());
    for (const at of [1_000, 2_000, 3_000]) {
      store.accept(callBody('x'), [message('a@example.test', { at, id: createMessageId(at) })]);
    }
    expect([0, 2_000, 2_001, 4_000].map((since) => store.countSince(since))).toEqual([3, 2, 1, 0]);
  });
});
