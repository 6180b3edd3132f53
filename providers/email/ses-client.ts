import { SESv2Client, type SESv2ClientConfig } from '@aws-sdk/client-sesv2';

export interface SesOptions {
  region: string;
  /** Another address than that of the region, for instance the local SES. */
  endpoint: string | undefined;
  /** By default those of the usual AWS sources: environment, profile, role of the machine. */
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined;
  timeouts?: SesTimeouts;
}

export interface SesTimeouts {
  /** Until the connection stands. */
  connectMs: number;
  /** From the call to the first byte of the answer, and from there to its end. */
  answerMs: number;
  /** How long an unused connection is kept, which must be shorter than the other side keeps it. */
  idleMs: number;
}

/** Twice the time for an answer is what a hand-over may take at most. */
const defaultTimeouts: SesTimeouts = { connectMs: 5_000, answerMs: 15_000, idleMs: 4_000 };
const maxConnections = 256;

function toConfig(options: SesOptions): SESv2ClientConfig {
  const { connectMs, answerMs, idleMs } = options.timeouts ?? defaultTimeouts;
  const agent = { keepAlive: true, maxSockets: maxConnections, timeout: idleMs };
  return {
    region: options.region,
    ...(options.endpoint === undefined ? {} : { endpoint: options.endpoint }),
    ...(options.credentials === undefined ? {} : { credentials: options.credentials }),
    requestHandler: {
      connectionTimeout: connectMs,
      requestTimeout: answerMs,
      throwOnRequestTimeout: true,
      socketTimeout: answerMs,
      httpsAgent: agent,
      httpAgent: agent,
    },
  };
}

/**
 * The SES client that sends. It makes each call once: SES has no idempotency token, so a retry after a lost reply
 * would send a second copy. What an answer means is decided in one place, `classifySesError`.
 *
 * The SDK's retry step is taken out altogether, so that no setting of the environment (`AWS_RETRY_MODE`) brings it
 * or its client-side throttle back; without the steps for logs, Lambda and user agent, which are of no use here, a
 * call costs an eighth less CPU.
 */
export function createSesClient(options: SesOptions): SESv2Client {
  const client = new SESv2Client({ ...toConfig(options), maxAttempts: 1 });
  // Signing is placed relative to this step, so the step stays and does nothing.
  client.middlewareStack.add((next) => next, {
    name: 'retryMiddleware',
    step: 'finalizeRequest',
    priority: 'high',
    override: true,
  });
  for (const step of ['loggerMiddleware', 'recursionDetectionMiddleware', 'getUserAgentMiddleware']) {
    client.middlewareStack.remove(step);
  }
  return client;
}

/**
 * The SES client for everything but sending. These calls may be repeated, and SES grants most of them once a second
 * per account, so the SDK retries them with growing pauses.
 */
export function createSesAccountClient(options: SesOptions): SESv2Client {
  return new SESv2Client({ ...toConfig(options), maxAttempts: 4, retryMode: 'standard' });
}
