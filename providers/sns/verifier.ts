import { verify as verifySignature } from 'node:crypto';
import { type SnsMessage, signedText } from './message.ts';
import { isCertificateAddress, isProviderAddress } from './provider-address.ts';
import { createSigningCertificates } from './signing-certificates.ts';

export interface SnsVerifierOptions {
  /** Topics whose messages are accepted. */
  topicArns: readonly string[];
  /** `host:port` of the local SES, which may sign as well and speaks plain HTTP. */
  localHost: string | undefined;
}

/**
 * Why a message is not accepted. All but `certificate` are final; that one says that the signing certificate could
 * not be had, so the message may be genuine and should come again.
 */
export type SnsRefusal =
  | 'topic'
  | 'certificate-address'
  | 'subscribe-address'
  | 'certificate'
  | 'signature'
  | 'expired';

export interface SnsVerifier {
  /**
   * Whether a message is genuine and of an accepted topic: undefined, or why not. Nothing is fetched for another
   * topic, nor from another host than the provider's. A known certificate makes it some 50 µs of computing.
   */
  verify(message: SnsMessage): Promise<SnsRefusal | undefined>;
  /**
   * Visits the address that confirms a subscription. Only of a verified message.
   * @throws Error when the address is not of the provider, or does not answer 2xx.
   */
  confirm(message: Extract<SnsMessage, { Type: 'SubscriptionConfirmation' }>): Promise<void>;
}

/** Redeliveries, also out of a dead-letter queue, are younger; an older message is a replay. */
const maxAgeMs = 14 * 24 * 60 * 60 * 1000;
const confirmTimeoutMs = 10_000;

/**
 * Verifies messages of Amazon SNS, signature versions 1 (SHA-1) and 2 (SHA-256).
 * Source: Amazon SNS developer guide, "Verifying the signatures of Amazon SNS messages".
 */
export function createSnsVerifier({ topicArns, localHost }: SnsVerifierOptions): SnsVerifier {
  const topics = new Set(topicArns);
  const certificates = createSigningCertificates();

  return {
    async verify(message) {
      if (!topics.has(message.TopicArn)) return 'topic';
      if (!isCertificateAddress(message.SigningCertURL, localHost)) return 'certificate-address';
      if (message.Type !== 'Notification' && !isProviderAddress(message.SubscribeURL, localHost)) {
        return 'subscribe-address';
      }
      const key = await certificates.keyAt(message.SigningCertURL);
      if (key === undefined) return 'certificate';
      const algorithm = message.SignatureVersion === '1' ? 'sha1' : 'sha256';
      const signature = Buffer.from(message.Signature, 'base64');
      if (!verifySignature(algorithm, Buffer.from(signedText(message)), key, signature)) return 'signature';
      return Date.now() - Date.parse(message.Timestamp) > maxAgeMs ? 'expired' : undefined;
    },
    async confirm({ SubscribeURL }) {
      if (!isProviderAddress(SubscribeURL, localHost)) {
        throw new Error('The address to confirm the subscription is not of the provider');
      }
      const signal = AbortSignal.timeout(confirmTimeoutMs);
      const answer = await fetch(SubscribeURL, { redirect: 'error', signal });
      await answer.body?.cancel();
      if (!answer.ok) throw new Error(`Confirming the subscription answered ${answer.status}`);
    },
  };
}
