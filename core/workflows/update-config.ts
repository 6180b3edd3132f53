import { z } from 'zod';
import type { ContactData } from '../contact-data/parse-contact-data.ts';
import { parseContactData } from '../contact-data/parse-contact-data.ts';
import { accept, type ConfigResult, lacks, parseShape } from './config-result.ts';

const shapeSchema = z.object({
  data: z.record(z.string(), z.unknown()).optional(),
  subscribed: z.boolean().optional(),
});

export function parseUpdateConfig(
  raw: Record<string, unknown>,
  path: string,
): ConfigResult<{ data: ContactData | null; subscribed: boolean | null }> {
  const shape = parseShape(shapeSchema, raw, path);
  if (!shape.ok) return shape;
  const { data, subscribed = null } = shape.config;
  const parsed = data === undefined ? undefined : parseContactData(data, `${path}.data`);
  if (parsed?.ok === false) return parsed;
  const isEmpty = data === undefined || Object.keys(data).length === 0;
  if (isEmpty && subscribed === null) {
    return { ...shape, missing: [lacks(path, 'data', 'Something to change is required')] };
  }
  return accept(shape.config, { data: parsed?.data ?? null, subscribed });
}
