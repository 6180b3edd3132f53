import { randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import { sendBulkEmailSchema, sendEmailSchema } from '../protocol/schemas.ts';
import {
  type ContentOfEntry,
  contentOfBulk,
  contentOfSimple,
  type MessageContent,
} from './message-content.ts';
import { readRawMessage } from './raw-message.ts';
import type { MessageRecord, PendingEvent, PlannedEvent, ReceivedRecord } from './records.ts';

export interface StoredMessage {
  record: MessageRecord;
  content: MessageContent;
}

/** A message matches when it contains each given text, ignoring case. */
export interface MessageFilter {
  to?: string | undefined;
  subject?: string | undefined;
}

export const databaseFile = 'mail.db';
const cachedRecordBytes = 4 * 1024 * 1024;
const cachedCallBytes = 16 * 1024 * 1024;

/**
 * `call`: the messages of each call as JSON, and its body as received. `message`: the inbox, one row per message, with
 * recipients and subject in lower case. `event`: the pending events; one without a call tells of a received email.
 *
 * What is written survives a crash of this process. A power cut may lose the last emails, but leaves the database intact:
 * a commit waits for no fsync, only a checkpoint does.
 */
const schema = `
  pragma journal_mode = wal;
  pragma synchronous = normal;
  pragma cache_size = -32000;
  create table if not exists call (number integer primary key, messages text not null, body blob not null);
  create table if not exists message (
    number integer primary key, id text not null unique, call integer not null, place integer not null,
    recipients text not null, subject text not null
  );
  create table if not exists event (
    number integer primary key, id text not null, at integer not null, call integer, place integer,
    content text not null
  );
`;

/** Also empties the calls, except those whose events are pending. */
const emptyInbox = `
  delete from message;
  delete from call where number not in (select call from event where call is not null);
`;

const matches = 'instr(recipients, ?) > 0 and instr(subject, ?) > 0';

function prepareStatements(database: DatabaseSync) {
  return {
    begin: database.prepare('begin'),
    commit: database.prepare('commit'),
    addCall: database.prepare('insert into call (messages, body) values (?, ?)'),
    addMessage: database.prepare(
      'insert into message (id, call, place, recipients, subject) values (?, ?, ?, ?, ?)',
    ),
    addEvent: database.prepare('insert into event values (?, ?, ?, ?, ?, ?)'),
    nextEvents: database.prepare('select * from event where number > ? order by number limit 100'),
    deleteEvent: database.prepare('delete from event where number = ?'),
    findMessage: database.prepare('select call, place from message where id = ?'),
    readMessages: database.prepare('select messages from call where number = ?'),
    readBody: database.prepare('select cast(body as text) as body from call where number = ?'),
    countMatches: database.prepare(`select count(*) as total from message where ${matches}`),
    listMatches: database.prepare(
      `select id from message where ${matches} order by number desc limit ? offset ?`,
    ),
    countFrom: database.prepare('select count(*) as total from message where id >= ?'),
    countEvents: database.prepare('select count(*) as total, max(number) as newest from event'),
  };
}

interface NewEvent {
  at: number;
  /** Of the message among those of its call. */
  place: number | null;
  content: PlannedEvent | ReceivedRecord;
}

/** The messages of the inbox and the pending events, in an SQLite database. */
export class MailStore {
  readonly #database: DatabaseSync;
  readonly #sql: ReturnType<typeof prepareStatements>;
  readonly #records = new LRUCache<number, readonly MessageRecord[]>({ maxSize: cachedRecordBytes });
  readonly #calls = new LRUCache<number, Promise<ContentOfEntry>>({ maxSize: cachedCallBytes });
  #onEvents: () => void = () => {};
  // Counting the rows takes too long for a figure that is asked for many times a second.
  #size: number;
  #pendingEvents: number;
  #newestEvent: number;
  #readEvent = 0;
  #nextEvents: PendingEvent[] = [];

  constructor(directory: string) {
    mkdirSync(directory, { recursive: true });
    const path = join(directory, databaseFile);
    closeSync(openSync(path, 'a', 0o600));
    this.#database = new DatabaseSync(path);
    this.#database.exec(schema);
    this.#sql = prepareStatements(this.#database);
    const { total, newest } = this.#sql.countEvents.get() ?? {};
    this.#pendingEvents = Number(total);
    this.#newestEvent = Number(newest);
    this.#size = this.countSince(0);
  }

  get size(): number {
    return this.#size;
  }

  get pendingEvents(): number {
    return this.#pendingEvents;
  }

  /** @param since inclusive, milliseconds since the epoch */
  countSince(since: number): number {
    return Number(this.#sql.countFrom.get(idPrefix(since))?.total);
  }

  /** The listener is called when events can be taken. */
  onEvents(listener: () => void): void {
    this.#onEvents = listener;
  }

  /**
   * Stores the messages and queues their events, each a millisecond after the previous one.
   * @param body the call's JSON as received
   * @throws Error when they cannot be stored; then nothing was accepted
   */
  accept(body: Buffer, messages: readonly MessageRecord[]): void {
    const events = messages.flatMap(({ at, events: planned }, place) =>
      planned.map((content, position) => ({ at: at + position, place, content })),
    );
    const json = JSON.stringify(messages);
    const stored = this.#inTransaction(() => {
      const call = Number(this.#sql.addCall.run(json, body).lastInsertRowid);
      for (const [place, { id, recipients, subject }] of messages.entries()) {
        const addresses = recipients.join('\n').toLowerCase();
        this.#sql.addMessage.run(id, call, place, addresses, subject.toLowerCase());
      }
      this.#addEvents(call, events);
      return call;
    });
    this.#records.set(stored, messages, { size: json.length });
    this.#size += messages.length;
    this.#announce(events.length);
  }

  /** @returns false when there is no such message */
  addEvent(id: string, event: PlannedEvent): boolean {
    const found = this.#find(id);
    if (found === undefined) return false;
    this.#addEvents(found.call, [{ at: Date.now(), place: found.place, content: event }]);
    this.#announce(1);
    return true;
  }

  receive(received: ReceivedRecord): void {
    this.#addEvents(null, [{ at: received.at, place: null, content: received }]);
    this.#announce(1);
  }

  /** The oldest event not taken since the start. It stays pending until {@link noteDelivered}. */
  takeEvent(): PendingEvent | undefined {
    if (this.#nextEvents.length === 0 && this.#readEvent < this.#newestEvent) {
      this.#nextEvents = this.#sql.nextEvents.all(this.#readEvent).map((row) => this.#toEvent(row));
      this.#readEvent = this.#nextEvents.at(-1)?.number ?? this.#newestEvent;
    }
    return this.#nextEvents.shift();
  }

  noteDelivered(numbers: readonly number[]): void {
    this.#inTransaction(() => {
      for (const number of numbers) this.#sql.deleteEvent.run(number);
    });
    this.#pendingEvents -= numbers.length;
  }

  /** Empties the inbox. Pending events are still delivered; the file shrinks when there are none and the disk has room. */
  clear(): void {
    this.#inTransaction(() => this.#database.exec(emptyInbox));
    this.#size = 0;
    this.#records.clear();
    this.#calls.clear();
    if (this.#pendingEvents > 0) return;
    try {
      this.#database.exec('vacuum');
    } catch {
      // It needs as much space as what is left. The pages of the messages are used again.
    }
  }

  find(id: string): MessageRecord | undefined {
    const found = this.#find(id);
    return found && this.#readRecord(found.call, found.place);
  }

  /** Matches, newest first: `limit` of them after the first `offset`; `total` counts all matches. */
  search(
    { to = '', subject = '' }: MessageFilter,
    limit: number,
    offset = 0,
  ): { total: number; ids: string[] } {
    const texts = [to.toLowerCase(), subject.toLowerCase()];
    const rows = this.#sql.listMatches.all(...texts, limit, offset);
    return {
      total: Number(this.#sql.countMatches.get(...texts)?.total),
      ids: rows.map(({ id }) => String(id)),
    };
  }

  async read(id: string): Promise<StoredMessage | undefined> {
    const found = this.#find(id);
    if (found === undefined) return undefined;
    const record = this.#readRecord(found.call, found.place);
    const contentOf = await this.#openCall(found.call, record.entry !== null);
    return { record, content: contentOf(record.entry) };
  }

  close(): void {
    this.#database.close();
  }

  #find(id: string): { call: number; place: number } | undefined {
    const row = this.#sql.findMessage.get(id);
    return row && { call: Number(row.call), place: Number(row.place) };
  }

  #readRecord(call: number, place: number): MessageRecord {
    let records = this.#records.get(call);
    if (records === undefined) {
      const json = String(this.#sql.readMessages.get(call)?.messages);
      records = JSON.parse(json) as MessageRecord[]; // as: `accept` wrote it
      this.#records.set(call, records, { size: json.length });
    }
    const record = records[place];
    if (record === undefined) throw new Error(`Call ${call} has no message ${place}.`);
    return record;
  }

  #toEvent({ number, id, at, call, place, content }: Record<string, SQLOutputValue>): PendingEvent {
    const event = { number: Number(number), id: String(id), at: Number(at) };
    const parsed = JSON.parse(String(content));
    if (call === null) return { ...event, received: parsed };
    return { ...event, message: this.#readRecord(Number(call), Number(place)), event: parsed };
  }

  /** Caches the promise, so that reading several entries of a bulk call parses its JSON once. */
  #openCall(call: number, isBulk: boolean): Promise<ContentOfEntry> {
    const known = this.#calls.get(call);
    if (known !== undefined) return known;
    const json = String(this.#sql.readBody.get(call)?.body);
    const opening = openStoredCall(json, isBulk);
    this.#calls.set(call, opening, { size: json.length });
    opening.catch(() => this.#calls.delete(call));
    return opening;
  }

  #addEvents(call: number | null, events: readonly NewEvent[]): void {
    for (const [index, { at, place, content }] of events.entries()) {
      const number = this.#newestEvent + 1 + index;
      this.#sql.addEvent.run(number, randomUUID(), at, call, place, JSON.stringify(content));
    }
  }

  /** Called once the events are stored. */
  #announce(count: number): void {
    if (count === 0) return;
    this.#newestEvent += count;
    this.#pendingEvents += count;
    this.#onEvents();
  }

  #inTransaction<Result>(write: () => Result): Result {
    this.#sql.begin.run();
    try {
      const result = write();
      this.#sql.commit.run();
      return result;
    } catch (cause) {
      // A full disk may have ended it already.
      if (this.#database.isTransaction) this.#database.exec('rollback');
      throw cause;
    }
  }
}

async function openStoredCall(json: string, isBulk: boolean): Promise<ContentOfEntry> {
  const value: unknown = JSON.parse(json);
  if (isBulk) return contentOfBulk(sendBulkEmailSchema.parse(value));
  const { Simple: simple, Raw: raw } = sendEmailSchema.parse(value).Content;
  if (simple !== undefined) return () => contentOfSimple(simple);
  const { content } = await readRawMessage(raw?.Data ?? '');
  return () => content;
}

/** The form of an SES message id: time of acceptance, a unique part, a counter. */
export function createMessageId(at: number): string {
  return `${idPrefix(at)}-${randomUUID()}-000000`;
}

/** Sorts like the time. */
function idPrefix(at: number): string {
  return `0100${at.toString(16).padStart(12, '0')}`;
}
