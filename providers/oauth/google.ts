import * as client from 'openid-client';
import { z } from 'zod';
import { exchangeCode } from './exchange-code.ts';
import { type OAuthClient, type OAuthProvider, OAuthRefused } from './oauth-provider.ts';

const claimsSchema = z.object({
  sub: z.string().min(1),
  email: z.string().optional(),
  email_verified: z.boolean().optional(),
  name: z.string().optional(),
});

/**
 * OpenID Connect. `issuer` may be any OpenID Connect provider: the profile comes from the signed ID token, and from the
 * UserInfo endpoint where that has no address (OpenID Connect Core 1.0, section 5.4).
 */
export function createGoogleProvider(issuer: string, own: OAuthClient): OAuthProvider {
  const { clientId, clientSecret, redirectUri } = own;
  let discovery: Promise<client.Configuration> | undefined;

  // Discovered once; a failure is retried on the next call.
  function configuration(): Promise<client.Configuration> {
    discovery ??= client
      .discovery(new URL(issuer), clientId, clientSecret, undefined, {
        // For tests and intranets; Google itself is https.
        execute: issuer.startsWith('http:') ? [client.allowInsecureRequests] : [],
      })
      .catch((error: unknown) => {
        discovery = undefined;
        throw error;
      });
    return discovery;
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
      const discovered = await configuration();
      const tokens = await exchangeCode(discovered, redirectUri, callback, attempt, attempt.nonce);
      const signed = parseClaims(tokens.claims());
      const asksUserInfo = signed.email === undefined && discovered.serverMetadata().userinfo_endpoint;
      const claims = asksUserInfo
        ? parseClaims(await client.fetchUserInfo(discovered, tokens.access_token, signed.sub))
        : signed;
      const { sub, email = null, email_verified: isVerified, name = null } = claims;
      return { subject: sub, verifiedEmail: isVerified === true ? email : null, name };
    },
  };
}

function parseClaims(claims: unknown) {
  const parsed = claimsSchema.safeParse(claims);
  if (!parsed.success) throw new OAuthRefused(parsed.error);
  return parsed.data;
}
