import type { Position } from './append-files.ts';
import type { LogRecord, MessageRecord, PlannedEvent } from './records.ts';

export interface PendingEvent {
  /** Unique, even across restarts. */
  number: number;
  at: number;
  line: Position;
  event: PlannedEvent | number | 'received';
}

export class PendingEvents {
  readonly #queue = new Fifo<PendingEvent>();
  readonly #unsettled = new Set<number>();
  #replayed = new Map<number, PendingEvent>();
  #lineOfMessage = new Map<string, Position>();
  #nextNumber = 1;
  #onAdded: () => void = () => {};

  get size(): number {
    return this.#unsettled.size;
  }

  get nextNumber(): number {
    return this.#nextNumber;
  }

  onAdded(listener: () => void): void {
    this.#onAdded = listener;
  }

  reserve(count: number): number {
    const first = this.#nextNumber;
    this.#nextNumber += count;
    return first;
  }

  add(event: PendingEvent): void {
    this.#unsettled.add(event.number);
    this.#queue.push(event);
    this.#onAdded();
  }

  /** Each event happens a millisecond after the previous one. */
  addPlanned(message: MessageRecord, line: Position): void {
    for (const event of plannedOf(message, line)) {
      this.#unsettled.add(event.number);
      this.#queue.push(event);
    }
    if (message.events.length > 0) this.#onAdded();
  }

  /** The event stays unsettled until {@link settle}. */
  take(): PendingEvent | undefined {
    return this.#queue.shift();
  }

  settle(numbers: readonly number[]): void {
    for (const number of numbers) this.#unsettled.delete(number);
  }

  replay(record: LogRecord, line: Position): void {
    switch (record.kind) {
      case 'message':
        this.#nextNumber = record.firstEvent + record.events.length;
        this.#lineOfMessage.set(record.id, line);
        for (const event of plannedOf(record, line)) this.#replayed.set(event.number, event);
        return;
      case 'event': {
        this.#nextNumber = record.number + 1;
        const message = this.#lineOfMessage.get(record.messageId);
        if (message === undefined) return;
        this.#replayed.set(record.number, { ...record, line: message });
        return;
      }
      case 'received':
        this.#nextNumber = record.number + 1;
        this.#replayed.set(record.number, { number: record.number, at: record.at, line, event: 'received' });
        return;
      case 'delivered':
        for (const number of record.numbers) this.#replayed.delete(number);
        return;
      case 'cleared':
        this.#nextNumber = record.nextEvent;
        return;
    }
  }

  endReplay(): void {
    for (const event of this.#replayed.values()) this.add(event);
    this.#replayed = new Map();
    this.#lineOfMessage = new Map();
  }
}

function plannedOf(message: MessageRecord, line: Position): PendingEvent[] {
  return message.events.map((_event, position) => ({
    number: message.firstEvent + position,
    at: message.at + position,
    line,
    event: position,
  }));
}

const compactAfter = 1024;

/** A queue with constant-time `shift`, for hundreds of thousands of items. */
export class Fifo<Item> {
  #items: Item[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  push(item: Item): void {
    this.#items.push(item);
  }

  shift(): Item | undefined {
    const item = this.#items[this.#head];
    if (this.#head < this.#items.length) this.#head += 1;
    if (this.#head >= compactAfter && this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}
