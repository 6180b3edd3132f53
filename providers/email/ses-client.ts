import { SESv2Client } from '@aws-sdk/client-sesv2';

export interface SesOptions {
  region: string;
  /** Another address than that of the region, for instance the local SES. */
  endpoint: string | undefined;
  /** By default those of the usual AWS sources: environment, profile, role of the machine. */
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined;
}

/**
 * The SES client with its own retries off: SES has no idempotency token, so a retry after a lost reply would
 * send a second copy. What an answer means is decided in one place, `classifySesError`.
 */
export function createSesClient(options: SesOptions): SESv2Client {
  return new SESv2Client({
    region: options.region,
    maxAttempts: 1,
    ...(options.endpoint === undefined ? {} : { endpoint: options.endpoint }),
    ...(options.credentials === undefined ? {} : { credentials: options.credentials }),
    requestHandler: {
      connectionTimeout: 5_000,
      requestTimeout: 20_000,
      throwOnRequestTimeout: true,
      httpsAgent: { keepAlive: true, maxSockets: 64 },
      httpAgent: { keepAlive: true, maxSockets: 64 },
    },
  });
}
