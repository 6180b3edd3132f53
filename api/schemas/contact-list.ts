import { z } from 'zod';
import { toAddressPart } from '../../core/addresses/email-address.ts';
import { parseField } from '../../core/conditions/parse-field.ts';
import { valuesWithText } from '../../core/contact-data/values-with-text.ts';
import { reportIssue } from '../../core/zod-issues.ts';
import {
  type ContactFilter,
  type ContactStatus,
  contactStatuses,
  type DataFilter,
} from '../../db/statements/contacts/contact-filter.ts';
import { contactsPerScan } from '../../db/statements/contacts/scan-contacts.ts';
import { contactSchema } from './contacts.ts';
import { nullableInstant, nullableText } from './nullable.ts';
import {
  cursorLimitSchema,
  cursorPageSchema,
  oneOfSchema,
  queryFlagSchema,
  totalAccuracySchema,
} from './pagination.ts';

// One parameter per key, so that several filters combine.
const filterName = /^filter\[(data\..+)\]$/s;
const mostFilters = 10;

const oneOrMore = z.union([z.string(), z.array(z.string())]);

const filterFields = {
  search: z.string().max(254).optional().describe('Part of the address.'),
  subscribed: queryFlagSchema.optional(),
  status: z
    .enum(contactStatuses)
    .optional()
    .describe('`unsubscribed` excludes snoozed contacts; `subscribed=false` includes them.'),
  /** Documentation of `filter[data.<key>]`, whose name is not fixed. */
  filter: z
    .unknown()
    .meta({
      type: 'object',
      propertyNames: { pattern: '^data\\..' },
      additionalProperties: { type: 'string' },
      example: { 'data.plan': 'pro' },
    })
    .optional()
    .describe(
      '`filter[data.<key>]=<value>`: only contacts with this value under a key of `data`: the string, or the number or ' +
        'boolean with this JSON text. Dots address nested data. All keys must match; for a repeated key, any of ' +
        'its values.',
    ),
};

const filterSchema = z.looseObject(filterFields);

export const contactFilterQuerySchema = filterSchema.transform(toFilter);

export const listContactsQuerySchema = filterSchema
  .extend({
    limit: cursorLimitSchema,
    cursor: z.string().optional(),
    sort: oneOfSchema(['email', 'createdAt'], 'createdAt').describe(
      '`email` or `createdAt`; anything else counts as `createdAt`.',
    ),
    dir: oneOfSchema(['asc', 'desc'], undefined).describe(
      '`asc` or `desc`. By default addresses ascend and times descend.',
    ),
  })
  .transform(({ limit, cursor, sort, dir, ...filter }, context) => {
    return { limit, cursor, ...toFilter(filter, context), sort, dir };
  });

export type ListContactsQuery = z.output<typeof listContactsQuerySchema>;

export const countContactsQuerySchema = filterSchema
  .extend({ cursor: z.string().optional() })
  .transform(({ cursor, ...filter }, context) => ({ cursor, ...toFilter(filter, context) }));

export type CountContactsQuery = z.output<typeof countContactsQuerySchema>;

function toFilter(
  { search, subscribed, status, ...rest }: z.output<typeof filterSchema>,
  context: z.core.ParsePayload,
): ContactFilter {
  const data = Object.entries(rest)
    .filter(([name]) => name === 'filter' || name.startsWith('filter['))
    .flatMap(([name, value]) => readFilter(name, value, context));
  if (data.length > mostFilters) {
    reportIssue(context, `At most ${mostFilters} filters are accepted`, 'too_big', ['filter']);
  }
  return {
    search: search ? toAddressPart(search) : undefined,
    statuses: statusesOf(status, subscribed),
    data,
  };
}

function statusesOf(
  status: ContactStatus | undefined,
  subscribed: boolean | undefined,
): ContactStatus[] | undefined {
  if (status === undefined && subscribed === undefined) return undefined;
  return contactStatuses.filter(
    (one) => (status ?? one) === one && (subscribed === undefined || subscribed === (one === 'subscribed')),
  );
}

function readFilter(name: string, sent: unknown, context: z.core.ParsePayload): DataFilter[] {
  const field = parseField(filterName.exec(name)?.[1] ?? '');
  const texts = oneOrMore.safeParse(sent);
  if (field?.subject === 'data' && texts.success) {
    return [{ key: field.key, path: field.path, values: [texts.data].flat().flatMap(valuesWithText) }];
  }
  reportIssue(context, 'Expected filter[data.<key>]', 'invalid_string', [name]);
  return [];
}

const perScan = contactsPerScan.toLocaleString('en');

export const contactPageSchema = cursorPageSchema(contactSchema).extend({
  hasMore: z.boolean().describe('More contacts match, or were not scanned yet.'),
  total: z.int().describe('Total of all pages; only on the first page, 0 on later ones.'),
  totalAccuracy: totalAccuracySchema.describe(
    `\`exact\`, or \`minimum\` on later pages and when \`total\` has only the matches among ${perScan} contacts. ` +
      '`GET /contacts/count` counts all.',
  ),
  searchedUntil: nullableText.describe(
    `When the page is not full because ${perScan} contacts were scanned: when the last of them was created, or its ` +
      'address in a list by address. `cursor` continues from there. Otherwise null.',
  ),
});

export const contactCountSchema = z.object({
  count: z.int().describe('Matches among the contacts that this call scanned.'),
  cursor: nullableText,
  hasMore: z.boolean().describe('There are more to count.'),
  searchedUntil: nullableInstant.describe(
    'With `hasMore`: when the last contact scanned was created. Otherwise null.',
  ),
});

export const mostLookedUp = 500;

/** The service checks count and syntax of the addresses and answers 400. */
export const lookupBodySchema = z.object({
  emails: z
    .preprocess(
      // One more than accepted, so that the service refuses their number, and no more are checked.
      (sent) => (Array.isArray(sent) ? sent.slice(0, mostLookedUp + 1) : sent),
      z.array(z.string()),
    )
    .default([])
    .meta({ description: `1 to ${mostLookedUp} addresses.`, minItems: 1, maxItems: mostLookedUp }),
});

export const lookedUpSchema = z.object({ found: z.array(z.string()), notFound: z.array(z.string()) });
