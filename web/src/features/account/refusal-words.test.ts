import { expect, test } from 'vitest';
import { refusalWords } from './refusal-words.ts';

test('a refused sign-in is explained in our words, never in those of the address', () => {
  expect(refusalWords('sign_up_off')).toContain('need an invitation');
  for (const reason of ['Call 0800 123', 'constructor', '']) {
    expect(refusalWords(reason)).toBe('The sign-in failed. Try again.');
  }
});
