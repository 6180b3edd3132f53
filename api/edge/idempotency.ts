import { v7 as uuidv7 } from 'uuid';
import { DomainError } from '../../core/errors.ts';
import { createBatcher } from '../../db/batching/create-batcher.ts';
import { isRolledBack } from '../../db/batching/is-rolled-back.ts';
import type { Em } from '../../db/orm.ts';
import { claimKeys, type KeyClaim, readKey, type SettledClaim, settleClaims } from './idempotency-keys.ts';

/** Tries to claim a key that is always released just before it can be read. */
const mostTries = 5;

/** Lets a request with an `Idempotency-Key` run once (decisions of the API contract: Idempotency). */
export interface Idempotency {
  /**
   * Claims the key for this request before it has any effect.
   *
   * @param request method and path, such as `POST /v1/send`
   * @throws DomainError `IDEMPOTENCY_KEY_REUSED` when another request of the project holds the key.
   */
  claim(projectId: string, key: string, request: string): Promise<KeyClaim>;
  /** Ends the claim: a 4xx releases the key, everything else keeps it with the status until it expires. */
  settle(claim: KeyClaim, statusCode: number): Promise<void>;
}

export interface IdempotencyOptions {
  em: Em;
  /** Hours that a used key is kept. */
  ttlHours: number;
}

/** Claims and settlements of requests that arrive together share their statements. */
export function createIdempotency({ em, ttlHours }: IdempotencyOptions): Idempotency {
  const keysOf = (claim: KeyClaim) => [`${claim.projectId} ${claim.key}`];
  const claims = createBatcher<KeyClaim, boolean>({
    run: (items) => claimKeys(em, items, ttlHours),
    maxItems: 200,
    concurrency: 2,
    groupOf: (claim) => claim.projectId,
    keysOf,
    isRolledBack,
  });
  const settlements = createBatcher<SettledClaim, undefined>({
    run: async (items) => {
      await settleClaims(em, items);
      return items.map(() => undefined);
    },
    maxItems: 200,
    concurrency: 2,
    groupOf: (claim) => claim.projectId,
    keysOf,
    isRolledBack,
  });

  return {
    claim: async (projectId, key, request) => {
      const claim = { projectId, key, request, token: uuidv7() };
      for (let tries = 0; tries < mostTries; tries += 1) {
        if (await claims.submit(claim)) return claim;
        const holder = await readKey(em, projectId, key);
        // Released in between: it is free again.
        if (holder === undefined) continue;
        throw new DomainError('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was already used', {
          details: {
            key,
            originalRequest: holder.request,
            originalRequestTime: new Date(holder.claimed_at).toISOString(),
            originalStatusCode: holder.status_code,
          },
          suggestion: 'Send a new Idempotency-Key for a new request.',
        });
      }
      throw new DomainError('SERVICE_UNAVAILABLE', 'The Idempotency-Key is contended; try again');
    },
    settle: async (claim, statusCode) => {
      await settlements.submit({ ...claim, statusCode });
    },
  };
}
