import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { decodeCursor, encodeCursor } from './cursor.ts';

const schema = z.tuple([z.iso.datetime(), z.uuid()]);
const values: [string, string] = ['2024-05-01T10:00:00.000Z', '0190a6f0-7c1e-7000-8000-000000000001'];

describe('cursors', () => {
  it('decode to the values encoded', () => {
    expect(decodeCursor(encodeCursor(values), schema)).toEqual(values);
    const scalar = fc.oneof(
      fc.string(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
    );
    const anything = z.array(z.union([z.string(), z.number(), z.boolean(), z.null()]));
    fc.assert(
      fc.property(fc.array(scalar, { maxLength: 4 }), (list) => {
        fc.pre(!JSON.stringify(list).includes('\\u0000'));
        const cursor = encodeCursor(list);
        expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(decodeCursor(cursor, anything)).toEqual(JSON.parse(JSON.stringify(list)));
      }),
    );
  });

  it.each([
    ['nothing', ''],
    ['another listing', encodeCursor(['a@x.io', 3])],
    ['an invalid id', encodeCursor([values[0], "' OR 1=1"])],
    ['too few values', encodeCursor([values[0]])],
    ['another version', Buffer.from(JSON.stringify([2, ...values])).toString('base64url')],
    ['an object', Buffer.from('{"0":1}').toString('base64url')],
    ['no JSON', Buffer.from('[1,').toString('base64url')],
    ['padding', `${encodeCursor(values)}=`],
    ['characters outside base64url', ` ${encodeCursor(values)}`],
    ['a long text', 'A'.repeat(5000)],
  ])('refuse %s', (_name, cursor) => {
    expect(decodeCursor(cursor, schema)).toBeUndefined();
  });

  it('refuse text that no query can take', () => {
    const text = z.tuple([z.string()]);
    expect(decodeCursor(encodeCursor(['ok']), text)).toEqual(['ok']);
    expect(decodeCursor(encodeCursor(['a\0']), text)).toBeUndefined();
    expect(decodeCursor(encodeCursor(['\ud800']), text)).toBeUndefined();
  });

  it('never throw', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.base64String(),
          fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value)).toString('base64url')),
        ),
        (cursor) => {
          expect(decodeCursor(cursor, schema)).toBeUndefined();
        },
      ),
    );
  });
});
