import { z } from 'zod';

export const offsetPageSchema = <Item extends z.ZodType>(item: Item) =>
  z.object({
    data: z.array(item),
    total: z.number().int().describe('Of all pages.'),
    page: z.number().int(),
    pageSize: z.number().int(),
    totalPages: z.number().int(),
  });

export const largePageSchema = <Item extends z.ZodType>(item: Item) =>
  offsetPageSchema(item).extend({
    totalIsEstimate: z
      .boolean()
      .describe('Totals above 50,000 are estimates, and so are those of dynamic segments in large projects.'),
    page: z.number().int().describe('Counted along the cursors when those are followed.'),
    cursor: z
      .string()
      .nullable()
      .describe('Of the next page, which costs the same at any depth; null at the end.'),
  });
