import { z } from 'zod';

export const sessionSchema = z
  .object({
    id: z.uuid(),
    browser: z.string().nullable().describe('Such as `Firefox`; null when unknown.'),
    system: z.string().nullable().describe('Such as `macOS`; null when unknown.'),
    createdAt: z.iso.datetime(),
    lastUsedAt: z.iso.datetime().describe('Accurate to ten minutes.'),
    current: z.boolean().describe("Whether it is the caller's session."),
  })
  .meta({ id: 'Session' });
