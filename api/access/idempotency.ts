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
     * @param owner the project, or the user for a request outside of projects
     * @param request method and path, such as `POST /v1/send`
     * @param scope the same key in another scope is another key; null is the scope that routes share
     * @throws DomainError `IDEMPOTENCY_KEY_REUSED` when another request of the owner holds the key,
     * `SERVICE_UNAVAILABLE` under contention
     */
    claim: async (owner: string, key: string, request: string, scope: string | null) => {
      // No key contains a line break.
      const stored = scope === null ? key : `${scope}\n${key}`;
      const claim = { projectId: owner, key: stored, request, token: newId() };
      for (let tries = 0; tries < mostTries; tries += 1) {
        if (await claims.submit(claim)) return claim;
        const holder = await findHolder(em, claim);
        // Released since the claim failed: retry.
        if (holder === undefined) continue;
        const { request: originalRequest, createdAt, statusCode, createdId } = holder;
        const { message, suggestion } = refusal(statusCode, scope !== null);
        throw new DomainError('IDEMPOTENCY_KEY_REUSED', message, {
          details: {
            key,
            originalRequest,
            originalRequestTime: createdAt.toISOString(),
            originalStatusCode: statusCode,
            ...(createdId !== null && { createdId }),
          },
          suggestion,
        });
      }
      throw new DomainError(
        'SERVICE_UNAVAILABLE',
        'Other requests are using this Idempotency-Key; try again',
      );
    },
    /** Ends the claim: a 4xx releases the key, any other outcome is stored with it until it expires. */
    settle: async (claim: KeyClaim, statusCode: number, createdId: string | null) => {
      await settlements.submit({ ...claim, statusCode, createdId });
    },
  };
}

/** Only a key whose request succeeded is to be replaced: otherwise the same thing could happen twice. */
function refusal(originalStatus: number | null, creates: boolean): { message: string; suggestion: string } {
  const lists = creates ? 'the list of these records' : 'GET /emails or GET /events';
  if (originalStatus === null) {
    return {
      message: 'A request with this Idempotency-Key is still running, or ended without an answer',
      suggestion: `Repeat it later with the same key, or look at ${lists}: under another key it may run twice.`,
    };
  }
  if (originalStatus >= 500) {
    return {
      message: `The request with this Idempotency-Key ended with ${originalStatus}, so its outcome is open`,
      suggestion: `Look at ${lists} first: under another key it may run twice.`,
    };
  }
  return {
    message: 'This Idempotency-Key was already used',
    suggestion: 'Send a new Idempotency-Key for a new request.',
  };
}
