import { defineRoute, ok } from '../edge/define-route.ts';
import { configSchema } from '../schemas/answers/config.ts';

export const showConfig = defineRoute('GET /config', {
  auth: 'none',
  summary: 'Features of this deployment',
  description: 'For dashboards, before sign-in. Addresses that are not configured are null.',
  responses: ok('Version, features and addresses.', configSchema, {
    version: '0.1.0',
    features: {
      billing: false,
      objectStorage: true,
      signup: true,
      smtp: false,
      inbound: false,
      oauth: { google: false, github: false },
    },
    urls: {
      api: 'https://mail.example.com',
      dashboard: 'https://app.example.com',
      temporalUi: null,
    },
  }),
  handler(ctx) {
    const { publicConfig, oauth } = ctx.services;
    const features = { ...publicConfig.features, oauth: oauth.configured };
    ctx.body = { ...publicConfig, features };
  },
});
