import { expect, it } from 'vitest';
import { loadConfig } from './load.ts';

it('takes the hosts that webhooks may call in any case', () => {
  const environment = { APP_SECRET: 'x'.repeat(32), DATABASE_URL: 'postgres://p' };
  const { OUTBOUND_ALLOW_HOSTS: hosts } = loadConfig({
    ...environment,
    OUTBOUND_ALLOW_HOSTS: 'CRM.Intranet, 10.0.0.7',
  });
  expect(hosts).toEqual(['crm.intranet', '10.0.0.7']);
});
