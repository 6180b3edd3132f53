import { setTimeout as sleep } from 'node:timers/promises';
import type { MailStore } from '../mail/mail-store.ts';
import type { PendingEvent } from '../mail/records.ts';
import type { ReceivedMail } from '../receiving/received-mail.ts';
import { toReceivedNotification } from '../receiving/received-notification.ts';
import { buildSesEvent } from './build-ses-event.ts';
import type { SignedSnsMessage, SnsSigner } from './sns-signer.ts';
import { type Subscriber, signingCertUrl } from './subscriber.ts';
import { type DeliveryOutcome, isDelivered, type Webhook } from './webhook.ts';

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

/** Counters since the start, except `queued`: all events still to be delivered. */
export interface PublisherFigures {
  paused: boolean;
  queued: number;
  inFlight: number;
  delivered: number;
  retried: number;
  failed: number;
}

/**
 * Posts the pending events to the webhook as signed notifications, concurrently and in no particular order, until each
 * is accepted. A retry has the same message id and content as the first attempt, even after a restart.
 */
export class Publisher {
  readonly #store: MailStore;
  readonly #received: ReceivedMail;
  readonly #signer: SnsSigner;
  readonly #webhook: Webhook;
  readonly #subscriber: Subscriber;
  readonly #addresses: { SigningCertURL: string; UnsubscribeURL: string };
  readonly #stopping = new AbortController();
  readonly #timers = new Set<NodeJS.Timeout>();
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

  constructor(options: {
    store: MailStore;
    received: ReceivedMail;
    signer: SnsSigner;
    webhook: Webhook;
    subscriber: Subscriber;
    baseUrl: string;
  }) {
    this.#store = options.store;
    this.#received = options.received;
    this.#signer = options.signer;
    this.#webhook = options.webhook;
    this.#subscriber = options.subscriber;
    const { arn } = options.subscriber.current;
    const unsubscribe = new URLSearchParams({ Action: 'Unsubscribe', SubscriptionArn: arn });
    this.#addresses = {
      SigningCertURL: signingCertUrl(options.baseUrl, options.signer),
      UnsubscribeURL: `${options.baseUrl}/sns/unsubscribe?${unsubscribe}`,
    };
    options.store.onEvents(() => this.pump());
  }

  get figures(): PublisherFigures {
    return {
      paused: this.#isPaused,
      queued: this.#store.pendingEvents - this.#done.length,
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
    for (const timer of this.#timers) clearTimeout(timer);
    this.#webhook.close();
    while (this.#inFlight > 0) await sleep(5);
    this.#note();
  }

  #mayStart(): boolean {
    if (this.#isPaused || this.#isResting || this.#stopping.signal.aborted) return false;
    if (!this.#subscriber.current.isConfirmed) return false;
    return this.#inFlight < (this.#failuresInRow > 0 ? 1 : maximumInFlight);
  }

  #takeFresh(): Refused | null {
    try {
      const event = this.#store.takeEvent();
      return event === undefined ? null : { event, refusals: 0, firstRefusedAt: 0 };
    } catch {
      // The disk can't be read. The events stay and are read again.
      this.#rest(longestProbeMs);
      return null;
    }
  }

  async #deliver(item: Refused): Promise<void> {
    const outcome = await this.#attempt(item.event);
    this.#inFlight -= 1;
    if (isDelivered(outcome)) {
      this.#failuresInRow = 0;
      this.#delivered += 1;
      this.#finish(item.event.number);
    } else {
      this.#retryLater(item, outcome);
    }
    this.pump();
  }

  async #attempt(event: PendingEvent): Promise<DeliveryOutcome> {
    try {
      const message = await this.#toNotification(event);
      return await this.#webhook.post(message, this.#subscriber.current.arn);
    } catch {
      // The event stays and is retried.
      return { status: null };
    }
  }

  async #toNotification(pending: PendingEvent): Promise<SignedSnsMessage> {
    return this.#signer.sign({
      Type: 'Notification',
      MessageId: pending.id,
      TopicArn: this.#subscriber.current.topicArn,
      ...(await this.#describe(pending)),
      Timestamp: new Date(pending.at).toISOString(),
      ...this.#addresses,
    });
  }

  async #describe(pending: PendingEvent): Promise<{ Subject: string; Message: string }> {
    if ('received' in pending) {
      const { received } = pending;
      const raw = (await this.#received.read(received.id)) ?? Buffer.alloc(0);
      const notification = await toReceivedNotification(received, raw, this.#subscriber.current.topicArn);
      return { Subject: 'Amazon SES Email Receipt Notification', Message: JSON.stringify(notification) };
    }
    const { id, at, message, event } = pending;
    const record = JSON.stringify(buildSesEvent(message, event, at, id));
    return { Subject: 'Amazon SES Email Event Notification', Message: record };
  }

  #retryLater(item: Refused, outcome: DeliveryOutcome): void {
    if (this.#stopping.signal.aborted) return;
    this.#failuresInRow += 1;
    this.#rest(Math.min(firstRetryMs * 2 ** Math.min(this.#failuresInRow - 1, 10), longestProbeMs));
    const now = Date.now();
    const isRefused = outcome.status !== null;
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
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      act();
      this.pump();
    }, waitMs);
    this.#timers.add(timer);
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
      this.#store.noteDelivered(this.#done);
      this.#done = [];
    } catch {
      // The disk is full. They are removed with the next ones.
    }
  }
}
