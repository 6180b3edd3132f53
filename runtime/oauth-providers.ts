import type { OAuthProviderName } from '../core/accounts/oauth-providers.ts';
import { publicApiUrl } from '../core/config/public-api-url.ts';
import type { Config } from '../core/config/schema.ts';
import { createGitHubProvider } from '../providers/oauth/github.ts';
import { createGoogleProvider } from '../providers/oauth/google.ts';
import type { OAuthProvider } from '../providers/oauth/oauth-provider.ts';

export function openOAuthProviders(config: Config): Record<OAuthProviderName, OAuthProvider | null> {
  const redirectUri = (name: string) => `${publicApiUrl(config)}/auth/oauth/${name}/callback`;
  const clientOf = (clientId: string | undefined, clientSecret: string | undefined) =>
    clientId === undefined || clientSecret === undefined ? undefined : { clientId, clientSecret };
  const google = clientOf(config.OAUTH_GOOGLE_CLIENT_ID, config.OAUTH_GOOGLE_CLIENT_SECRET);
  const github = clientOf(config.OAUTH_GITHUB_CLIENT_ID, config.OAUTH_GITHUB_CLIENT_SECRET);
  return {
    google:
      google === undefined
        ? null
        : createGoogleProvider({
            ...google,
            issuer: config.OAUTH_GOOGLE_ISSUER,
            redirectUri: redirectUri('google'),
          }),
    github:
      github === undefined
        ? null
        : createGitHubProvider({
            ...github,
            url: config.OAUTH_GITHUB_URL,
            redirectUri: redirectUri('github'),
          }),
  };
}
