import { setImmediate as immediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Claim } from '../../core/fair-semaphore.ts';
import { BodyMemory, type BodyMemoryOptions, bodyMemory, mebibyte, watchPace } from './body-memory.ts';

const memoryOf = (options: Partial<BodyMemoryOptions> = {}) =>
  new BodyMemory({
    budgetBytes: 10,
    bytesPerOwner: 6,
    waitingPerOwner: 3,
    waiting: 5,
    waitMs: 60_000,
    ...options,
  });

/** The names of the claims that were granted, in their order. */
function watch(claims: Record<string, Claim>): string[] {
  const granted: string[] = [];
  for (const [name, claim] of Object.entries(claims)) {
    claim.granted.then(
      () => granted.push(name),
      () => granted.push(`${name} refused`),
    );
  }
  return granted;
}

describe('memory for large bodies', () => {
  it('is granted at once while some is left, up to the share of an owner, and then in turns', async () => {
    const memory = memoryOf();
    const claims = {
      a1: memory.claim('a', 3),
      a2: memory.claim('a', 3),
      a3: memory.claim('a', 3),
      a4: memory.claim('a', 3),
      b1: memory.claim('b', 4),
      b2: memory.claim('b', 2),
      c1: memory.claim('c', 4),
    };
    const granted = watch(claims);
    await immediate();
    expect(granted).toEqual(['a1', 'a2', 'b1']);
    expect(memory.waiting).toBe(4);
    claims.a1.release();
    await immediate();
    expect(granted.slice(3)).toEqual(['a3']);
    claims.b1.release();
    await immediate();
    expect(granted.slice(4)).toEqual(['b2']);
    claims.a2.release();
    await immediate();
    expect(granted.slice(5)).toEqual(['c1']);
    for (const claim of Object.values(claims)) claim.release();
    await immediate();
    expect(memory.waiting).toBe(0);
  });

  it('leaves room for further owners where it is held for long', () => {
    const memory = memoryOf({ leavesRoom: true, waitingPerOwner: 100, waiting: 100 });
    const claims = ['a', 'b', 'c', 'd'].map((owner) =>
      Array.from({ length: 6 }, () => memory.claim(owner, 1)),
    );
    const held = claims.map((own) => own.filter(({ isHeld }) => isHeld).length);
    expect(held).toEqual([5, 3, 1, 1]);
    // Waiting ones would be refused after a minute, when nobody looks.
    for (const { release } of claims.flat()) release();
    expect(memory.waiting).toBe(0);
  });

  it('is reserved for a waiting large body: smaller ones of others do not overtake it', async () => {
    const memory = memoryOf({ bytesPerOwner: 10 });
    const claims = {
      a: memory.claim('a', 4),
      b: memory.claim('b', 4),
      large: memory.claim('c', 8),
      small: memory.claim('d', 1),
    };
    const granted = watch(claims);
    claims.a.release();
    await immediate();
    expect(granted).toEqual(['a', 'b']);
    claims.b.release();
    await immediate();
    expect(granted.slice(2)).toEqual(['large', 'small']);
  });

  it('is refused when too many wait, or for too long', async () => {
    const memory = memoryOf({ waitMs: 20 });
    const first = memory.claim('a', 6);
    const waiting = [1, 2, 3].map(() => memory.claim('a', 6).granted);
    const busy = { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: expect.any(Number) };
    await expect(memory.claim('a', 6).granted).rejects.toMatchObject(busy);
    for (const granted of waiting) await expect(granted).rejects.toMatchObject(busy);
    expect(memory.waiting).toBe(0);
    first.release();
    await memory.claim('a', 6).granted;
  });

  it('is free for others as soon as a body turns out smaller, or its client leaves', async () => {
    const memory = memoryOf();
    const claims = {
      a1: memory.claim('a', 6),
      a2: memory.claim('a', 6),
      a3: memory.claim('a', 4),
    };
    const granted = watch(claims);
    claims.a1.shrinkTo(2);
    claims.a2.release();
    await immediate();
    expect(granted).toEqual(['a1', 'a3']);
  });

  it('is not refused later to a client that has left', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const memory = memoryOf();
    const claims = { a1: memory.claim('a', 6), a2: memory.claim('a', 6) };
    const granted = watch(claims);
    claims.a2.release();
    vi.advanceTimersByTime(60_000);
    await immediate();
    expect(granted).toEqual(['a1']);
  });

  it('admits a body larger than all of it, alone', async () => {
    const memory = memoryOf();
    const claims = { a: memory.claim('a', 50), b: memory.claim('b', 1) };
    const granted = watch(claims);
    await immediate();
    expect(granted).toEqual(['a']);
    claims.a.release();
    claims.a.release();
    await immediate();
    expect(granted).toEqual(['a', 'b']);
  });

  it('never exceeds budget and shares, and ends empty, whatever comes and goes', async () => {
    const steps = fc.array(
      fc.record({
        owner: fc.constantFrom('a', 'b', 'c'),
        bytes: fc.integer({ min: 1, max: 6 }),
        ends: fc.nat(9),
      }),
      { maxLength: 30 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (drawn) => {
        const memory = memoryOf({ waitingPerOwner: 100, waiting: 100 });
        const open: Claim[] = [];
        const held = new Map<string, number>();
        const add = (owner: string, bytes: number) => held.set(owner, (held.get(owner) ?? 0) + bytes);
        for (const { owner, bytes, ends } of drawn) {
          const claim = memory.claim(owner, bytes);
          let isHeld = false;
          claim.granted.then(() => {
            isHeld = true;
            add(owner, bytes);
          });
          open.push({
            ...claim,
            release: () => {
              if (isHeld) add(owner, -bytes);
              claim.release();
            },
          });
          await immediate();
          expect([...held.values()].reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(10);
          for (const each of held.values()) expect(each).toBeLessThanOrEqual(6);
          open.splice(ends, 1)[0]?.release();
          await immediate();
        }
        for (const claim of open) {
          claim.release();
          await immediate();
        }
        expect(memory.waiting).toBe(0);
        const all = ['a', 'b'].map((owner) => memory.claim(owner, 5));
        await Promise.all(all.map((claim) => claim.granted));
      }),
      { numRuns: 100 },
    );
  });
});

describe('a body that arrives while others wait for memory', () => {
  /** Whether it is given up within a minute. @param bytesPerSecond at which it arrives */
  async function isGivenUp(bytes: number, bytesPerSecond: number): Promise<boolean> {
    vi.useFakeTimers();
    const claims = ['a', 'b', 'c'].map((owner) => bodyMemory.claim(owner, 48 * mebibyte));
    for (const { granted } of claims) granted.catch(() => undefined);
    const startedAt = Date.now();
    let isGiven = false;
    const stop = watchPace(
      bytes,
      () => ((Date.now() - startedAt) / 1000) * bytesPerSecond,
      () => {
        isGiven = true;
      },
    );
    vi.advanceTimersByTime(20_000);
    stop();
    for (const { release } of claims) release();
    vi.useRealTimers();
    return isGiven;
  }

  it('is given up unless all of it arrives soon', async () => {
    expect(await isGivenUp(40 * mebibyte, 70 * 1024)).toBe(true);
    expect(await isGivenUp(40 * mebibyte, 3 * mebibyte)).toBe(false);
    expect(await isGivenUp(mebibyte, 70 * 1024)).toBe(false);
    expect(await isGivenUp(mebibyte, 50 * 1024)).toBe(true);
  });
});
