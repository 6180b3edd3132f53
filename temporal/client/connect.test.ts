import { expect, it } from 'vitest';
import { temporalConnectionConfig } from './connect.ts';

it('treats an empty variable as unset', () => {
  const { connectionOptions, namespace } = temporalConnectionConfig({
    TEMPORAL_ADDRESS: 'temporal:7233',
    TEMPORAL_NAMESPACE: '',
    TEMPORAL_API_KEY: '',
    TEMPORAL_TLS_CLIENT_CERT_PATH: '',
  });
  expect(connectionOptions).toMatchObject({ address: 'temporal:7233', apiKey: undefined, tls: undefined });
  expect(namespace).toBe('default');
});

it('uses TLS with an API key, and with the given certificates', () => {
  const cloud = temporalConnectionConfig({
    TEMPORAL_ADDRESS: 'posthaste.a1b2c.tmprl.cloud:7233',
    TEMPORAL_NAMESPACE: 'posthaste.a1b2c',
    TEMPORAL_API_KEY: 'key',
  });
  expect(cloud).toMatchObject({
    namespace: 'posthaste.a1b2c',
    connectionOptions: { address: 'posthaste.a1b2c.tmprl.cloud:7233', apiKey: 'key', tls: true },
  });
  const mutual = temporalConnectionConfig({
    TEMPORAL_TLS_CLIENT_CERT_DATA: 'certificate',
    TEMPORAL_TLS_CLIENT_KEY_DATA: 'key',
  });
  const { tls } = mutual.connectionOptions;
  expect(typeof tls === 'object' && Buffer.from(tls?.clientCertPair?.crt ?? '').toString()).toBe(
    'certificate',
  );
});
