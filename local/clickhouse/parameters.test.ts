import { expect, it } from 'vitest';
import { bindParameters } from './parameters.ts';

const bind = (statement: string, values: Record<string, string> = {}) =>
  bindParameters(statement, new Map(Object.entries(values)));

it('casts the text of a value to the type of its placeholder', () => {
  expect(
    bind("SELECT {a: String}, {at:DateTime64(3, 'UTC')}", { a: "it's \\t \\\\", at: '2026-01-01' }),
  ).toBe("SELECT _CAST('it\\'s \t \\\\', 'String'), _CAST('2026-01-01', 'DateTime64(3, \\'UTC\\')')");
  expect(bind('{l:Array(String)}', { l: "['a\\'b','\\t']" })).toBe(
    "_CAST('[\\'a\\\\\\'b\\',\\'\\\\t\\']', 'Array(String)')",
  );
  expect(bind('SELECT 1 FROM {t:Identifier}', { t: 'a`b' })).toBe('SELECT 1 FROM `a\\`b`');
});

it('leaves alone what only looks like a placeholder', () => {
  const statement = `SELECT '{a:String} \\' {a:String}', "{a:String}", \`{a:String}\`, {'k':1} -- {a:String}
/* {a:String}
{a:String} */`;
  expect(bind(statement)).toBe(statement);
});

it('expands no placeholder inside a value', () => {
  expect(bind('{a:String}{b:String}', { a: '{b:String}', b: '$&' })).toBe(
    "_CAST('{b:String}', 'String')_CAST('$&', 'String')",
  );
});

it('refuses a placeholder without a value', () => {
  expect(() => bind('SELECT {a:String}')).toThrow('Code: 456');
});
