import { createPublicKey, type KeyObject, verify, X509Certificate } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type SnsMessage, signedText } from './message.ts';

export interface SnsVerifierOptions {
  /** Topics whose messages are accepted. */
  topicArns: readonly string[];
  /** `host:port` of the local SES, which may sign as well and speaks plain HTTP. */
  localHost: string | undefined;
}

/** Why a message is not accepted. */
export type SnsRefusal = 'topic' | 'certificate-address' | 'certificate' | 'signature' | 'expired';

export interface SnsVerifier {
  /** Whether the message is genuine and of an accepted topic; nothing is fetched for another topic. */
  verify(message: SnsMessage): Promise<SnsRefusal | undefined>;
  /**
   * Visits the address that confirms a subscription. Only of a verified message.
   * @throws Error when the address is not of the provider, or does not answer 2xx.
   */
  confirm(message: Extract<SnsMessage, { Type: 'SubscriptionConfirmation' }>): Promise<void>;
}

/** Beyond this age a repeat might no longer be known as one. */
const maxAgeMs = 14 * 24 * 60 * 60 * 1000;
const fetchTimeoutMs = 5_000;
const maxCertificateBytes = 32 * 1024;
const awsHost = /^sns\.[a-z0-9-]{3,}\.amazonaws\.com(\.cn)?$/;

function isProviderAddress(address: string, localHost: string | undefined): boolean {
  const url = new URL(address);
  if (url.username !== '' || url.password !== '') return false;
  if (localHost !== undefined && url.protocol === 'http:' && url.host === localHost) return true;
  return url.protocol === 'https:' && url.port === '' && awsHost.test(url.hostname);
}

async function fetchCertificate(address: string): Promise<KeyObject> {
  const answer = await fetch(address, { redirect: 'error', signal: AbortSignal.timeout(fetchTimeoutMs) });
  if (!answer.ok) throw new Error(`The signing certificate answered ${answer.status}`);
  const pem = await answer.text();
  if (pem.length > maxCertificateBytes) throw new Error('The signing certificate is too large');
  const certificate = new X509Certificate(pem);
  const now = Date.now();
  if (now < Date.parse(certificate.validFrom) || now > Date.parse(certificate.validTo)) {
    throw new Error('The signing certificate is not valid at this time');
  }
  return createPublicKey(certificate.publicKey.export({ type: 'spki', format: 'pem' }));
}

/** Verifies messages of Amazon SNS, signature versions 1 (SHA-1) and 2 (SHA-256). */
export function createSnsVerifier(options: SnsVerifierOptions): SnsVerifier {
  const topics = new Set(options.topicArns);
  const certificates = new LRUCache<string, KeyObject>({
    max: 20,
    ttl: 60 * 60 * 1000,
    fetchMethod: (address) => fetchCertificate(address),
  });

  return {
    async verify(message) {
      if (!topics.has(message.TopicArn)) return 'topic';
      const { pathname } = new URL(message.SigningCertURL);
      if (!isProviderAddress(message.SigningCertURL, options.localHost) || !pathname.endsWith('.pem')) {
        return 'certificate-address';
      }
      const key = await certificates.fetch(message.SigningCertURL).catch(() => undefined);
      if (key === undefined) return 'certificate';
      const algorithm = message.SignatureVersion === '1' ? 'sha1' : 'sha256';
      const signature = Buffer.from(message.Signature, 'base64');
      if (!verify(algorithm, Buffer.from(signedText(message)), key, signature)) return 'signature';
      return Date.now() - Date.parse(message.Timestamp) > maxAgeMs ? 'expired' : undefined;
    },
    async confirm(message) {
      if (!isProviderAddress(message.SubscribeURL, options.localHost)) {
        throw new Error('The address to confirm the subscription is not of the provider');
      }
      const answer = await fetch(message.SubscribeURL, {
        redirect: 'error',
        signal: AbortSignal.timeout(fetchTimeoutMs),
      });
      await answer.body?.cancel();
      if (!answer.ok) throw new Error(`Confirming the subscription answered ${answer.status}`);
    },
  };
}
