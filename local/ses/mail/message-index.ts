import type { Position } from './append-files.ts';
import type { MessageRecord } from './records.ts';

/** What memory holds per message: some 300 bytes, whatever its size. The rest is read from the log. */
export interface IndexedMessage {
  id: string;
  at: number;
  /** All recipients in lower case, separated by line feeds. */
  recipients: string;
  subject: string;
  line: Position;
}

/** A message matches when it contains each given text, ignoring case. */
export interface MessageFilter {
  to?: string | undefined;
  subject?: string | undefined;
}

export class MessageIndex {
  #messages: IndexedMessage[] = [];
  #byId = new Map<string, IndexedMessage>();

  get size(): number {
    return this.#messages.length;
  }

  add(message: MessageRecord, line: Position): void {
    const indexed = {
      id: message.id,
      at: message.at,
      recipients: message.recipients.join('\n').toLowerCase(),
      subject: message.subject.toLowerCase(),
      line,
    };
    this.#messages.push(indexed);
    this.#byId.set(message.id, indexed);
  }

  find(id: string): IndexedMessage | undefined {
    return this.#byId.get(id);
  }

  clear(): void {
    this.#messages = [];
    this.#byId = new Map();
  }

  search(
    filter: MessageFilter,
    limit: number,
    offset: number,
  ): { total: number; messages: IndexedMessage[] } {
    const to = filter.to?.toLowerCase() ?? '';
    const subject = filter.subject?.toLowerCase() ?? '';
    const messages: IndexedMessage[] = [];
    let total = 0;
    for (let index = this.#messages.length - 1; index >= 0; index -= 1) {
      const message = this.#messages[index];
      if (message === undefined) continue;
      if (!message.recipients.includes(to) || !message.subject.includes(subject)) continue;
      total += 1;
      if (total > offset && messages.length < limit) messages.push(message);
    }
    return { total, messages };
  }

  /** @param since inclusive, milliseconds since the epoch */
  countSince(since: number): number {
    let count = 0;
    while (count < this.#messages.length) {
      const message = this.#messages[this.#messages.length - 1 - count];
      if (message === undefined || message.at < since) break;
      count += 1;
    }
    return count;
  }
}
