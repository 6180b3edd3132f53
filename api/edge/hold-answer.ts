import type { ServerResponse } from 'node:http';
import type { Claim } from '../../core/fair-semaphore.ts';
import { leaveShortPlace } from '../services/short-place.ts';
import { BodyMemory, paceMs, slowestBytes } from './body-memory.ts';
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
  const claim = await claimUntilClosed(memory, res, owner, bytes);
  return (size) => {
    claim.shrinkTo(size);
    if (res.destroyed) return;
    const due = performance.now() + patienceMs(size);
    const patience = setInterval(() => {
      if (memory.waiting > 0 && performance.now() > due) res.destroy();
    }, lookMs);
    res.once('close', () => clearInterval(patience));
  };
}

/** Memory for the parts of streamed answers: each answer has one part in memory, for as long as its client reads. */
const partsMemory = new BodyMemory({ leavesRoom: true });

/**
 * Claims memory for the parts of a streamed answer until its client has all of it or is gone. A client that reads too
 * slowly while others wait for memory loses its connection.
 *
 * @param bytes upper bound of the size of a part
 * @throws as `holdAnswer`
 */
export async function holdParts(
  { res }: { res: ServerResponse },
  owner: string,
  bytes: number,
): Promise<void> {
  await claimUntilClosed(partsMemory, res, owner, bytes);
  if (res.destroyed) return;
  let before = 0;
  const pace = setInterval(() => {
    const written = res.socket?.bytesWritten ?? 0;
    // Also once the answer has ended: its last part may still wait for the client.
    const isSlow = res.writableLength > 0 && written - before < slowestBytes;
    if (isSlow && partsMemory.waiting > 0) res.destroy();
    before = written;
  }, paceMs);
  res.once('close', () => clearInterval(pace));
}

async function claimUntilClosed(
  from: BodyMemory,
  res: ServerResponse,
  owner: string,
  bytes: number,
): Promise<Claim> {
  const gone = new ClientGone('The client went away');
  if (res.destroyed) throw gone;
  const claim = from.claim(owner, bytes);
  if (!claim.isHeld) leaveShortPlace();
  res.once('close', () => {
    claim.giveUp(gone);
    claim.release();
  });
  await claim.granted;
  return claim;
}
