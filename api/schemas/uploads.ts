import { z } from 'zod';
import { imageTypes } from '../../core/images/image-key.ts';
import { cursorLimitSchema, cursorPageSchema } from './pagination.ts';

export const storedImageSchema = z.object({
  url: z.url(),
  key: z.string(),
  contentType: z.enum(imageTypes),
  size: z.int().meta({ description: 'Bytes.' }),
});

export const imageSchema = storedImageSchema.extend({ createdAt: z.iso.datetime() }).meta({ id: 'Image' });

export const listUploadsQuerySchema = z.object({ limit: cursorLimitSchema, cursor: z.string().optional() });

export type ListUploadsQuery = z.output<typeof listUploadsQuerySchema>;

const amount = (description: string) => z.object({ files: z.int(), bytes: z.int() }).describe(description);

export const uploadPageSchema = cursorPageSchema(imageSchema).extend({
  used: amount('What the project stores.'),
  quota: amount('What it may store; 0 means unlimited.'),
});
