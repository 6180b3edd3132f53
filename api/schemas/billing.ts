import { z } from 'zod';
import { invoiceSchema } from './answers/billing.ts';
import { cursorLimitSchema, cursorPageSchema } from './pagination.ts';

export const checkoutBodySchema = z.object({ priceId: z.string().max(255).optional() }).optional();

export const billingPageSchema = z.object({ url: z.url() });

export const listInvoicesQuerySchema = z.object({
  limit: cursorLimitSchema,
  cursor: z.string().optional(),
});

export const invoicePageSchema = cursorPageSchema(invoiceSchema);
