import { expect, test } from 'vitest';
import { refusalWords } from './refusal-words.ts';

test('explains a failed sign-in in our words, never with text from the URL', () => {
  expect(refusalWords('sign_up_off')).toContain('need an invitation');
  for (const reason of ['Call 0800 123', 'constructor', '']) {
    expect(refusalWords(reason)).toBe('The sign-in failed. Try again.');
  }
});
