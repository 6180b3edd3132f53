import * as client from 'openid-client';
import { z } from 'zod';
import { exchangeCode } from './exchange-code.ts';
import type { OAuthClient, OAuthProvider } from './oauth-provider.ts';

const userSchema = z.object({ id: z.int(), name: z.string().nullish() });
const emailsSchema = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

/**
 * GitHub offers OAuth 2.0 without OpenID Connect: the profile comes from its API. `url` may be that of a GitHub
 * Enterprise Server.
 */
export function createGitHubProvider(url: string, own: OAuthClient): OAuthProvider {
  const { clientId, clientSecret, redirectUri } = own;
  const site = url.replace(/\/+$/, '');
  const api = site === 'https://github.com' ? 'https://api.github.com' : `${site}/api/v3`;
  const configuration = new client.Configuration(
    {
      // As in the `iss` of GitHub's callbacks (RFC 9207); a server that sends none is accepted too.
      issuer: `${site}/login/oauth`,
      authorization_endpoint: `${site}/login/oauth/authorize`,
      token_endpoint: `${site}/login/oauth/access_token`,
    },
    clientId,
    clientSecret,
    client.ClientSecretPost(clientSecret),
  );
  // For tests and intranets; GitHub itself is https.
  if (site.startsWith('http:')) client.allowInsecureRequests(configuration);

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
      const { access_token: token } = await exchangeCode(configuration, redirectUri, callback, attempt);
      const user = await ask(configuration, token, `${api}/user`, userSchema);
      // By default, GitHub lists 30.
      const emails = await ask(configuration, token, `${api}/user/emails?per_page=100`, emailsSchema);
      const primary = emails.find((each) => each.primary && each.verified);
      return { subject: String(user.id), verifiedEmail: primary?.email ?? null, name: user.name ?? null };
    },
  };
}

async function ask<Schema extends z.ZodType>(
  configuration: client.Configuration,
  token: string,
  url: string,
  schema: Schema,
): Promise<z.output<Schema>> {
  const answer = await client.fetchProtectedResource(
    configuration,
    token,
    new URL(url),
    'GET',
    undefined,
    new Headers({ Accept: 'application/vnd.github+json', 'User-Agent': 'posthaste' }),
  );
  if (!answer.ok) throw new Error(`GitHub answered ${answer.status} to ${url}`);
  return schema.parse(await answer.json());
}
