import { hash, type Options, verify } from '@node-rs/argon2';
import { DomainError } from '../../core/errors.ts';

/**
 * argon2id (the library's default) with the parameters that OWASP recommends at the least: 19 MiB, 2 passes.
 * Source: OWASP Password Storage Cheat Sheet.
 */
const options: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Hashes in flight: each takes a thread of the pool that file system and DNS use too, and 19 MiB. */
const concurrency = 2;
/** Beyond this many callers waiting, about two seconds of work, the next is sent away. */
const mostWaiting = 100;

export interface Passwords {
  /** @throws DomainError `SERVICE_UNAVAILABLE` when too many are waiting; the same for `matches` */
  hash(password: string): Promise<string>;
  /**
   * Whether a password is the one of a hash. Without a hash, because there is no such user, it takes the same
   * time and answers false.
   */
  matches(passwordHash: string | undefined, password: string): Promise<boolean>;
}

/** argon2id, a bounded number at a time. */
export function createPasswords(): Passwords {
  const decoy = hash('no user has this password', options);
  // Looked at when it is first needed; until then a failure must not end the process.
  decoy.catch(() => undefined);
  let running = 0;
  const waiting: (() => void)[] = [];

  async function bounded<Result>(run: () => Promise<Result>): Promise<Result> {
    if (running >= concurrency) {
      if (waiting.length >= mostWaiting) {
        throw new DomainError('SERVICE_UNAVAILABLE', 'Too many sign-ins at once; try again in a moment');
      }
      // The one that ends hands its place on, so `running` stays as it is.
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running += 1;
    }
    try {
      return await run();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  }

  return {
    hash: (password) => bounded(() => hash(password, options)),
    matches: (passwordHash, password) =>
      bounded(async () => {
        const isRight = await verify(passwordHash ?? (await decoy), password);
        return isRight && passwordHash !== undefined;
      }),
  };
}
