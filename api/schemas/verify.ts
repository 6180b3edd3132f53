import { z } from 'zod';
import { emailAddressSchema } from '../../core/addresses/email-address.ts';

export const verifyBodySchema = z.object({ email: emailAddressSchema });

export const verifyAnswerSchema = z.object({
  success: z.literal(true),
  data: z.object({
    email: z.string().meta({ format: 'email', description: 'Lower-case, the domain in its ASCII form.' }),
    valid: z.boolean(),
    isDisposable: z.boolean(),
    isAlias: z.boolean(),
    isTypo: z.boolean(),
    isPlusAddressed: z.boolean(),
    isPersonalEmail: z.boolean(),
    domainExists: z.boolean(),
    hasWebsite: z.boolean(),
    hasMxRecords: z.boolean(),
    suggestedEmail: z.string().meta({ format: 'email' }).optional(),
    reasons: z.array(z.string()),
  }),
});
