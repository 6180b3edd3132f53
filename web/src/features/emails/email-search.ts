import { z } from 'zod';
import type { operations } from '../../api/schema.d.ts';
import { periodSearchSchema, toPeriodQuery } from '../../ui/period.ts';
import { sourceOptions } from './email-source.ts';
import { statusOptions } from './email-status.tsx';

const oneOf = <Value extends string>(options: readonly { value: Value }[]) =>
  z
    .enum(options.map(({ value }) => value))
    .optional()
    .catch(undefined);
const id = z.uuid().optional().catch(undefined);

/** The URL of the email log: the filters, and the email in the drawer. */
export const emailSearchSchema = periodSearchSchema.extend({
  search: z.coerce.string().max(254).optional().catch(undefined),
  status: oneOf(statusOptions),
  source: oneOf(sourceOptions),
  campaignId: id,
  workflowId: id,
  contactId: id,
  email: id,
});

export type EmailSearch = z.output<typeof emailSearchSchema>;

type EmailsQuery = NonNullable<operations['getEmails']['parameters']['query']>;

export function emailsInit({ email: _, period, from, to, ...filters }: EmailSearch) {
  const query: EmailsQuery = { ...filters, ...toPeriodQuery({ period, from, to }), limit: 50 };
  return { params: { query } };
}

export function isFiltered({ email: _, ...filters }: EmailSearch): boolean {
  return Object.values(filters).some((value) => value !== undefined);
}
