import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { routes } from '../../api/routes/index.ts';
import { securityCases } from './cases.ts';

const read = (file: string) => readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), 'utf8');

describe('each attack has its tests', () => {
  it.each(securityCases)('$attack', ({ tests }) => {
    expect(tests.length).toBeGreaterThan(0);
    const missing = tests.filter(([file, name]) => !read(file).includes(name));
    expect(missing).toEqual([]);
  });
});

describe('the API', () => {
  const contentTypes = routes.flatMap(({ responses }) =>
    Object.values(responses).map((one) => one.contentType),
  );

  it('hands out no CSV, so no formula reaches a spreadsheet', () => {
    expect(contentTypes.filter((type) => type !== undefined && /csv|excel|spreadsheet/.test(type))).toEqual(
      [],
    );
  });

  it('redirects only on the way to and from a sign-in provider', () => {
    const redirecting = routes.filter(({ responses }) =>
      Object.keys(responses).some((status) => /^3/.test(status)),
    );
    expect(redirecting.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /auth/oauth/:provider',
      'GET /auth/oauth/:provider/callback',
    ]);
    // Neither takes an address to lead to: the first knows the provider, the second the site of the service.
    for (const { query, body } of redirecting) expect([query, body]).toEqual([undefined, undefined]);
  });
});
