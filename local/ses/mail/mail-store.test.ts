import { appendFile, readFile, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../testing/test-ses.ts';
import { createMessageId, MailStore } from './mail-store.ts';
import type { NewMessage } from './records.ts';

async function openStore(folder: string): Promise<MailStore> {
  const store = await MailStore.open(folder);
  onTestFinished(() => store.close().catch(() => {}));
  return store;
}

function message(to: string, replaced: Partial<NewMessage> = {}): NewMessage {
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

function takeAll(store: MailStore): number[] {
  const numbers: number[] = [];
  for (let event = store.pending.take(); event !== undefined; event = store.pending.take()) {
    numbers.push(event.number);
  }
  return numbers;
}

describe('mail store', () => {
  it('returns messages and pending events in order after it was reopened', async () => {
    const folder = await temporaryFolder();
    const first = await openStore(folder);
    await first.accept(callBody('one'), [message('one@example.test')]);
    await first.accept(callBody('two ✓'), [message('two@example.test', { subject: 'two ✓' })]);
    await first.noteDelivered([2, 3]);
    await first.close();

    const again = await openStore(folder);
    const { total, messages } = again.search({}, 10);
    expect(total).toBe(2);
    const subjects = await Promise.all(
      messages.map(async ({ line }) => (await again.read(line)).content.subject),
    );
    expect(subjects).toEqual(['two ✓', 'one']);
    expect(takeAll(again)).toEqual([1, 4]);
  });

  it('keeps every message of concurrent calls, each with its own content', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    const names = Array.from({ length: 1_200 }, (_, index) => `n${index}@example.test`);
    await Promise.all(names.map((name) => store.accept(callBody(name), [message(name, { events: [] })])));
    await store.close();
    const again = await openStore(folder);
    const { messages } = again.search({}, names.length);
    const read = await Promise.all(messages.map(({ line }) => again.read(line)));
    expect(read.map(({ content }) => content.subject).sort()).toEqual([...names].sort());
    for (const { record, content } of read) expect(content.subject).toBe(record.to[0]);
  });

  it('cuts off a line torn by a crash, and continues after the last whole one', async () => {
    const folder = await temporaryFolder();
    const first = await openStore(folder);
    await first.accept(callBody('kept'), [message('kept@example.test')]);
    await first.close();
    await appendFile(join(folder, 'mail.log'), '{"kind":"message","id":"torn');

    const second = await openStore(folder);
    await second.accept(callBody('later'), [message('later@example.test')]);
    await second.close();
    const third = await openStore(folder);
    expect(third.search({}, 10).messages.map(({ recipients }) => recipients)).toEqual([
      'later@example.test',
      'kept@example.test',
    ]);
  });

  it('leaves out a message whose body never reached the disk', async () => {
    const folder = await temporaryFolder();
    const first = await openStore(folder);
    await first.accept(callBody('kept'), [message('kept@example.test')]);
    await first.accept(callBody('lost'), [message('lost@example.test')]);
    await first.close();
    const { size } = await stat(join(folder, 'bodies.log'));
    await truncate(join(folder, 'bodies.log'), size - 1);
    const again = await openStore(folder);
    expect(again.search({}, 10).messages.map(({ recipients }) => recipients)).toEqual(['kept@example.test']);
  });

  it('delivers pending events of deleted messages, and never reuses a number', async () => {
    const folder = await temporaryFolder();
    const first = await openStore(folder);
    await first.accept(callBody('gone'), [message('gone@example.test')]);
    await first.clear();
    expect(first.size).toBe(0);
    await first.close();

    const second = await openStore(folder);
    expect(second.size).toBe(0);
    expect(takeAll(second)).toEqual([1, 2]);
    second.pending.settle([1, 2]);
    await second.noteDelivered([1, 2]);
    await second.clear();
    expect((await readFile(join(folder, 'mail.log'), 'utf8')).split('\n')).toHaveLength(2);
    expect((await stat(join(folder, 'bodies.log'))).size).toBe(0);
    await second.close();

    const third = await openStore(folder);
    await third.accept(callBody('new'), [message('new@example.test')]);
    expect(takeAll(third)).toEqual([3, 4]);
  });

  it('adds no event to a message that is being deleted', async () => {
    const store = await openStore(await temporaryFolder());
    await store.accept(callBody('one'), [message('one@example.test', { events: [] })]);
    const [found] = store.search({}, 1).messages;
    if (found === undefined) throw new Error('The message is missing.');
    const clearing = store.clear();
    const isAdded = await store.addEvent(found, { type: 'Open' });
    await clearing;
    expect(isAdded).toBe(false);
    expect(takeAll(store)).toEqual([]);
  });

  it('finds messages by part of recipient and subject, whatever the case, page by page', async () => {
    const store = await openStore(await temporaryFolder());
    for (const name of ['Ada', 'Bob', 'adam']) {
      await store.accept(callBody(name), [message(`${name}@Example.test`, { subject: `Hello ${name}` })]);
    }
    const found = (filter: object, limit = 10, offset = 0): [number, string[]] => {
      const { total, messages } = store.search(filter, limit, offset);
      return [total, messages.map(({ subject }) => subject)];
    };
    expect(found({ to: 'ADA' })).toEqual([2, ['hello adam', 'hello ada']]);
    expect(found({ subject: 'bob' })).toEqual([1, ['hello bob']]);
    expect(found({ to: 'ada', subject: 'bob' })).toEqual([0, []]);
    expect(found({}, 1, 1)).toEqual([3, ['hello bob']]);
  });
});
