import { z } from 'zod';
import { defineRoute, ok } from '../edge/define-route.ts';

const configSchema = z.object({
  version: z.string(),
  features: z.object({
    billing: z.boolean(),
    objectStorage: z
      .boolean()
      .meta({ description: 'Uploaded images are stored in S3 or a compatible service.' }),
    signup: z.boolean().meta({ description: '`POST /auth/signup` is open.' }),
    smtp: z.boolean().meta({ description: 'Emails leave through an SMTP server, not through Amazon SES.' }),
    inbound: z.boolean().meta({ description: 'The service receives email.' }),
    oauth: z.object({ google: z.boolean(), github: z.boolean() }),
  }),
  urls: z.object({ api: z.url(), dashboard: z.url().nullable(), temporalUi: z.url().nullable() }),
});

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
