import { expect, it } from 'vitest';
import { lookupBodySchema, mostLookedUp } from './contact-list.ts';

it('a lookup checks no more addresses than show that they are too many', () => {
  const checked = (item: unknown) =>
    lookupBodySchema.safeParse({ emails: Array.from({ length: 9_000 }, () => item) });
  expect(checked('ada@example.com').data?.emails).toHaveLength(mostLookedUp + 1);
  expect(checked(0).error?.issues).toHaveLength(mostLookedUp + 1);
});
