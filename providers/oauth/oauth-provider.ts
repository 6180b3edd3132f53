export interface OAuthProfile {
  subject: string;
  /** As the provider writes it; null without a verified address. */
  verifiedEmail: string | null;
  name: string | null;
}

/** Secrets of one sign-in attempt (OAuth 2.0 authorization code with PKCE), kept by the browser that started it. */
export interface OAuthAttempt {
  state: string;
  codeVerifier: string;
  nonce: string;
}

/** This installation, as registered with the provider. */
export interface OAuthClient {
  clientId: string;
  clientSecret: string;
  redirectUri: string;
}

export interface OAuthProvider {
  /** @throws when the provider can't be reached */
  authorizationUrl(attempt: OAuthAttempt): Promise<URL>;
  /**
   * Completes the sign-in.
   *
   * @param callback the address the browser was sent back to, with its query
   * @throws OAuthRefused when the callback does not match the attempt, or the user declined
   */
  profileOf(callback: URL, attempt: OAuthAttempt): Promise<OAuthProfile>;
}

export class OAuthRefused extends Error {
  constructor(cause: unknown) {
    super('The provider did not complete the sign-in', { cause });
    this.name = 'OAuthRefused';
  }
}
