import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxContactDataBytes } from '../../core/contact-data/parse-contact-data.ts';
import { DomainError } from '../../core/errors.ts';
import { jsonByteLength } from '../../core/json-value.ts';
import { maxJsonDepth, maxJsonValues, parseJson } from './parse-json.ts';

const parse = (text: string) => parseJson(Buffer.from(text));

function refusal(run: () => unknown): DomainError {
  try {
    run();
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error('Nothing was refused');
}

describe('parsing a JSON body', () => {
  it('parses every JSON text like JSON.parse', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        fc.pre(!text.includes('\\u') && !text.includes('__proto__'));
        expect(parse(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('refuses text that is not JSON', () => {
    for (const text of ['{', '{"a":1}}', "{'a':1}", 'undefined', '{"a":"\u0000"}', '"']) {
      expect(refusal(() => parse(text)).code).toBe('INVALID_JSON');
    }
  });

  it('refuses bytes that are not UTF-8', () => {
    expect(refusal(() => parseJson(Buffer.from([0x22, 0xff, 0x22]))).code).toBe('INVALID_JSON');
  });

  it('ignores a byte order mark', () => {
    expect(parse('\uFEFF{"a":1}')).toEqual({ a: 1 });
  });

  it('accepts the deepest nesting and refuses one more, however it is mixed with strings', () => {
    const nested = (depth: number) => `${'[{"]\\"[":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`;
    expect(() => parse(nested(maxJsonDepth))).not.toThrow();
    expect(refusal(() => parse(nested(maxJsonDepth + 2))).message).toContain('nested');
    expect(refusal(() => parse('['.repeat(5_000_000))).message).toContain('nested');
  });

  it('does not count brackets inside strings as nesting', () => {
    const text = JSON.stringify({ a: '['.repeat(1000), b: `\\"${'{'.repeat(1000)}`, c: '\\\\' });
    expect(parse(text)).toEqual(JSON.parse(text));
  });

  it('finds the end of every string, whatever it escapes', () => {
    const text = fc.string({ unit: fc.constantFrom('\\', '"', '[', 'a') });
    fc.assert(
      fc.property(fc.array(text), (texts) => {
        const sent = [...texts, 'x'.repeat(300), ...texts];
        expect(parse(JSON.stringify(sent))).toEqual(sent);
      }),
    );
  });

  it.each([
    ['items', '1,'.repeat(maxJsonValues)],
    ['arrays', '[],'.repeat(maxJsonValues / 2)],
    ['nested arrays', `${'['.repeat(90)}${']'.repeat(90)},`.repeat(maxJsonValues / 90)],
  ])('refuses a body with too many %s', (_name, items) => {
    const { code, message } = refusal(() => parse(`[${items}1]`));
    expect([code, message]).toEqual([
      'INVALID_JSON',
      `The request body has more than ${maxJsonValues} values`,
    ]);
  });

  it('accepts a thousand recipients with the most values that 64 KB of data can have', () => {
    const to = Array.from({ length: 1_000 }, (_, n) => ({ name: 'Ada', email: `ada-${n}@example.com` }));
    const data = { a: Array.from({ length: maxContactDataBytes / 3 - 2 }, () => []) };
    expect(jsonByteLength(data)).toBeGreaterThan(maxContactDataBytes - 10);
    expect(parse(JSON.stringify({ to, data }))).toEqual({ to, data });
  });

  it('drops __proto__ wherever it is and however it is written', () => {
    for (const name of ['__proto__', '\\u005f_proto__', '__pr\\u006fto__']) {
      const value = parse(`{"a":[{"${name}":{"admin":true},"b":1}],"${name}":{"admin":true}}`);
      expect(value).toEqual({ a: [{ b: 1 }] });
      expect(JSON.stringify(value)).not.toContain('admin');
    }
  });

  it('reports strings and keys that contain NUL or half a surrogate pair', () => {
    const error = refusal(() =>
      parse('{"a":{"b":["x","\\u0000"]},"c":"\\ud800","d\\u0000":1,"e":"\\ud83d\\ude00"}'),
    );
    expect(error.code).toBe('VALIDATION_ERROR');
    expect(error.issues?.map((issue) => issue.field).sort()).toEqual(['', 'a.b.1', 'c']);
  });

  it('reports a hundred of them, however long their paths are', () => {
    const texts = Array.from({ length: 40_000 }, () => '"\\u0000"');
    const error = refusal(() => parse(`{"${'k'.repeat(500_000)}":[${texts.join()}]}`));
    expect(error.issues).toHaveLength(100);
    expect(error.issues?.[0]?.field).toBe(`${'k'.repeat(300)}…`);
  });
});
