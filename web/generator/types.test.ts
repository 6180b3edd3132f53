import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { generateTypes, typesFile } from './generate-types.ts';

it('the types of the dashboard are those of the declared routes; `npm run web:types` writes them', async () => {
  expect(await readFile(typesFile, 'utf8')).toBe(await generateTypes());
});
