import { setTimeout as sleep } from 'node:timers/promises';
import { pause } from '../../../core/pause.ts';
import type { MailStore } from '../mail/mail-store.ts';
import type { PendingEvent } from '../mail/records.ts';
import type { ReceivedMail } from '../receiving/received-mail.ts';
import { toReceivedNotification } from '../receiving/received-notification.ts';
import { buildSesEvent } from './build-ses-event.ts';
import type { SignedSnsMessage, SnsSigner } from './sns-signer.ts';
import { type Subscriber, signingCertUrl } from './subscriber.ts';
import { isDelivered, type Webhook } from './webhook.ts';

/** SNS has no such limit by default, so this one must not slow down a receiver that batches. */
export const maximumInFlight = 200;
const firstRetryMs = 50;
/** While nothing gets through, one delivery probes the webhook, at least this often. */
const longestProbeMs = 1_000;
const longestRetryMs = 60_000;
/**
 * An event that the webhook keeps rejecting is dropped after this time; an unreachable webhook is retried without
 * limit.
 */
const giveUpAfterMs = 2 * 60 * 60 * 1_000;
const noteEveryMs = 50;

interface Refused {
  event: PendingEvent;
  refusals: number;
  firstRefusedAt: number;
}

interface Parts {
  store: MailStore;
  received: ReceivedMail;
  signer: SnsSigner;
  webhook: Webhook;
  subscriber: Subscriber;
}

/**
 * Posts the pending events to the webhook as signed notifications, concurrently and in no particular order, until each
 * is accepted. A retry has the same message id and content as the first attempt, even after a restart.
 */
export class Publisher {
  readonly #parts: Parts;
  readonly #addresses: { SigningCertURL: string; UnsubscribeURL: string };
  readonly #stopping = new AbortController();
  #due: Refused[] = [];
  #done: number[] = [];
  #noting: NodeJS.Timeout | undefined;
  #failuresInRow = 0;
  #isResting = false;
  #isPaused = false;
  #inFlight = 0;
  #delivered = 0;
  #retried = 0;
  #failed = 0;

  constructor(parts: Parts, baseUrl: string) {
    this.#parts = parts;
    const { arn } = parts.subscriber.current;
    const unsubscribe = new URLSearchParams({ Action: 'Unsubscribe', SubscriptionArn: arn });
    this.#addresses = {
      SigningCertURL: signingCertUrl(baseUrl, parts.signer),
      UnsubscribeURL: `${baseUrl}/sns/unsubscribe?${unsubscribe}`,
    };
    parts.store.onEvents(() => this.pump());
  }

  /** Counters since the start, except `queued`: all events still to be delivered. */
  get figures() {
    return {
      paused: this.#isPaused,
      queued: this.#parts.store.pendingEvents - this.#done.length,
      inFlight: this.#inFlight,
      delivered: this.#delivered,
      retried: this.#retried,
      failed: this.#failed,
    };
  }

  setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.pump();
  }

  /** Starts deliveries up to the limit in flight. Idempotent. */
  pump(): void {
    while (this.#mayStart()) {
      const next = this.#due.shift() ?? this.#takeFresh();
      if (next === null) return;
      this.#inFlight += 1;
      void this.#deliver(next);
    }
  }

  /** Aborts deliveries in flight; events that were not accepted stay on disk for the next start. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#parts.webhook.close();
    while (this.#inFlight > 0) await sleep(5);
    this.#note();
  }

  #mayStart(): boolean {
    if (this.#isPaused || this.#isResting || this.#stopping.signal.aborted) return false;
    if (!this.#parts.subscriber.current.isConfirmed) return false;
    return this.#inFlight < (this.#failuresInRow > 0 ? 1 : maximumInFlight);
  }

  #takeFresh(): Refused | null {
    try {
      const event = this.#parts.store.takeEvent();
      return event === undefined ? null : { event, refusals: 0, firstRefusedAt: 0 };
    } catch {
      // The disk can't be read. The events stay and are read again.
      this.#rest(longestProbeMs);
      return null;
    }
  }

  async #deliver(item: Refused): Promise<void> {
    const status = await this.#attempt(item.event);
    this.#inFlight -= 1;
    if (isDelivered(status)) {
      this.#failuresInRow = 0;
      this.#delivered += 1;
      this.#finish(item.event.number);
    } else {
      this.#retryLater(item, status !== null);
    }
    this.pump();
  }

  async #attempt(event: PendingEvent): Promise<number | null> {
    try {
      const message = await this.#toNotification(event);
      return await this.#parts.webhook.post(message, this.#parts.subscriber.current.arn);
    } catch {
      // The event stays and is retried.
      return null;
    }
  }

  async #toNotification(pending: PendingEvent): Promise<SignedSnsMessage> {
    return this.#parts.signer.sign({
      Type: 'Notification',
      MessageId: pending.id,
      TopicArn: this.#parts.subscriber.current.topicArn,
      ...(await this.#describe(pending)),
      Timestamp: new Date(pending.at).toISOString(),
      ...this.#addresses,
    });
  }

  async #describe(pending: PendingEvent): Promise<{ Subject: string; Message: string }> {
    if ('received' in pending) {
      const { received } = pending;
      const raw = (await this.#parts.received.read(received.id)) ?? Buffer.alloc(0);
      const notification = await toReceivedNotification(
        received,
        raw,
        this.#parts.subscriber.current.topicArn,
      );
      return { Subject: 'Amazon SES Email Receipt Notification', Message: JSON.stringify(notification) };
    }
    const { id, at, message, event } = pending;
    const record = JSON.stringify(buildSesEvent(message, event, at, id));
    return { Subject: 'Amazon SES Email Event Notification', Message: record };
  }

  #retryLater(item: Refused, isRefused: boolean): void {
    if (this.#stopping.signal.aborted) return;
    this.#failuresInRow += 1;
    this.#rest(Math.min(firstRetryMs * 2 ** Math.min(this.#failuresInRow - 1, 10), longestProbeMs));
    const now = Date.now();
    const firstRefusedAt = item.firstRefusedAt === 0 && isRefused ? now : item.firstRefusedAt;
    if (isRefused && now - firstRefusedAt > giveUpAfterMs) {
      this.#failed += 1;
      this.#finish(item.event.number);
      return;
    }
    this.#retried += 1;
    const refusals = item.refusals + (isRefused ? 1 : 0);
    const waitMs = isRefused ? Math.min(firstRetryMs * 2 ** Math.min(refusals - 1, 20), longestRetryMs) : 0;
    this.#later(waitMs, () => this.#due.push({ event: item.event, refusals, firstRefusedAt }));
  }

  #rest(restMs: number): void {
    if (this.#isResting) return;
    this.#isResting = true;
    this.#later(restMs, () => {
      this.#isResting = false;
    });
  }

  #later(waitMs: number, act: () => void): void {
    void pause(waitMs, this.#stopping.signal).then(() => {
      act();
      this.pump();
    });
  }

  #finish(number: number): void {
    this.#done.push(number);
    this.#noting ??= setTimeout(() => this.#note(), noteEveryMs);
  }

  /** Removes accepted events from the store. One that a crash leaves there is delivered twice, as with SNS. */
  #note(): void {
    clearTimeout(this.#noting);
    this.#noting = undefined;
    try {
      this.#parts.store.noteDelivered(this.#done);
      this.#done = [];
    } catch {
      // The disk is full. They are removed with the next ones.
    }
  }
}
