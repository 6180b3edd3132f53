import * as http from 'node:http';
import * as https from 'node:https';
import { urlToHttpOptions } from 'node:url';
import type { SignedSnsMessage } from './sns-signer.ts';

/** As SNS. */
const longestAnswerMs = 15_000;

export type DeliveryOutcome = { status: number | null };

export class Webhook {
  readonly url: URL;
  readonly #agent: http.Agent;
  readonly #request: typeof http.request;
  readonly #target: http.RequestOptions;

  constructor(url: string, maximumConnections: number, answerMs = longestAnswerMs) {
    this.url = new URL(url);
    const isSecure = this.url.protocol === 'https:';
    const options = { keepAlive: true, maxSockets: maximumConnections };
    this.#agent = isSecure ? new https.Agent(options) : new http.Agent(options);
    this.#request = isSecure ? https.request : http.request;
    this.#target = {
      ...urlToHttpOptions(this.url),
      method: 'POST',
      agent: this.#agent,
      timeout: answerMs,
    };
  }

  /** Never rejects: a failure is an outcome. */
  post(message: SignedSnsMessage, subscriptionArn: string | null): Promise<DeliveryOutcome> {
    const body = Buffer.from(JSON.stringify(message));
    return new Promise((resolve) => {
      const request = this.#request(
        {
          ...this.#target,
          headers: {
            'content-type': 'text/plain; charset=UTF-8',
            'content-length': body.length,
            'user-agent': 'Amazon Simple Notification Service Agent',
            'x-amz-sns-message-type': message.Type,
            'x-amz-sns-message-id': message.MessageId,
            'x-amz-sns-topic-arn': message.TopicArn,
            ...(subscriptionArn !== null && { 'x-amz-sns-subscription-arn': subscriptionArn }),
          },
        },
        (response) => {
          response.resume();
          response.on('end', () => resolve({ status: response.statusCode ?? null }));
          response.on('error', () => resolve({ status: null }));
        },
      );
      request.on('timeout', () => request.destroy(new Error('No answer in time')));
      request.on('error', () => resolve({ status: null }));
      request.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

export function isDelivered({ status }: DeliveryOutcome): boolean {
  return status !== null && status >= 200 && status < 300;
}
