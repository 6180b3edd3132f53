import { z } from 'zod';
import { totalAccuracies } from '../../../core/pagination/total-accuracy.ts';

/** Accuracy of a list's total; the description says when each value applies. */
export const totalAccuracySchema = z.enum(totalAccuracies);

export const offsetPageSchema = <Item extends z.ZodType>(item: Item) =>
  z.object({
    data: z.array(item),
    total: z.number().int().describe('Total of all pages.'),
    page: z.number().int(),
    pageSize: z.number().int(),
    totalPages: z.number().int(),
  });

export const largePageSchema = <Item extends z.ZodType>(item: Item) =>
  offsetPageSchema(item).extend({
    totalAccuracy: totalAccuracySchema.describe(
      '`exact`, or `estimate` above 50,000 and for dynamic segments in large projects.',
    ),
    page: z.number().int().describe('Counts up when cursors are followed.'),
    cursor: z
      .string()
      .nullable()
      .describe('Cursor of the next page, at the same cost at any depth; null at the end.'),
  });
