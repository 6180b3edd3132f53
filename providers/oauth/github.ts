import * as client from 'openid-client';
import { z } from 'zod';
import { exchangeCode } from './exchange-code.ts';
import type { OAuthProvider } from './oauth-provider.ts';

export interface GitHubOptions {
  /** `https://github.com`, or a GitHub Enterprise Server. */
  url: string;
  clientId: string;
  clientSecret: string;
  /** Our own address that the browser comes back to. */
  redirectUri: string;
}

const userSchema = z.object({ id: z.int(), name: z.string().nullish() });
const emailsSchema = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

/** GitHub speaks OAuth 2.0 without OpenID Connect: the profile is asked for at its API. */
export function createGitHubProvider({
  url,
  clientId,
  clientSecret,
  redirectUri,
}: GitHubOptions): OAuthProvider {
  const site = url.replace(/\/+$/, '');
  const api = site === 'https://github.com' ? 'https://api.github.com' : `${site}/api/v3`;
  const configuration = new client.Configuration(
    {
      issuer: site,
      authorization_endpoint: `${site}/login/oauth/authorize`,
      token_endpoint: `${site}/login/oauth/access_token`,
    },
    clientId,
    clientSecret,
    client.ClientSecretPost(clientSecret),
  );
  // A server of a test or an intranet; GitHub's own address is https.
  if (site.startsWith('http:')) client.allowInsecureRequests(configuration);

  async function ask<Schema extends z.ZodType>(
    token: string,
    path: string,
    schema: Schema,
  ): Promise<z.output<Schema>> {
    const answer = await client.fetchProtectedResource(
      configuration,
      token,
      new URL(`${api}${path}`),
      'GET',
      undefined,
      new Headers({ Accept: 'application/vnd.github+json', 'User-Agent': 'posthaste' }),
    );
    if (!answer.ok) throw new Error(`GitHub answered ${answer.status} to ${path}`);
    return schema.parse(await answer.json());
  }

  return {
    async authorizationUrl({ state, codeVerifier }) {
      return client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: 'read:user user:email',
        state,
        code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      });
    },

    async profileOf(callback, attempt) {
      const { access_token: token } = await exchangeCode(
        configuration,
        redirectUri,
        callback,
        attempt,
        undefined,
      );
      const [user, emails] = [
        await ask(token, '/user', userSchema),
        await ask(token, '/user/emails', emailsSchema),
      ];
      const primary = emails.find((each) => each.primary && each.verified);
      return {
        subject: String(user.id),
        verifiedEmail: primary?.email ?? null,
        name: user.name ?? null,
      };
    },
  };
}
