import type { z } from 'zod';

const types: Readonly<Record<string, string>> = {
  int: 'a whole number',
  boolean: 'true or false',
  record: 'an object',
  array: 'an array',
  object: 'an object',
  null: 'null',
  undefined: 'left out',
};

const formats: Readonly<Record<string, string>> = {
  email: 'an email address',
  uuid: 'a UUID',
  url: 'a URL',
  datetime: 'a date and time such as 2026-01-31T12:00:00Z',
  date: 'a date such as 2026-01-31',
};

const units: Readonly<Record<string, string>> = {
  string: 'character',
  array: 'item',
  set: 'item',
  file: 'byte',
};

/** `a string, a number or null` */
export function typesInWords(names: Iterable<string>): string {
  const words = [...new Set(names)].map((name) => types[name] ?? `a ${name}`);
  return oneOf(words);
}

function oneOf(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} or ${last}`;
}

/** `exactly 2 items`: the size of a value that has one, otherwise the value itself. */
function amount(bound: string, value: number | bigint, origin: string): string {
  const unit = units[origin];
  if (unit === undefined) return `be ${bound} ${value}`;
  return `have ${bound} ${value} ${unit}${Number(value) === 1 ? '' : 's'}`;
}

/** Describes an invalid value in place of zod's own message. A message set in the schema takes precedence. */
export const issueWords = (issue: z.core.$ZodRawIssue): string | undefined => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'Required' : `Must be ${typesInWords([issue.expected])}`;
    case 'invalid_value':
      return `Must be ${oneOf(issue.values.map((value) => JSON.stringify(value)))}`;
    case 'too_small': {
      if (issue.origin === 'string' && issue.minimum === 1) return 'Must not be empty';
      const bound = issue.exact ? 'exactly' : issue.inclusive ? 'at least' : 'more than';
      return `Must ${amount(bound, issue.minimum, issue.origin)}`;
    }
    case 'too_big': {
      const bound = issue.exact ? 'exactly' : issue.inclusive ? 'at most' : 'less than';
      return `Must ${amount(bound, issue.maximum, issue.origin)}`;
    }
    case 'not_multiple_of':
      return `Must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return 'There is no such field';
    case 'invalid_format': {
      const format = formats[issue.format];
      return format && `Must be ${format}`;
    }
    default:
      return undefined;
  }
};
