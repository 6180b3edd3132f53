import { randomBytes, randomUUID } from 'node:crypto';
import type { State, Subscription } from '../state/state.ts';
import type { SnsSigner } from './sns-signer.ts';
import { isDelivered, type Webhook } from './webhook.ts';

const firstRetryMs = 100;
const longestRetryMs = 2_000;
const repeatMs = 10_000;

interface Parts {
  state: State;
  signer: SnsSigner;
  webhook: Webhook;
  baseUrl: string;
  onConfirmed: () => void;
}

/**
 * The subscription of one webhook to one topic. The webhook is asked to confirm until it visits the `SubscribeURL`; the
 * confirmation is stored, so this happens once per topic and webhook.
 */
export class Subscriber {
  readonly #parts: Parts;
  #subscription: Subscription;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(parts: Parts, topicArn: string) {
    this.#parts = parts;
    const endpoint = parts.webhook.url.href;
    this.#subscription = parts.state.value.subscriptions.find(
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
    this.#parts.onConfirmed();
    return true;
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #ask(retryMs: number): Promise<void> {
    const { topicArn, token, arn } = this.#subscription;
    const { signer, webhook, baseUrl } = this.#parts;
    const query = new URLSearchParams({ Action: 'ConfirmSubscription', TopicArn: topicArn, Token: token });
    const message = signer.sign({
      Type: 'SubscriptionConfirmation',
      MessageId: randomUUID(),
      Token: token,
      TopicArn: topicArn,
      Message: `You have chosen to subscribe to the topic ${topicArn}.\nTo confirm the subscription, visit the SubscribeURL included in this message.`,
      SubscribeURL: `${baseUrl}/sns/confirm?${query}`,
      Timestamp: new Date().toISOString(),
      SigningCertURL: signingCertUrl(baseUrl, signer),
    });
    const status = await webhook.post(message, arn);
    if (this.#isStopped) return;
    const waitMs = isDelivered(status) ? repeatMs : retryMs;
    this.#timer = setTimeout(() => void this.#ask(Math.min(retryMs * 2, longestRetryMs)), waitMs);
  }

  #save(): Promise<void> {
    const { topicArn, endpoint } = this.#subscription;
    return this.#parts.state.update((value) => {
      const others = value.subscriptions.filter(
        (other) => other.topicArn !== topicArn || other.endpoint !== endpoint,
      );
      value.subscriptions = [...others, this.#subscription];
    });
  }
}

export function signingCertUrl(baseUrl: string, signer: SnsSigner): string {
  return `${baseUrl}/sns/SimpleNotificationService-${signer.certificateId}.pem`;
}
