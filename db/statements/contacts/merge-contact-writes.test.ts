import { expect, it } from 'vitest';
import { creationOf, mergeContactWrites, toContactInput } from './merge-contact-writes.ts';

it('shares one patch among the contacts of a call, until a contact has another write', () => {
  const patch = { plan: 'pro' };
  const writeTo = (email: string, of: Record<string, string | null> = patch) => ({
    ...creationOf('project', email, new Date(0)),
    patch: of,
  });
  const { rows } = mergeContactWrites(
    [
      writeTo('ada@example.com'),
      writeTo('grace@example.com'),
      writeTo('grace@example.com', { plan: null, city: 'Paris' }),
      writeTo('edsger@example.com', { plan: null }),
    ],
    false,
  );
  expect(rows[0]?.set_data).toBe(patch);
  expect(rows.map(({ set_data, removed }) => ({ set_data, removed }))).toEqual([
    { set_data: { plan: 'pro' }, removed: undefined },
    { set_data: { city: 'Paris' }, removed: ['plan'] },
    { set_data: {}, removed: ['plan'] },
  ]);
  expect(patch).toEqual({ plan: 'pro' });
  expect(JSON.parse(toContactInput(rows))).toEqual(JSON.parse(JSON.stringify(rows)));
});
