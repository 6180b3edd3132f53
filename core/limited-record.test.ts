import { expect, it } from 'vitest';
import { z } from 'zod';
import { limitedRecord } from './limited-record.ts';
import { unreadable } from './testing/unreadable.ts';

const schema = limitedRecord(z.string(), 2, 'At most 2 are accepted');

it('a limited record counts its members before it looks at them', () => {
  expect(schema.parse({ a: 'x', b: 'y' })).toEqual({ a: 'x', b: 'y' });
  expect(schema.safeParse(unreadable(3)).error?.issues).toEqual([
    { code: 'custom', path: [], message: 'At most 2 are accepted', params: { code: 'too_big' } },
  ]);
});

it('anything else is refused as by a record', () => {
  for (const sent of [null, 'abc', ['a', 'b', 'c'], { a: 1 }]) {
    expect(schema.safeParse(sent).success).toBe(false);
  }
});
