import * as client from 'openid-client';
import { z } from 'zod';
import { exchangeCode } from './exchange-code.ts';
import { type OAuthProvider, OAuthRefused } from './oauth-provider.ts';

export interface GoogleOptions {
  issuer: string;
  clientId: string;
  clientSecret: string;
  redirectUri: string;
}

const claimsSchema = z.object({
  sub: z.string().min(1),
  email: z.string().optional(),
  email_verified: z.boolean().optional(),
  name: z.string().optional(),
});

/** OpenID Connect: the profile comes from the signed ID token. `issuer` may be any OpenID Connect provider. */
export function createGoogleProvider(options: GoogleOptions): OAuthProvider {
  const { issuer, clientId, clientSecret, redirectUri } = options;
  let discovered: Promise<client.Configuration> | undefined;

  // Discovered once; a failure is retried on the next call.
  function configuration(): Promise<client.Configuration> {
    discovered ??= client
      .discovery(new URL(issuer), clientId, clientSecret, undefined, {
        // For tests and intranets; Google itself is https.
        execute: issuer.startsWith('http:') ? [client.allowInsecureRequests] : [],
      })
      .catch((error: unknown) => {
        discovered = undefined;
        throw error;
      });
    return discovered;
  }

  return {
    async authorizationUrl({ state, codeVerifier, nonce }) {
      return client.buildAuthorizationUrl(await configuration(), {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      });
    },

    async profileOf(callback, attempt) {
      const tokens = await exchangeCode(await configuration(), redirectUri, callback, attempt, attempt.nonce);
      const claims = claimsSchema.safeParse(tokens.claims());
      if (!claims.success) throw new OAuthRefused(claims.error);
      const { sub, email, email_verified: isVerified, name } = claims.data;
      return {
        subject: sub,
        verifiedEmail: isVerified === true ? (email ?? null) : null,
        name: name ?? null,
      };
    },
  };
}
