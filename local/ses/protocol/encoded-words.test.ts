import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeEncodedWords } from './encoded-words.ts';

describe('encoded words', () => {
  it.each([
    ['=?UTF-8?B?w4Rkw6Q=?= <ada@example.test>', 'Ädä <ada@example.test>'],
    ['=?utf-8?q?=C3=84d=C3=A4_L.?= <ada@example.test>', 'Ädä L. <ada@example.test>'],
    ['=?iso-8859-1?Q?=C4da?=', 'Äda'],
    ['=?UTF-8?B?w4Q=?= =?UTF-8?B?ZMOk?= plain', 'Ädä plain'],
    ['plain =? text', 'plain =? text'],
    ['=?no-such-charset?Q?x?=', '=?no-such-charset?Q?x?='],
  ])('shows %s as %s', (value, shown) => {
    expect(decodeEncodedWords(value)).toBe(shown);
  });

  it('gives back any text that was encoded', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
        const word = `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`;
        expect(decodeEncodedWords(word)).toBe(text.replace(/^\ufeff/, ''));
      }),
    );
  });
});
