import { z } from 'zod';
import { emailAddressSchema } from '../../core/addresses/email-address.ts';
import { findEventNameIssue } from '../../core/reserved-events.ts';
import { reportIssue } from '../../core/zod-issues.ts';
import { contactDataSchema } from './contact-data.ts';

export const trackBodySchema = z.object({
  email: emailAddressSchema,
  event: z.string().check((context) => {
    const issue = findEventNameIssue(context.value);
    if (issue !== undefined) reportIssue(context, issue.message, issue.code);
  }),
  subscribed: z.boolean().optional(),
  data: contactDataSchema.optional(),
});

export type TrackBody = z.output<typeof trackBodySchema>;

export const trackAnswerSchema = z.object({
  success: z.literal(true),
  data: z.object({ contact: z.uuid(), event: z.uuid(), timestamp: z.iso.datetime() }),
});
