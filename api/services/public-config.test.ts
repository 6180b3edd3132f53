import { expect, it } from 'vitest';
import { environmentSchema } from '../../core/config/schema.ts';
import { publicConfig } from './public-config.ts';

const required = { APP_SECRET: 'x'.repeat(32), DATABASE_URL: 'postgres://p' };
const show = (environment: Record<string, string>) =>
  publicConfig(environmentSchema.parse({ ...required, ...environment }), '1.2.3');

it('shows nothing configured as false and null', () => {
  expect(show({})).toEqual({
    version: '1.2.3',
    features: {
      billing: false,
      objectStorage: false,
      signup: true,
      smtp: false,
      inbound: false,
    },
    urls: { api: 'http://127.0.0.1:8080', dashboard: null, temporalUi: null },
  });
});

it('shows what is configured', () => {
  const shown = show({
    S3_BUCKET: 'images',
    SIGNUP_ENABLED: 'off',
    EMAIL_PROVIDER: 'smtp',
    SMTP_URL: 'smtp://mail',
    API_URL: 'https://mail.example.com/',
    DASHBOARD_URL: 'https://app.example.com',
    TEMPORAL_UI_URL: 'https://temporal.example.com/ui',
  });
  expect(shown.features).toMatchObject({ objectStorage: true, signup: false, smtp: true });
  expect(shown.urls).toEqual({
    api: 'https://mail.example.com',
    dashboard: 'https://app.example.com',
    temporalUi: 'https://temporal.example.com/ui',
  });
});

it('shows the value of no setting but those of the addresses, whatever is set', () => {
  const mark = 'a-secret-of-this-test-0123456789-0123456789';
  const shownAddresses = ['API_URL', 'DASHBOARD_URL', 'TEMPORAL_UI_URL'];
  let tried = 0;
  for (const name of Object.keys(environmentSchema.shape)) {
    // Part of the address without an API_URL.
    if (name === 'HOST') continue;
    const isAddress = shownAddresses.includes(name);
    const values = [
      mark,
      `https://user:${mark}@host.example/${isAddress ? '' : mark}`,
      `${mark}@host.example`,
    ];
    for (const value of values) {
      if (!environmentSchema.safeParse({ ...required, [name]: value }).success) continue;
      tried += 1;
      expect(JSON.stringify(show({ [name]: value })), name).not.toContain(mark);
    }
  }
  expect(tried).toBeGreaterThan(20);
});
