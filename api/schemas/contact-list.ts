import { z } from 'zod';
import { parseField } from '../../core/conditions/parse-field.ts';
import { valuesWithText } from '../../core/contact-data/values-with-text.ts';
import {
  type ContactStatus,
  contactStatuses,
  type DataFilter,
} from '../../db/repositories/contacts/contact-filter.ts';
import { contactSchema } from '../presenters/contact.ts';
import { cursorLimitSchema, oneOfSchema, queryFlagSchema } from './pagination.ts';

/** A parameter of its own for each key, so that a list may be filtered by several. */
const filterName = /^filter\[(data\..+)\]$/s;
const mostFilters = 10;

const oneOrMore = z.union([z.string(), z.array(z.string())]);

export const listContactsQuerySchema = z
  .looseObject({
    limit: cursorLimitSchema,
    cursor: z.string().optional(),
    search: z.string().max(254).optional().describe('Part of the address.'),
    subscribed: queryFlagSchema.optional(),
    status: z
      .enum(contactStatuses)
      .optional()
      .describe('`unsubscribed` leaves out the snoozed; `subscribed=false` has both.'),
    'filter[data.<key>]': oneOrMore
      .optional()
      .describe(
        'Only contacts with this value under a key of `data`: the string, or the number or boolean that is written ' +
          'so in JSON. Dots go into nested data. Of several keys all have to hold, of several values of a key one.',
      ),
    sort: oneOfSchema(['email', 'createdAt'], 'createdAt').describe(
      '`email` or `createdAt`; anything else counts as `createdAt`.',
    ),
    dir: oneOfSchema(['asc', 'desc'], undefined).describe(
      '`asc` or `desc`. By default addresses ascend and times descend.',
    ),
  })
  .transform(({ limit, cursor, search, subscribed, status, sort, dir, ...rest }, context) => {
    const filters = Object.entries(rest)
      .filter(([name]) => name === 'filter' || name.startsWith('filter['))
      .flatMap(([name, value]) => readFilter(name, value, context));
    if (filters.length > mostFilters) {
      addIssue(context, 'filter', `At most ${mostFilters} filters are accepted`, 'too_big');
    }
    const statuses = statusesOf(status, subscribed);
    return { limit, cursor, search: search?.toLowerCase() || undefined, statuses, data: filters, sort, dir };
  });

export type ListContactsQuery = z.output<typeof listContactsQuerySchema>;

/** What both parameters let through; undefined for all. */
function statusesOf(
  status: ContactStatus | undefined,
  subscribed: boolean | undefined,
): ContactStatus[] | undefined {
  if (status === undefined && subscribed === undefined) return undefined;
  return contactStatuses.filter(
    (one) => (status ?? one) === one && (subscribed === undefined || subscribed === (one === 'subscribed')),
  );
}

/** One filter on data, or an issue for a parameter that is none. */
function readFilter(name: string, sent: unknown, context: z.core.ParsePayload): DataFilter[] {
  const field = parseField(filterName.exec(name)?.[1] ?? '');
  const texts = oneOrMore.safeParse(sent);
  if (field?.subject === 'data' && texts.success) {
    return [{ key: field.key, path: field.path, values: [texts.data].flat().flatMap(valuesWithText) }];
  }
  addIssue(context, name, 'Expected filter[data.<key>]', 'invalid_string');
  return [];
}

function addIssue(context: z.core.ParsePayload, field: string, message: string, code: string): void {
  context.issues.push({ code: 'custom', path: [field], message, params: { code }, input: context.value });
}

export const contactPageSchema = z.object({
  data: z.array(contactSchema),
  cursor: z.string().nullable(),
  hasMore: z.boolean(),
  total: z.number().int().describe('Of all pages; only on the first page, 0 on later ones.'),
});

export const mostLookedUp = 500;

/** How many there are and whether each is an address is a matter of the service, which answers 400. */
export const lookupBodySchema = z.object({
  emails: z
    .array(z.string())
    .default([])
    .meta({ description: `1 to ${mostLookedUp} addresses.`, minItems: 1, maxItems: mostLookedUp }),
});

export const lookedUpSchema = z.object({ found: z.array(z.string()), notFound: z.array(z.string()) });
