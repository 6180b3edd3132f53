import { defineRoute } from '../edge/define-route.ts';
import { verifyAnswerSchema, verifyBodySchema } from '../schemas/verify.ts';

export const verifyEmail = defineRoute({
  method: 'POST',
  path: '/v1/verify',
  auth: 'secretKey',
  tags: ['Public API'],
  summary: 'Verify an email address',
  description: [
    'An address is `valid` when its domain can receive mail (MX records that are not null, else A or AAAA records), and the domain is neither disposable nor a recognised typo. A malformed address is 422. No mail server is contacted, so whether the mailbox exists stays open.',
    '`isAlias`: the domain belongs to a forwarding or relay service. `isPersonalEmail`: it belongs to a free mailbox provider. `domainExists`: the registered domain has NS records. `hasMxRecords` is false for a null MX. `reasons` are sentences: why the address is not valid, then what else there is to know; there may be none.',
    'What DNS says is kept for 5 minutes, of a domain that takes no mail for 30 seconds. 503 when DNS does not answer within 2.5 seconds: nothing is known then, ask again. A domain whose own name servers fail is not valid.',
  ].join('\n\n'),
  body: verifyBodySchema,
  bodyExample: { email: 'ada+news@gmaill.com' },
  responses: {
    200: {
      description: 'What is known about the address.',
      schema: verifyAnswerSchema,
      example: {
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
      },
    },
  },
  errors: ['SERVICE_UNAVAILABLE'],
  async handler({ body, services }) {
    return { status: 200, body: { success: true as const, data: await services.verify.verify(body.email) } };
  },
});
