import { z } from 'zod';
import { errorCodes } from '../../core/errors.ts';

const fieldIssueSchema = z
  .object({
    field: z.string().describe('Dotted path, such as `attachments.0.filename`.'),
    message: z.string(),
    code: z
      .string()
      .describe('Such as `invalid_type`, `too_big`, `invalid_string`, `reserved_event`, `limit_reached`.'),
    received: z.union([z.string(), z.number(), z.boolean(), z.null()]).optional(),
  })
  .meta({ id: 'FieldIssue' });

export const errorEnvelopeSchema = z
  .object({
    success: z.literal(false),
    error: z.object({
      code: z.enum(errorCodes.filter((code) => code !== 'SENDER_DOMAIN_REFUSED')),
      message: z.string(),
      statusCode: z.int(),
      requestId: z.string().describe('The same as the header `X-Request-Id`.'),
      errors: z.array(fieldIssueSchema).optional(),
      details: z.record(z.string(), z.unknown()).optional(),
      suggestion: z.string().optional(),
    }),
    timestamp: z.iso.datetime(),
  })
  .meta({ id: 'Error' });

export const legacyErrorSchema = z.object({ error: z.string() }).meta({ id: 'SimpleError' });
