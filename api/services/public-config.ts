import { publicApiUrl } from '../../core/config/public-api-url.ts';
import type { Config } from '../../core/config/schema.ts';

/** What anybody may know of a deployment, but for the OAuth providers. */
export interface PublicConfig {
  version: string;
  features: {
    billing: boolean;
    objectStorage: boolean;
    signup: boolean;
    smtp: boolean;
    inbound: boolean;
  };
  urls: { api: string; dashboard: string | null; temporalUi: string | null };
}

/** Names field by field what is shown, so that a new setting stays hidden. */
export function publicConfig(config: Config, version: string): PublicConfig {
  return {
    version,
    features: {
      billing: config.STRIPE_SECRET_KEY !== undefined,
      objectStorage: config.S3_BUCKET !== undefined,
      signup: config.SIGNUP_ENABLED,
      smtp: config.EMAIL_PROVIDER === 'smtp',
      inbound: config.INBOUND_ENABLED && config.EMAIL_PROVIDER === 'ses',
    },
    urls: {
      api: withoutSecrets(publicApiUrl(config)),
      dashboard: config.DASHBOARD_URL === undefined ? null : withoutSecrets(config.DASHBOARD_URL),
      temporalUi: config.TEMPORAL_UI_URL === undefined ? null : withoutSecrets(config.TEMPORAL_UI_URL),
    },
  };
}

/** An address may hold a name and a password, for a proxy that asks for them. */
function withoutSecrets(address: string): string {
  const url = new URL(address);
  if (url.username === '' && url.password === '') return address;
  url.username = '';
  url.password = '';
  return url.href;
}
