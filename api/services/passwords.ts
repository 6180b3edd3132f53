import { hash, type Options, verify } from '@node-rs/argon2';
import { DomainError } from '../../core/errors.ts';
import { FairSemaphore } from '../../core/fair-semaphore.ts';
import { addressSubject } from '../access/address-subject.ts';

/**
 * argon2id (the library's default) with OWASP's minimum parameters: 19 MiB, 2 passes.
 * Source: OWASP Password Storage Cheat Sheet.
 */
const options: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Each hash takes 19 MiB and a thread of the pool that file system and DNS calls share. */
const concurrency = 2;
/** About two seconds of work; further callers are refused. One client address has at most half of it. */
const mostWaiting = 100;
const retryAfterSeconds = 2;

export type Passwords = ReturnType<typeof createPasswords>;

export function createPasswords() {
  const decoy = hash('no user has this password', options);
  // First awaited when needed; until then a rejection must not end the process.
  decoy.catch(() => undefined);
  const places = new FairSemaphore(concurrency);

  async function bounded<Result>(address: string, run: () => Promise<Result>): Promise<Result> {
    const source = addressSubject(address);
    if (places.waiting() < mostWaiting && places.waiting(source) < mostWaiting / 2)
      return places.run(source, run);
    throw new DomainError('SERVICE_UNAVAILABLE', 'Too many sign-ins at once; try again in a moment', {
      retryAfterSeconds,
    });
  }

  return {
    /**
     * Client addresses take turns; callers with a link from an email need none.
     * @throws DomainError `SERVICE_UNAVAILABLE` when the queue is full, as does `matches`
     */
    hash: (password: string, address = '') => bounded(address, () => hash(password, options)),
    /** Without a hash (unknown user), returns false and takes the same time, so that timing reveals no accounts. */
    matches: (passwordHash: string | undefined, password: string, address = '') =>
      bounded(address, async () => {
        const isRight = await verify(passwordHash ?? (await decoy), password);
        return isRight && passwordHash !== undefined;
      }),
  };
}
