import { verify as verifySignature } from 'node:crypto';
import { type SnsMessage, signedText } from './message.ts';
import { isCertificateAddress, isProviderAddress } from './provider-address.ts';
import { createSigningCertificates } from './signing-certificates.ts';

export interface SnsVerifierOptions {
  topicArns: readonly string[];
  localHost: string | undefined;
}

/** Redeliveries, also from a dead-letter queue, are younger; an older message is a replay. */
const maxAgeMs = 14 * 24 * 60 * 60 * 1000;
const confirmTimeoutMs = 10_000;

export type SnsVerifier = ReturnType<typeof createSnsVerifier>;

/**
 * Accepts signature versions 1 (SHA-1) and 2 (SHA-256).
 * Source: Amazon SNS developer guide, "Verifying the signatures of Amazon SNS messages".
 */
export function createSnsVerifier({ topicArns, localHost }: SnsVerifierOptions) {
  const topics = new Set(topicArns);
  const certificates = createSigningCertificates();

  return {
    /**
     * Verifies topic and signature; undefined when the message is genuine. Never fetches for a foreign topic or from
     * a foreign host. About 50 µs with a cached certificate.
     */
    async verify(message: SnsMessage) {
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
    /**
     * Confirms a subscription. Only call it with a verified message.
     *
     * @throws Error for an address that is not the provider's, or an answer other than 2xx
     */
    async confirm({ SubscribeURL }: Extract<SnsMessage, { Type: 'SubscriptionConfirmation' }>) {
      if (!isProviderAddress(SubscribeURL, localHost)) {
        throw new Error("The address that confirms the subscription is not the provider's");
      }
      const signal = AbortSignal.timeout(confirmTimeoutMs);
      const answer = await fetch(SubscribeURL, { redirect: 'error', signal });
      await answer.body?.cancel();
      if (!answer.ok) throw new Error(`Confirming the subscription answered ${answer.status}`);
    },
  };
}
