import * as client from 'openid-client';
import { type OAuthAttempt, OAuthRefused } from './oauth-provider.ts';

/**
 * Exchanges the callback's code for tokens. Verifies state and PKCE and, where there is an ID token, its
 * signature, issuer, audience and nonce.
 *
 * @param redirectUri as registered with the provider; the callback's own address may be behind a proxy
 * @throws OAuthRefused when the callback does not match the attempt; other errors when the provider is unreachable
 */
export async function exchangeCode(
  configuration: client.Configuration,
  redirectUri: string,
  callback: URL,
  attempt: OAuthAttempt,
  nonce?: string,
) {
  const current = new URL(redirectUri);
  current.search = callback.search;
  try {
    return await client.authorizationCodeGrant(configuration, current, {
      expectedState: attempt.state,
      pkceCodeVerifier: attempt.codeVerifier,
      ...(nonce !== undefined && { expectedNonce: nonce, idTokenExpected: true }),
    });
  } catch (error) {
    const isRefused =
      error instanceof client.ClientError ||
      error instanceof client.AuthorizationResponseError ||
      error instanceof client.ResponseBodyError;
    throw isRefused ? new OAuthRefused(error) : error;
  }
}
