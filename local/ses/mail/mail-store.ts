import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import { AppendFiles, type Position } from './append-files.ts';
import type { ContentOfEntry, MessageContent } from './message-content.ts';
import { type IndexedMessage, type MessageFilter, MessageIndex } from './message-index.ts';
import { openStoredCall } from './open-stored-call.ts';
import { PendingEvents } from './pending-events.ts';
import {
  logRecordSchema,
  type MessageRecord,
  type NewMessage,
  type NewReceived,
  type PlannedEvent,
  type ReceivedRecord,
} from './records.ts';
import { replayLog } from './replay-log.ts';

/** A message with its content. */
export interface StoredMessage {
  record: MessageRecord;
  content: MessageContent;
}

const cachedLines = 2_000;
const cachedCallBytes = 16 * 1024 * 1024;

/**
 * The messages of the inbox and the events that are still to be delivered, both on disk. Memory holds an index
 * (see {@link IndexedMessage}) and, per event that waits, its number and place.
 */
export class MailStore {
  readonly #files: AppendFiles;
  readonly #index: MessageIndex;
  readonly #lines = new LRUCache<number, MessageRecord>({ max: cachedLines });
  readonly #calls = new LRUCache<number, Promise<ContentOfEntry>>({ maxSize: cachedCallBytes });
  readonly pending: PendingEvents;

  private constructor(files: AppendFiles, index: MessageIndex, pending: PendingEvents) {
    this.#files = files;
    this.#index = index;
    this.pending = pending;
  }

  /** Opens the store in `directory`, which is created when it is missing, with everything that was kept. */
  static async open(directory: string): Promise<MailStore> {
    await mkdir(directory, { recursive: true });
    const index = new MessageIndex();
    const pending = new PendingEvents();
    const size = await replayLog(directory, (record, place) => {
      pending.replay(record, place);
      if (record.kind === 'message') index.add(record, place);
      if (record.kind === 'cleared') index.clear();
    });
    pending.endReplay();
    return new MailStore(await AppendFiles.open(directory, size), index, pending);
  }

  get size(): number {
    return this.#index.size;
  }

  countSince(since: number): number {
    return this.#index.countSince(since);
  }

  /**
   * Keeps the messages of one call; resolves once they are on disk, and from then on their events wait for
   * delivery.
   *
   * @param body the call's JSON as it came
   */
  accept(body: Buffer, messages: readonly NewMessage[]): Promise<void> {
    let records: MessageRecord[] = [];
    return this.#files.append({
      body,
      lines: (offset) => {
        records = messages.map((message) => ({
          kind: 'message',
          ...message,
          firstEvent: this.pending.reserve(message.events.length),
          body: { offset, length: body.length },
        }));
        return records.map((record) => JSON.stringify(record));
      },
      committed: (lines) => {
        for (const [position, record] of records.entries()) {
          const line = lines[position];
          if (line === undefined) continue;
          this.#index.add(record, line);
          if (record.events.length > 0) this.#lines.set(line.offset, record);
          this.pending.addPlanned(record, line);
        }
      },
    });
  }

  /**
   * Adds an event to a message that was accepted before; resolves once it is on disk.
   *
   * @returns false when the inbox was emptied meanwhile, so that there is no such message any more
   */
  async addEvent(message: IndexedMessage, event: PlannedEvent): Promise<boolean> {
    const at = Date.now();
    let number: number | null = null;
    await this.#files.append({
      body: Buffer.alloc(0),
      lines: () => {
        if (this.#index.find(message.id) !== message) return [];
        number = this.pending.reserve(1);
        return [JSON.stringify({ kind: 'event', messageId: message.id, event, number, at })];
      },
      committed: () => {
        if (number !== null) this.pending.add({ number, at, line: message.line, event });
      },
    });
    return number !== null;
  }

  /** Notes an email that came in; resolves once that is on disk, and from then on its event waits for delivery. */
  async receive(received: NewReceived): Promise<void> {
    let number = 0;
    await this.#files.append({
      body: Buffer.alloc(0),
      lines: () => {
        number = this.pending.reserve(1);
        return [JSON.stringify({ kind: 'received', ...received, number } satisfies ReceivedRecord)];
      },
      committed: ([line]) => {
        if (line !== undefined) this.pending.add({ number, at: received.at, line, event: 'received' });
      },
    });
  }

  /** Notes on disk that these events need no delivery any more, so that the next start leaves them out. */
  async noteDelivered(numbers: readonly number[]): Promise<void> {
    if (numbers.length === 0) return;
    await this.#files.append({
      body: Buffer.alloc(0),
      lines: () => [JSON.stringify({ kind: 'delivered', numbers })],
      committed: () => {},
    });
  }

  /** Empties the inbox. Events that wait are still delivered; the files shrink when there are none. */
  async clear(): Promise<void> {
    await this.#files.clear({
      mayTruncate: () => this.pending.size === 0,
      line: () => JSON.stringify({ kind: 'cleared', nextEvent: this.pending.nextNumber }),
      committed: (truncated) => {
        this.#index.clear();
        if (!truncated) return;
        this.#lines.clear();
        this.#calls.clear();
      },
    });
  }

  find(id: string): IndexedMessage | undefined {
    return this.#index.find(id);
  }

  /** Matches, newest first: `limit` of them after the first `offset`; `total` counts all. */
  search(filter: MessageFilter, limit: number, offset = 0): { total: number; messages: IndexedMessage[] } {
    return this.#index.search(filter, limit, offset);
  }

  /** The envelope of a message, given the place of its line. */
  readRecord(line: Position): MessageRecord {
    const cached = this.#lines.get(line.offset);
    if (cached !== undefined) return cached;
    const record = logRecordSchema.parse(JSON.parse(this.#files.readLine(line)));
    if (record.kind !== 'message') throw new Error(`There is no message at byte ${line.offset} of the log.`);
    this.#lines.set(line.offset, record);
    return record;
  }

  /** An email that came in, given the place of its line. */
  readReceived(line: Position): ReceivedRecord {
    const record = logRecordSchema.parse(JSON.parse(this.#files.readLine(line)));
    if (record.kind !== 'received') throw new Error(`No email came in at byte ${line.offset} of the log.`);
    return record;
  }

  /** A message with its content. */
  async read(line: Position): Promise<StoredMessage> {
    const record = this.readRecord(line);
    const contentOf = await this.#openCall(record);
    return { record, content: contentOf(record.entry) };
  }

  close(): Promise<void> {
    return this.#files.close();
  }

  /** Keeps the promise, so that the entries of a bulk call that are read at once read its JSON once. */
  #openCall({ body, entry }: MessageRecord): Promise<ContentOfEntry> {
    const known = this.#calls.get(body.offset);
    if (known !== undefined) return known;
    const opening = this.#files.readBody(body).then((json) => openStoredCall(json, entry !== null));
    this.#calls.set(body.offset, opening, { size: body.length });
    opening.catch(() => this.#calls.delete(body.offset));
    return opening;
  }
}

/** A message id in the form of SES: time of acceptance, something unique, a counter. */
export function createMessageId(at: number): string {
  return `0100${at.toString(16).padStart(12, '0')}-${randomUUID()}-000000`;
}
