import type { Config } from '../../core/config/schema.ts';
import { dashboardUrl, publicApiUrl } from '../../core/config/urls.ts';

/** Lists public fields explicitly, so that new settings stay private. */
export function publicConfig(config: Config, version: string) {
  const dashboard = dashboardUrl(config);
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
      dashboard: dashboard === undefined ? null : withoutSecrets(dashboard),
      temporalUi: config.TEMPORAL_UI_URL === undefined ? null : withoutSecrets(config.TEMPORAL_UI_URL),
    },
  };
}

function withoutSecrets(address: string): string {
  const url = new URL(address);
  if (url.username === '' && url.password === '') return address;
  url.username = '';
  url.password = '';
  return url.href;
}
