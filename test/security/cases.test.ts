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
  it('returns CSV only where formulas are neutralized', () => {
    const ofSheets = routes.filter(({ responses }) =>
      Object.values(responses).some(({ contentType = '' }) => /csv|excel|spreadsheet/.test(contentType)),
    );
    // All are written by `core/csv/csv-row.ts`, which the tests of the attack above cover.
    expect(ofSheets.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /emails/export',
      'GET /contacts/export',
      'GET /contacts/import/:jobId/errors.csv',
      'GET /campaigns/:id/recipients/export',
      'GET /segments/:id/export',
    ]);
  });

  it('redirects only on the way to and from a sign-in provider', () => {
    const redirecting = routes.filter(({ responses }) =>
      Object.keys(responses).some((status) => /^3/.test(status)),
    );
    expect(redirecting.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /auth/oauth/:provider',
      'GET /auth/oauth/:provider/callback',
    ]);
    // Neither takes a redirect URL: the first goes to the provider, the second to Posthaste's own site.
    for (const { query, body } of redirecting) expect([query, body]).toEqual([undefined, undefined]);
  });
});
