import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { generateTypes, typesFile } from './generate-types.ts';

it('the dashboard types match the declared routes (if not, run `npm run web:types`)', async () => {
  expect(await readFile(typesFile, 'utf8')).toBe(await generateTypes());
});
