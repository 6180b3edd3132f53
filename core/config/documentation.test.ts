import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { environmentSchema } from './schema.ts';

it('is what the configuration document says, variable by variable', () => {
  const document = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
  // The second table is for the local stack only.
  const [product = ''] = document.split('\n`npm start` also reads these');
  const rows = [...product.matchAll(/^\| `([A-Z0-9_]+)` \| (?:`([^`]*)`)? ?\| (.*) \|$/gm)];
  const documented = new Map(rows.map(([, name, fallback = '', meaning]) => [name, { fallback, meaning }]));
  expect([...documented.keys()]).toEqual(Object.keys(environmentSchema.shape));
  for (const [name, schema] of Object.entries(environmentSchema.shape)) {
    const parsed = schema.safeParse(undefined);
    const fallback = parsed.success && parsed.data !== undefined ? String(parsed.data) : '';
    expect(documented.get(name), name).toEqual({ fallback, meaning: schema.description });
  }
});
