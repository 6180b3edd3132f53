import { publicApiUrl } from './public-api-url.ts';
import type { Config } from './schema.ts';

/** Sender of the emails about accounts, null when the operator has named none, and where their links lead. */
export interface AccountMailSettings {
  from: { email: string; name: string } | null;
  /** Of the dashboard, or of the API where there is none; without a slash at the end. */
  siteUrl: string;
}

export function accountMailSettings(config: Config): AccountMailSettings {
  const { ACCOUNT_EMAIL_FROM: email, ACCOUNT_EMAIL_NAME: name } = config;
  return {
    from: email === undefined ? null : { email, name },
    siteUrl: (config.DASHBOARD_URL ?? publicApiUrl(config)).replace(/\/+$/, ''),
  };
}
