import { randomBytes, randomUUID } from 'node:crypto';
import type { State, Subscription } from '../state/state.ts';
import type { SnsSigner } from './sns-signer.ts';
import { isDelivered, type Webhook } from './webhook.ts';

const firstRetryMs = 100;
const longestRetryMs = 2_000;
const repeatMs = 10_000;

/**
 * The subscription of one webhook to one topic. The webhook is asked to confirm until it visits the `SubscribeURL`; the
 * confirmation is stored, so this happens once per topic and webhook.
 */
export class Subscriber {
  readonly #state: State;
  readonly #signer: SnsSigner;
  readonly #webhook: Webhook;
  readonly #baseUrl: string;
  readonly #onConfirmed: () => void;
  #subscription: Subscription;
  #timer: NodeJS.Timeout | null = null;
  #isStopped = false;

  constructor(options: {
    state: State;
    signer: SnsSigner;
    webhook: Webhook;
    topicArn: string;
    baseUrl: string;
    onConfirmed: () => void;
  }) {
    this.#state = options.state;
    this.#signer = options.signer;
    this.#webhook = options.webhook;
    this.#baseUrl = options.baseUrl;
    this.#onConfirmed = options.onConfirmed;
    const { topicArn } = options;
    const endpoint = options.webhook.url.href;
    this.#subscription = options.state.value.subscriptions.find(
      (known) => known.topicArn === topicArn && known.endpoint === endpoint,
    ) ?? {
      topicArn,
      endpoint,
      token: randomBytes(64).toString('hex'),
      arn: `${topicArn}:${randomUUID()}`,
      isConfirmed: false,
    };
  }

  get current(): Subscription {
    return this.#subscription;
  }

  async start(): Promise<void> {
    await this.#save();
    if (!this.#subscription.isConfirmed) void this.#ask(firstRetryMs);
  }

  async confirm(token: string): Promise<boolean> {
    if (token !== this.#subscription.token) return false;
    if (this.#subscription.isConfirmed) return true;
    this.#subscription = { ...this.#subscription, isConfirmed: true };
    this.stop();
    await this.#save();
    this.#onConfirmed();
    return true;
  }

  stop(): void {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  async #ask(retryMs: number): Promise<void> {
    const { topicArn, token, arn } = this.#subscription;
    const query = new URLSearchParams({ Action: 'ConfirmSubscription', TopicArn: topicArn, Token: token });
    const message = this.#signer.sign({
      Type: 'SubscriptionConfirmation',
      MessageId: randomUUID(),
      Token: token,
      TopicArn: topicArn,
      Message: `You have chosen to subscribe to the topic ${topicArn}.\nTo confirm the subscription, visit the SubscribeURL included in this message.`,
      SubscribeURL: `${this.#baseUrl}/sns/confirm?${query}`,
      Timestamp: new Date().toISOString(),
      SigningCertURL: signingCertUrl(this.#baseUrl, this.#signer),
    });
    const outcome = await this.#webhook.post(message, arn);
    if (this.#isStopped) return;
    const waitMs = isDelivered(outcome) ? repeatMs : retryMs;
    this.#timer = setTimeout(() => void this.#ask(Math.min(retryMs * 2, longestRetryMs)), waitMs);
  }

  #save(): Promise<void> {
    const { topicArn, endpoint } = this.#subscription;
    return this.#state.update((value) => ({
      ...value,
      subscriptions: [
        ...value.subscriptions.filter((other) => other.topicArn !== topicArn || other.endpoint !== endpoint),
        this.#subscription,
      ],
    }));
  }
}

export function signingCertUrl(baseUrl: string, signer: SnsSigner): string {
  return `${baseUrl}/sns/SimpleNotificationService-${signer.certificateId}.pem`;
}
