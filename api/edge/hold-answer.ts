import type { ServerResponse } from 'node:http';
import { BodyMemory } from './body-memory.ts';
import { ClientGone } from './error-response.ts';

/** Memory that this process's large answers share until their clients have received them. */
const memory = new BodyMemory();
/** How long a client may take to receive its answer, once ready, while others wait for memory; 2 MB/s suffices. */
const patienceMs = (bytes: number) => 5_000 + bytes / 2_000;
const lookMs = 1_000;

/**
 * Claims memory for an answer until its client has it or is gone.
 *
 * @param bytes upper bound of its size
 * @returns a function to call with the actual size once the answer is ready
 * @throws DomainError `SERVICE_UNAVAILABLE` without memory
 * @throws ClientGone when the connection ends before the memory is granted
 */
export async function holdAnswer(
  { res }: { res: ServerResponse },
  owner: string,
  bytes: number,
): Promise<(bytes: number) => void> {
  const gone = Promise.withResolvers<never>();
  gone.promise.catch(() => undefined);
  if (res.destroyed) throw new ClientGone('The client went away');
  const claim = memory.claim(owner, bytes);
  let patience: NodeJS.Timeout | undefined;
  res.once('close', () => {
    clearInterval(patience);
    claim.release();
    gone.reject(new ClientGone('The client went away'));
  });
  await Promise.race([claim.granted, gone.promise]);
  return (size) => {
    claim.shrinkTo(size);
    if (res.destroyed) return;
    const due = performance.now() + patienceMs(size);
    patience = setInterval(() => {
      if (memory.waiting > 0 && performance.now() > due) res.destroy();
    }, lookMs);
  };
}
