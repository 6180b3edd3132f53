import { describe, expect, it } from 'vitest';
import { isIdempotencyKey } from './idempotency-key.ts';

describe('isIdempotencyKey', () => {
  it.each([
    ['a', true],
    [' ', true],
    ['order 42/~!', true],
    ['k'.repeat(255), true],
    ['', false],
    ['k'.repeat(256), false],
    ['tab\t', false],
    ['line\n', false],
    ['\n', false],
    ['nul\0', false],
    ['del\x7f', false],
    ['é', false],
    ['😀', false],
  ])('%j: %s', (key, expected) => {
    expect(isIdempotencyKey(key)).toBe(expected);
  });
});
