import { DomainError } from '../../core/errors.ts';
import { newId } from '../../core/new-id.ts';
import { Batcher } from '../../db/batching/batcher.ts';
import type { Em } from '../../db/orm.ts';
import {
  claimKeys,
  findHolder,
  type KeyClaim,
  type SettledClaim,
  settleClaims,
} from '../../db/statements/access/idempotency-keys.ts';

const mostTries = 5;

export type Idempotency = ReturnType<typeof createIdempotency>;

export function createIdempotency(em: Em, ttlHours: number) {
  const shared = {
    maxItems: 200,
    concurrency: 2,
    groupOf: (claim: KeyClaim) => claim.projectId,
    keysOf: (claim: KeyClaim) => [`${claim.projectId} ${claim.key}`],
  };
  const claims = new Batcher<KeyClaim, boolean>({
    ...shared,
    run: (items) => claimKeys(em, items, ttlHours),
  });
  const settlements = new Batcher<SettledClaim, undefined>({
    ...shared,
    run: async (items) => {
      await settleClaims(em, items);
      return items.map(() => undefined);
    },
  });

  return {
    /**
     * Claims the key; call it before the request has any effect.
     * @param request method and path, such as `POST /v1/send`
     * @throws DomainError `IDEMPOTENCY_KEY_REUSED` when another request of the project holds the key,
     * `SERVICE_UNAVAILABLE` under contention
     */
    claim: async (projectId: string, key: string, request: string) => {
      const claim = { projectId, key, request, token: newId() };
      for (let tries = 0; tries < mostTries; tries += 1) {
        if (await claims.submit(claim)) return claim;
        const holder = await findHolder(em, claim);
        // Released since the claim failed: retry.
        if (holder === undefined) continue;
        throw new DomainError('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was already used', {
          details: {
            key,
            originalRequest: holder.request,
            originalRequestTime: holder.createdAt.toISOString(),
            originalStatusCode: holder.statusCode,
          },
          suggestion: 'Send a new Idempotency-Key for a new request.',
        });
      }
      throw new DomainError(
        'SERVICE_UNAVAILABLE',
        'Other requests are using this Idempotency-Key; try again',
      );
    },
    /** Ends the claim: a 4xx releases the key, any other status is stored with it until it expires. */
    settle: async (claim: KeyClaim, statusCode: number) => {
      await settlements.submit({ ...claim, statusCode });
    },
  };
}
