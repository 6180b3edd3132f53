import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { environmentSchema } from './schema.ts';

it('is what the configuration table of the README says, variable by variable', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const rows = [...readme.matchAll(/^\| `([A-Z0-9_]+)` \| (?:`([^`]*)`)? ?\| (.*) \|$/gm)];
  const documented = new Map(rows.map(([, name, fallback = '', meaning]) => [name, { fallback, meaning }]));
  for (const [name, schema] of Object.entries(environmentSchema.shape)) {
    const parsed = schema.safeParse(undefined);
    const fallback = parsed.success && parsed.data !== undefined ? String(parsed.data) : '';
    expect(documented.get(name), name).toEqual({ fallback, meaning: schema.description });
  }
});
