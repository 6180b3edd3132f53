import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import { sendBulkEmailSchema, sendEmailSchema } from '../protocol/schemas.ts';
import { AppendFiles, type Position } from './append-files.ts';
import {
  type ContentOfEntry,
  contentOfBulk,
  contentOfSimple,
  type MessageContent,
} from './message-content.ts';
import { type IndexedMessage, type MessageFilter, MessageIndex } from './message-index.ts';
import { PendingEvents } from './pending-events.ts';
import { readRawMessage } from './raw-message.ts';
import {
  logRecordSchema,
  type MessageRecord,
  type NewMessage,
  type NewReceived,
  type PlannedEvent,
  type ReceivedRecord,
} from './records.ts';
import { replayLog } from './replay-log.ts';

export interface StoredMessage {
  record: MessageRecord;
  content: MessageContent;
}

const cachedLines = 2_000;
const cachedCallBytes = 16 * 1024 * 1024;

/**
 * The messages of the inbox and the pending events, both on disk. Memory holds an index (see {@link IndexedMessage})
 * and the number and position of each pending event.
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
   * Resolves once the messages are on disk and their events are queued.
   * @param body the call's JSON as received
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
   * Resolves once it is on disk.
   * @returns false when the inbox was emptied in the meantime, so the message is gone
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

  async noteDelivered(numbers: readonly number[]): Promise<void> {
    if (numbers.length === 0) return;
    await this.#files.append({
      body: Buffer.alloc(0),
      lines: () => [JSON.stringify({ kind: 'delivered', numbers })],
      committed: () => {},
    });
  }

  /** Empties the inbox. Pending events are still delivered; the files shrink once none is left. */
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

  /** Matches, newest first: `limit` of them after the first `offset`; `total` counts all matches. */
  search(filter: MessageFilter, limit: number, offset = 0): { total: number; messages: IndexedMessage[] } {
    return this.#index.search(filter, limit, offset);
  }

  readRecord(line: Position): MessageRecord {
    const cached = this.#lines.get(line.offset);
    if (cached !== undefined) return cached;
    const record = logRecordSchema.parse(JSON.parse(this.#files.readLine(line)));
    if (record.kind !== 'message') throw new Error(`There is no message at byte ${line.offset} of the log.`);
    this.#lines.set(line.offset, record);
    return record;
  }

  readReceived(line: Position): ReceivedRecord {
    const record = logRecordSchema.parse(JSON.parse(this.#files.readLine(line)));
    if (record.kind !== 'received')
      throw new Error(`There is no received email at byte ${line.offset} of the log.`);
    return record;
  }

  async read(line: Position): Promise<StoredMessage> {
    const record = this.readRecord(line);
    const contentOf = await this.#openCall(record);
    return { record, content: contentOf(record.entry) };
  }

  close(): Promise<void> {
    return this.#files.close();
  }

  /** Caches the promise, so that reading several entries of a bulk call parses its JSON once. */
  #openCall({ body, entry }: MessageRecord): Promise<ContentOfEntry> {
    const known = this.#calls.get(body.offset);
    if (known !== undefined) return known;
    const opening = this.#files.readBody(body).then((json) => openStoredCall(json, entry !== null));
    this.#calls.set(body.offset, opening, { size: body.length });
    opening.catch(() => this.#calls.delete(body.offset));
    return opening;
  }
}

async function openStoredCall(body: Buffer, isBulk: boolean): Promise<ContentOfEntry> {
  const value: unknown = JSON.parse(body.toString('utf8'));
  if (isBulk) return contentOfBulk(sendBulkEmailSchema.parse(value));
  const { Simple: simple, Raw: raw } = sendEmailSchema.parse(value).Content;
  if (simple !== undefined) return () => contentOfSimple(simple);
  const { content } = await readRawMessage(raw?.Data ?? '');
  return () => content;
}

/** The form of an SES message id: time of acceptance, a unique part, a counter. */
export function createMessageId(at: number): string {
  return `0100${at.toString(16).padStart(12, '0')}-${randomUUID()}-000000`;
}
