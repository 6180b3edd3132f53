import { SESv2Client, type SESv2ClientConfig } from '@aws-sdk/client-sesv2';
import { type AwsAccess, accessSettings } from '../aws-access.ts';
import { notingCutUploads } from './cut-upload.ts';
import { notingBegunCalls, notingUnsentCalls } from './unsent-call.ts';

export interface SesOptions extends AwsAccess {
  timeouts?: SesTimeouts;
}

export interface SesTimeouts {
  connectMs: number;
  /**
   * To the first byte of the answer, unless the call sets its own limit. Twice as long without any byte sent or
   * received: the kernel may still be sending what it has taken.
   */
  answerMs: number;
  /** Keep-alive of idle connections; must be shorter than the server's. */
  idleMs: number;
}

const defaultTimeouts: SesTimeouts = { connectMs: 5_000, answerMs: 15_000, idleMs: 4_000 };
/** A user's request waits for these calls, four times as long when SES is silent. */
const accountTimeouts: SesTimeouts = { ...defaultTimeouts, answerMs: 5_000 };
export const maxConnections = 256;

function toConfig(options: SesOptions, usual: SesTimeouts): SESv2ClientConfig {
  const { connectMs, answerMs, idleMs } = options.timeouts ?? usual;
  const agent = { keepAlive: true, maxSockets: maxConnections, timeout: idleMs };
  return {
    ...accessSettings(options),
    requestHandler: {
      connectionTimeout: connectMs,
      requestTimeout: answerMs,
      throwOnRequestTimeout: true,
      socketTimeout: 2 * answerMs,
      httpsAgent: agent,
      httpAgent: agent,
    },
  };
}

/**
 * The client for sending. It makes each call once: SES has no idempotency token, so a retry after a lost reply
 * would send a second copy. `classifySesError` interprets failures.
 *
 * The SDK's retry step is replaced, so that no environment setting (`AWS_RETRY_MODE`) restores it or its
 * client-side throttling. Dropping the steps for logs, Lambda and user agent saves an eighth of a call's CPU.
 */
export function createSesClient(options: SesOptions): SESv2Client {
  const client = new SESv2Client({ ...toConfig(options, defaultTimeouts), maxAttempts: 1 });
  // Signing is positioned relative to this step, so a no-op takes its place.
  client.middlewareStack.add((next) => next, {
    name: 'retryMiddleware',
    step: 'finalizeRequest',
    priority: 'high',
    override: true,
  });
  for (const step of ['loggerMiddleware', 'recursionDetectionMiddleware', 'getUserAgentMiddleware']) {
    client.middlewareStack.remove(step);
  }
  const last = { step: 'deserialize', priority: 'low' } as const;
  client.middlewareStack.add(notingBegunCalls, { ...last, name: 'notingBegunCalls' });
  client.middlewareStack.add(notingCutUploads, { ...last, name: 'notingCutUploads' });
  client.middlewareStack.add(notingUnsentCalls, {
    name: 'notingUnsentCalls',
    step: 'initialize',
    priority: 'high',
  });
  return client;
}

/**
 * The client for everything but sending. These calls are safe to repeat, and SES allows most of them once a second
 * per account, so the SDK retries them with growing delays.
 */
export function createSesAccountClient(options: SesOptions): SESv2Client {
  return new SESv2Client({ ...toConfig(options, accountTimeouts), maxAttempts: 4, retryMode: 'standard' });
}
