import { z } from 'zod';

export const offsetPageSchema = <Item extends z.ZodType>(item: Item) =>
  z.object({
    data: z.array(item),
    total: z.number().int().describe('Of all pages.'),
    page: z.number().int(),
    pageSize: z.number().int(),
    totalPages: z.number().int(),
  });
