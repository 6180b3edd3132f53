import { z } from 'zod';
import { parseDomainName } from '../../core/addresses/email-address.ts';
import { domainSchema } from './answers/domain.ts';

const domainNameSchema = z
  .string()
  .meta({ description: 'A domain that you own, such as `example.com`.', example: 'example.com' })
  .transform((input, context) => {
    const domain = parseDomainName(input.trim());
    if (domain !== undefined) return domain;
    context.issues.push({
      code: 'custom',
      message: 'Expected a domain name',
      params: { code: 'invalid_string' },
      input,
    });
    return z.NEVER;
  });

export const addDomainBodySchema = z.object({ domain: domainNameSchema });

export const domainListSchema = z.object({ data: z.array(domainSchema) });
