import type { Config } from './schema.ts';
import { dashboardUrl, publicApiUrl } from './urls.ts';

/** `from` is null when `ACCOUNT_EMAIL_FROM` is not set: account emails are off. */
export interface AccountEmailSettings {
  from: { email: string; name: string } | null;
  /** Base of the links: the dashboard, or the API when there is none; no trailing slash. */
  siteUrl: string;
}

export function accountEmailSettings(config: Config): AccountEmailSettings {
  const { ACCOUNT_EMAIL_FROM: email, ACCOUNT_EMAIL_NAME: name } = config;
  return {
    from: email === undefined ? null : { email, name },
    siteUrl: dashboardUrl(config) ?? publicApiUrl(config),
  };
}
