import { z } from 'zod';
import { idSchema } from '../../core/id-schema.ts';
import { totalAccuracies } from '../../core/pagination/total-accuracy.ts';
import { maxTemplateBytes } from '../../core/rendering/template.ts';
import { refusal } from '../../core/zod-issues.ts';
import { nullableText } from './nullable.ts';

export const cursorPageSchema = <Item extends z.ZodType>(item: Item) =>
  z.object({ data: z.array(item), cursor: nullableText, hasMore: z.boolean() });

export const limitSchema = (fallback: number, most = 100) =>
  z.coerce
    .number()
    .min(1)
    // Not `int()`: it refuses numbers above 2^53, which the clamp below should handle.
    .refine(Number.isInteger, refusal('Must be a whole number', 'invalid_type'))
    .meta({ type: 'integer' })
    .default(fallback)
    .transform((limit) => Math.min(limit, most));

export const cursorLimitSchema = limitSchema(20);

export const queryFlagSchema = z.enum(['true', 'false']).transform((value) => value === 'true');

export const offsetQuerySchema = z.object({
  page: z.coerce.number().int().min(1).default(1),
  pageSize: limitSchema(20).describe('At most 100.'),
});

export type OffsetQuery = z.output<typeof offsetQuerySchema>;

export const deepPages = `\`cursor\` continues from any page, at the same cost at any depth; a page number costs more the higher it is.`;

export const largePageQuerySchema = offsetQuerySchema.extend({
  cursor: z.string().optional().describe('The `cursor` of the page before; `page` is ignored.'),
});

export type LargePageQuery = z.output<typeof largePageQuerySchema>;

/** Any other value counts as `fallback`; the OpenAPI document shows a plain string. */
export function oneOfSchema<const Value extends string, Fallback extends Value | undefined>(
  values: readonly Value[],
  fallback: Fallback,
) {
  const known = z.enum(values);
  return z
    .unknown()
    .meta({ type: 'string', examples: [...values] })
    .optional()
    .transform((sent): Value | Fallback => known.safeParse(sent).data ?? fallback);
}

export const idsQuerySchema = z.object({
  ids: z
    .union([idSchema, z.array(idSchema).min(1).max(100)])
    .transform((ids) => [ids].flat())
    .describe('1 to 100, each as its own parameter. Unknown ids are left out.'),
});

/** Unknown values fall back to newest first. */
export const offsetOrderSchema = z.object({
  sort: oneOfSchema(['name', 'createdAt', 'updatedAt'], 'createdAt').describe(
    '`name`, `createdAt` or `updatedAt`; anything else counts as `createdAt`.',
  ),
  dir: oneOfSchema(['asc', 'desc'], 'desc').describe('`asc` or `desc`; anything else counts as `desc`.'),
});

/** For lists of templates and campaigns, where HTML bodies make up most of the answer. */
export const withBodySchema = z.object({
  body: queryFlagSchema.default(true).describe('`false` leaves out the `body` of each.'),
});

/** Upper bound in bytes of the bodies on one page. */
export const mostBodyBytes = ({ pageSize }: OffsetQuery): number => pageSize * maxTemplateBytes;

export const offsetWindow = ({ page, pageSize }: OffsetQuery): { limit: number; offset: number } => ({
  limit: pageSize,
  offset: (page - 1) * pageSize,
});

/** Accuracy of a list's total; the description says when each value applies. */
export const totalAccuracySchema = z.enum(totalAccuracies);

export const offsetPageSchema = <Item extends z.ZodType>(item: Item) =>
  z.object({
    data: z.array(item),
    total: z.int().describe('Total of all pages.'),
    page: z.int(),
    pageSize: z.int(),
    totalPages: z.int(),
  });

export const examplePage = (...data: unknown[]) => ({
  data,
  total: data.length,
  page: 1,
  pageSize: 20,
  totalPages: 1,
});

export const largePageSchema = <Item extends z.ZodType>(item: Item) =>
  offsetPageSchema(item).extend({
    totalAccuracy: totalAccuracySchema.describe(
      '`exact`, or `estimate` above 50,000 and for dynamic segments in large projects.',
    ),
    page: z.int().describe('Counts up when cursors are followed.'),
    cursor: nullableText.describe('Cursor of the next page, at the same cost at any depth; null at the end.'),
  });
