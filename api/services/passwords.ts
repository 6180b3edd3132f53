import { hash, type Options, verify } from '@node-rs/argon2';
import { DomainError } from '../../core/errors.ts';
import { FairSemaphore } from '../../core/fair-semaphore.ts';

/**
 * argon2id (the library's default) with OWASP's minimum parameters: 19 MiB, 2 passes.
 * Source: OWASP Password Storage Cheat Sheet.
 */
const options: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Each hash takes 19 MiB and a thread of the pool that file system and DNS calls share. */
const concurrency = 2;
/** About two seconds of work; further callers are refused. */
const mostWaiting = 100;

export type Passwords = ReturnType<typeof createPasswords>;

export function createPasswords() {
  const decoy = hash('no user has this password', options);
  // First awaited when needed; until then a rejection must not end the process.
  decoy.catch(() => undefined);
  const slots = new FairSemaphore(concurrency);

  async function bounded<Result>(run: () => Promise<Result>): Promise<Result> {
    if (slots.waiting() < mostWaiting) return slots.run('', run);
    throw new DomainError('SERVICE_UNAVAILABLE', 'Too many sign-ins at once; try again in a moment');
  }

  return {
    /** @throws DomainError `SERVICE_UNAVAILABLE` when the queue is full, as does `matches` */
    hash: (password: string) => bounded(() => hash(password, options)),
    /** Without a hash (unknown user), returns false and takes the same time, so that timing reveals no accounts. */
    matches: (passwordHash: string | undefined, password: string) =>
      bounded(async () => {
        const isRight = await verify(passwordHash ?? (await decoy), password);
        return isRight && passwordHash !== undefined;
      }),
  };
}
