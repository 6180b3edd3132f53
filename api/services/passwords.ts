import { hash, type Options, verify } from '@node-rs/argon2';
import { FairSemaphore } from '../../core/fair-semaphore.ts';

/**
 * argon2id (the library's default) with OWASP's minimum parameters: 19 MiB, 2 passes.
 * Source: OWASP Password Storage Cheat Sheet.
 */
const options: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Each hash takes 19 MiB and a thread of the pool that file system and DNS calls share. */
const concurrency = 2;

export type Passwords = ReturnType<typeof createPasswords>;

/** The places of requests limit how many hashes wait (`api/edge/visitor-places.ts`). */
export function createPasswords() {
  const decoy = hash('no user has this password', options);
  // First awaited when needed; until then a rejection must not end the process.
  decoy.catch(() => undefined);
  const places = new FairSemaphore(concurrency);
  const bounded = <Result>(run: () => Promise<Result>) => places.run('', run);

  return {
    hash: (password: string) => bounded(() => hash(password, options)),
    /** Without a hash (unknown user), returns false and takes the same time, so that timing reveals no accounts. */
    matches: (passwordHash: string | undefined, password: string) =>
      bounded(async () => {
        const isRight = await verify(passwordHash ?? (await decoy), password);
        return isRight && passwordHash !== undefined;
      }),
  };
}
