import { z } from 'zod';

/** `limit` of cursor lists: 20 by default, larger values are clamped to 100. */
export const cursorLimitSchema = z.coerce
  .number()
  .int()
  .min(1)
  .default(20)
  .transform((limit) => Math.min(limit, 100));

/** A boolean of a query string. */
export const queryFlagSchema = z.enum(['true', 'false']).transform((value) => value === 'true');

/** `page` and `pageSize` of offset lists: 20 by default, larger sizes are clamped to 100. */
export const offsetQuerySchema = z.object({
  page: z.coerce.number().int().min(1).default(1),
  pageSize: z.coerce
    .number()
    .int()
    .min(1)
    .default(20)
    .transform((size) => Math.min(size, 100))
    .describe('At most 100.'),
});

export type OffsetQuery = z.output<typeof offsetQuerySchema>;

/** One of some values of a query string; whatever else is sent counts as the fallback, as the document says too. */
export function oneOfSchema<const Value extends string, Fallback extends Value | undefined>(
  values: readonly Value[],
  fallback: Fallback,
) {
  const known = z.enum(values);
  return z
    .union([known, z.unknown()])
    .optional()
    .transform((sent): Value | Fallback => known.safeParse(sent).data ?? fallback);
}

/** `sort` and `dir` of offset lists; what is not recognised falls back to the newest first. */
export const offsetOrderSchema = z.object({
  sort: oneOfSchema(['name', 'createdAt', 'updatedAt'], 'createdAt').describe(
    '`name`, `createdAt` or `updatedAt`; anything else counts as `createdAt`.',
  ),
  dir: oneOfSchema(['asc', 'desc'], 'desc').describe('`asc` or `desc`; anything else counts as `desc`.'),
});

/** The answer of an offset list. */
export const offsetPageSchema = <Item extends z.ZodType>(item: Item) =>
  z.object({
    data: z.array(item),
    total: z.number().int().describe('Of all pages.'),
    page: z.number().int(),
    pageSize: z.number().int(),
    totalPages: z.number().int(),
  });

/** The rows of a query's page, as SQL counts them. */
export const offsetWindow = ({ page, pageSize }: OffsetQuery): { limit: number; offset: number } => ({
  limit: pageSize,
  offset: (page - 1) * pageSize,
});

/** Puts a page of presented items into the form of `offsetPageSchema`. */
export const presentOffsetPage = <Item>(data: Item[], total: number, { page, pageSize }: OffsetQuery) => ({
  data,
  total,
  page,
  pageSize,
  totalPages: Math.ceil(total / pageSize),
});
