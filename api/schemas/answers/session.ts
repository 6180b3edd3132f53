import { z } from 'zod';

export const sessionSchema = z
  .object({
    id: z.uuid(),
    browser: z.string().nullable().describe('In words, such as `Firefox`; null when it is not known.'),
    system: z.string().nullable().describe('In words, such as `macOS`; null when it is not known.'),
    createdAt: z.iso.datetime(),
    lastUsedAt: z.iso.datetime().describe('Accurate to ten minutes.'),
    current: z.boolean().describe("Whether it is the caller's session."),
  })
  .meta({ id: 'Session' });
