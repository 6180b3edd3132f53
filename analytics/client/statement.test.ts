import { describe, expect, it } from 'vitest';
import { insertStatement, tsvValue, withSettings } from './statement.ts';

describe('withSettings', () => {
  it('appends the settings to the query, with strings quoted', () => {
    expect(withSettings('SELECT 1\n', { max_execution_time: 3, log_comment: "it's \\ me" })).toBe(
      "SELECT 1\nSETTINGS max_execution_time = 3, log_comment = 'it\\'s \\\\ me'",
    );
  });
});

describe('insertStatement', () => {
  it('names the columns before the settings', () => {
    expect(insertStatement({ table: 'event', columns: ['a', 'b'] }, { async_insert: 0 })).toBe(
      'INSERT INTO event (a, b) SETTINGS async_insert = 0 FORMAT TabSeparated',
    );
  });
});

describe('tsvValue', () => {
  it('escapes the separators of values and lines, and the escape character', () => {
    expect(tsvValue('a\tb\nc\rd\\N')).toBe('a\\tb\\nc\\rd\\\\N');
  });
});
