import jwt from 'jsonwebtoken';
import { z } from 'zod';
import { sessionDays } from '../../core/accounts/limits.ts';

const issuer = 'posthaste';
const algorithm = 'HS256';

/** The session is revoked when `sessionVersion` differs from the user's in the database, or its row is gone. */
export interface Session {
  userId: string;
  sessionVersion: number;
  /** Id of the session's row; absent in tokens issued before sessions were recorded. */
  id?: string | undefined;
}

export type SessionTokens = ReturnType<typeof createSessionTokens>;

const claimsSchema = z
  .object({ sub: z.uuid(), ver: z.int(), jti: z.uuid().optional() })
  .transform(({ sub, ver, jti }): Session => ({ userId: sub, sessionVersion: ver, id: jti }));

export function createSessionTokens(key: Uint8Array) {
  const secret = Buffer.from(key);
  return {
    signIn: ({ userId, sessionVersion, id }: Session) => {
      const expiresIn = `${sessionDays}d` as const;
      const claims = { ver: sessionVersion, ...(id !== undefined && { jti: id }) };
      return jwt.sign(claims, secret, { algorithm, issuer, subject: userId, expiresIn });
    },
    /** Returns the session of the first valid token; undefined without one: nobody is signed in. */
    read(tokens: readonly string[]) {
      for (const token of tokens) {
        try {
          return claimsSchema.parse(jwt.verify(token, secret, { algorithms: [algorithm], issuer }));
        } catch {
          // Forged, expired or no JWT.
        }
      }
      return undefined;
    },
  };
}
