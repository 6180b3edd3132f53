import { jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';

/** How long a sign-in lasts (decisions of the API contract: 30 days). */
const sessionSeconds = 30 * 24 * 60 * 60;
const cookieName = 'token';
const issuer = 'posthaste';

/** What a session cookie claims; whether the version still counts is for the database to say. */
export interface Session {
  userId: string;
  sessionVersion: number;
}

export interface Sessions {
  /** The `Set-Cookie` value that signs a user in. */
  signIn(session: Session): Promise<string>;
  /** The `Set-Cookie` value that signs out. */
  readonly signOut: string;
  /** The session of a `Cookie` header; undefined without one, or when it is forged or over. */
  read(cookieHeader: string | undefined): Promise<Session | undefined>;
}

export interface SessionsOptions {
  /** Derived for the purpose `session`. */
  key: Uint8Array;
  /** Whether the cookie travels over https only. */
  isHttps: boolean;
}

const claimsSchema = z.object({ sub: z.uuid(), ver: z.int() });

/** Whether a request carries the cookie at all. */
export function hasSessionCookie(cookieHeader: string | undefined): boolean {
  return cookieValue(cookieHeader) !== undefined;
}

/** Sessions as JWT (HS256) in a cookie that scripts can't read and other sites can't post. */
export function createSessions({ key, isHttps }: SessionsOptions): Sessions {
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isHttps ? '; Secure' : ''}`;
  return {
    signIn: async ({ userId, sessionVersion }) => {
      const token = await new SignJWT({ ver: sessionVersion })
        .setProtectedHeader({ alg: 'HS256' })
        .setIssuer(issuer)
        .setSubject(userId)
        .setIssuedAt()
        .setExpirationTime(`${sessionSeconds}s`)
        .sign(key);
      return `${cookieName}=${token}; Max-Age=${sessionSeconds}; ${attributes}`;
    },
    signOut: `${cookieName}=; Max-Age=0; ${attributes}`,
    read: async (cookieHeader) => {
      const token = cookieValue(cookieHeader);
      if (token === undefined) return undefined;
      try {
        const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'], issuer });
        const claims = claimsSchema.safeParse(payload);
        return claims.success ? { userId: claims.data.sub, sessionVersion: claims.data.ver } : undefined;
      } catch {
        // Forged, expired, or no JWT at all: in each case nobody is signed in.
        return undefined;
      }
    },
  };
}

function cookieValue(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  for (const part of header.split(';')) {
    const [name, value] = part.split('=', 2);
    if (name?.trim() === cookieName && value !== undefined && value.trim() !== '') return value.trim();
  }
  return undefined;
}
