/** What a provider says of whoever has signed in there. */
export interface OAuthProfile {
  /** The provider's own id of the account, which never changes. */
  subject: string;
  /** An address that the provider has verified, as it writes it; null for none. */
  verifiedEmail: string | null;
  name: string | null;
}

/** Secrets of one sign-in, kept by the browser that began it. */
export interface OAuthAttempt {
  state: string;
  codeVerifier: string;
  nonce: string;
}

/** Signs people in by their account at another service (OAuth 2.0 authorization code with PKCE). */
export interface OAuthProvider {
  /** Where to send the browser. @throws when the provider can't be reached */
  authorizationUrl(attempt: OAuthAttempt): Promise<URL>;
  /**
   * Takes the browser back.
   * @param callback the address that the browser came to, with its query
   * @throws OAuthRefused when the answer is not that of the attempt, or nobody signed in
   */
  profileOf(callback: URL, attempt: OAuthAttempt): Promise<OAuthProfile>;
}

/** Nobody is signed in: declined, forged, or used before. */
export class OAuthRefused extends Error {
  constructor(cause: unknown) {
    super('The provider signed nobody in', { cause });
    this.name = 'OAuthRefused';
  }
}
