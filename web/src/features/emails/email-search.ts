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

type EmailFilter = NonNullable<operations['getEmailsExport']['parameters']['query']>;

/** Query parameters for the list and the export. */
export function filterQuery({ email: _, period, from, to, ...filters }: EmailSearch): EmailFilter {
  return { ...filters, ...toPeriodQuery({ period, from, to }) };
}

export const emailsInit = (search: EmailSearch) => ({
  params: { query: { ...filterQuery(search), limit: 50 } },
});

export function isFiltered({ email: _, ...filters }: EmailSearch): boolean {
  return Object.values(filters).some((value) => value !== undefined);
}
