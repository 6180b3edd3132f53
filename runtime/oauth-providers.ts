import type { OAuthProviderName } from '../core/accounts/oauth-providers.ts';
import { ConfigError } from '../core/config/load.ts';
import { publicApiUrl } from '../core/config/public-api-url.ts';
import type { Config } from '../core/config/schema.ts';
import { createGitHubProvider } from '../providers/oauth/github.ts';
import { createGoogleProvider } from '../providers/oauth/google.ts';
import type { OAuthProvider } from '../providers/oauth/oauth-provider.ts';

/** @throws ConfigError when only one of the two variables of a provider is set */
export function openOAuthProviders(config: Config): Record<OAuthProviderName, OAuthProvider | null> {
  const redirectUri = (name: string) => `${publicApiUrl(config)}/auth/oauth/${name}/callback`;
  const google = clientOf('GOOGLE', config.OAUTH_GOOGLE_CLIENT_ID, config.OAUTH_GOOGLE_CLIENT_SECRET);
  const github = clientOf('GITHUB', config.OAUTH_GITHUB_CLIENT_ID, config.OAUTH_GITHUB_CLIENT_SECRET);
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

function clientOf(name: string, clientId: string | undefined, clientSecret: string | undefined) {
  if (clientId === undefined && clientSecret === undefined) return undefined;
  if (clientId !== undefined && clientSecret !== undefined) return { clientId, clientSecret };
  throw new ConfigError(`OAUTH_${name}_CLIENT_ID and OAUTH_${name}_CLIENT_SECRET: set both or none`);
}
