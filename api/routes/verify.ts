import { z } from 'zod';
import { emailAddressSchema } from '../../core/addresses/email-address.ts';
import { defineRoute, ok } from '../edge/define-route.ts';

const verifyBodySchema = z.object({ email: emailAddressSchema });

const verifyAnswerSchema = z.object({
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

export const verifyEmail = defineRoute('POST /v1/verify', {
  summary: 'Verify an email address',
  description: [
    'An address is `valid` when its domain can receive mail (MX records that are not null, else A or AAAA ' +
      'records), and the domain is neither disposable nor a recognized typo. A malformed address is 422. No ' +
      'mail server is contacted, so it is unknown whether the mailbox exists.',
    '`isAlias`: the domain belongs to a forwarding or relay service. `isPersonalEmail`: it belongs to a ' +
      'free mailbox provider. `domainExists`: the registered domain has NS records. `hasMxRecords` is false ' +
      'for a null MX. `reasons` is a list of sentences: first why the address is invalid, then other ' +
      'findings; it may be empty.',
    'DNS results are cached for 5 minutes, or for 30 seconds if the domain takes no mail. Returns 503 when ' +
      'DNS does not answer within 2.5 seconds; try again. A domain whose own name servers fail is invalid.',
  ].join('\n\n'),
  body: verifyBodySchema,
  bodyExample: { email: 'ada+news@gmaill.com' },
  responses: ok('What is known about the address.', verifyAnswerSchema, {
    success: true,
    data: {
      email: 'ada+news@gmaill.com',
      valid: false,
      isDisposable: false,
      isAlias: false,
      isTypo: true,
      isPlusAddressed: true,
      isPersonalEmail: false,
      domainExists: true,
      hasWebsite: true,
      hasMxRecords: true,
      suggestedEmail: 'ada+news@gmail.com',
      reasons: ['The domain looks like a typo of gmail.com', 'The address has a tag after a plus sign'],
    },
  }),
  place: 'none',
  errors: ['SERVICE_UNAVAILABLE'],
  async handler(ctx, { body }) {
    ctx.body = { success: true as const, data: await ctx.services.verify.verify(body.email) };
  },
});
