import { urlToHttpOptions } from 'node:url';
import type { SignedSnsMessage } from './sns-signer.ts';
import { WebhookConnection } from './webhook-connection.ts';

/** Servers close idle connections, Node's after five seconds, and an event must not meet that. */
const longestIdleMs = 3_000;

export type DeliveryOutcome = { status: number | null };

/** Callers limit how many messages are under way; each has a connection, which the next one takes over. */
export class Webhook {
  readonly url: URL;
  readonly #head: string;
  readonly #open = new Set<WebhookConnection>();
  #idle: { connection: WebhookConnection; since: number }[] = [];

  constructor(url: string) {
    this.url = new URL(url);
    const { path = '/', auth } = urlToHttpOptions(this.url);
    this.#head = [
      `POST ${path} HTTP/1.1`,
      `Host: ${this.url.host}`,
      'Connection: keep-alive',
      'User-Agent: Amazon Simple Notification Service Agent',
      'Content-Type: text/plain; charset=UTF-8',
      ...(auth ? [`Authorization: Basic ${Buffer.from(auth).toString('base64')}`] : []),
    ].join('\r\n');
  }

  /** Never rejects: a failure is an outcome. */
  async post(message: SignedSnsMessage, subscriptionArn: string | null): Promise<DeliveryOutcome> {
    const body = JSON.stringify(message);
    const subscription = subscriptionArn === null ? '' : `x-amz-sns-subscription-arn: ${subscriptionArn}\r\n`;
    const connection = this.#take();
    const status = await connection.request(
      `${this.#head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
        `x-amz-sns-message-type: ${message.Type}\r\nx-amz-sns-message-id: ${message.MessageId}\r\n` +
        `x-amz-sns-topic-arn: ${message.TopicArn}\r\n${subscription}\r\n${body}`,
    );
    if (connection.isOpen) this.#idle.push({ connection, since: Date.now() });
    return { status };
  }

  close(): void {
    for (const connection of this.#open) connection.destroy();
  }

  #take(): WebhookConnection {
    // The one used last, so that those beyond the need grow old and time out.
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (idle.connection.isOpen && Date.now() - idle.since < longestIdleMs) return idle.connection;
      idle.connection.destroy();
    }
    const connection = new WebhookConnection(this.url, () => this.#open.delete(connection));
    this.#open.add(connection);
    return connection;
  }
}

export function isDelivered({ status }: DeliveryOutcome): boolean {
  return status !== null && status >= 200 && status < 300;
}
