import { z } from 'zod';

export const configSchema = z.object({
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
