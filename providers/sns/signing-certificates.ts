import { type KeyObject, X509Certificate } from 'node:crypto';
import { LRUCache } from 'lru-cache';

const maxCertificateBytes = 32 * 1024;
const fetchTimeoutMs = 5_000;
// Bounds the fetches that forged addresses cause; genuine messages name one or two certificates.
const maxFetches = 8;
const rememberKeyMs = 24 * 60 * 60 * 1000;
const rememberFailureMs = 1_000;

async function readText(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += chunk.byteLength;
    if (size > maxCertificateBytes) throw new Error('The signing certificate is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('latin1');
}

async function fetchCertificate(address: string, timeoutMs: number): Promise<X509Certificate> {
  const answer = await fetch(address, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
  if (!answer.ok) {
    await answer.body?.cancel();
    throw new Error(`The signing certificate answered ${answer.status}`);
  }
  return new X509Certificate(await readText(answer));
}

/**
 * Signing keys by certificate address, cached for a day: one fetch per address at a time, failures cached for a
 * second, expired certificates treated as missing. Failed addresses can't evict known keys. Callers must check
 * addresses: any answer is trusted.
 */
export function createSigningCertificates(timeoutMs = fetchTimeoutMs) {
  const known = new LRUCache<string, { key: KeyObject; fromMs: number; untilMs: number }>({
    max: 100,
    ttl: rememberKeyMs,
  });
  const failed = new LRUCache<string, true>({ max: 1_000, ttl: rememberFailureMs });
  const fetching = new Map<string, Promise<void>>();

  function learn(address: string): Promise<void> {
    const learning = fetchCertificate(address, timeoutMs)
      .then(({ publicKey, validFromDate, validToDate }) => {
        known.set(address, {
          key: publicKey,
          fromMs: validFromDate.getTime(),
          untilMs: validToDate.getTime(),
        });
      })
      .catch(() => {
        failed.set(address, true);
      })
      .finally(() => fetching.delete(address));
    fetching.set(address, learning);
    return learning;
  }

  return {
    async keyAt(address: string) {
      if (!known.has(address)) {
        const learning = fetching.get(address);
        if (learning !== undefined) await learning;
        else if (!failed.has(address) && fetching.size < maxFetches) await learn(address);
      }
      const certificate = known.get(address);
      if (certificate === undefined) return undefined;
      const now = Date.now();
      return certificate.fromMs <= now && now <= certificate.untilMs ? certificate.key : undefined;
    },
  };
}
