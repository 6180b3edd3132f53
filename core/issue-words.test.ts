import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { issueWords } from './issue-words.ts';

const record = z.record(z.string(), z.unknown());

describe('the message for an invalid value', () => {
  it.each<[string, z.ZodType, unknown]>([
    ['Required', z.string(), undefined],
    ['Must be a string', z.string(), 7],
    ['Must be a number', z.number(), 'x'],
    ['Must be a whole number', z.int(), 1.5],
    ['Must be true or false', z.boolean(), 'yes'],
    ['Must be an object', z.object({}), []],
    ['Must be an object', record, 'x'],
    ['Must be an array', z.array(z.string()), {}],
    ['Must be "ALL" or "NONE"', z.enum(['ALL', 'NONE']), 'SOME'],
    ['Must be 1', z.literal(1), 2],
    ['Must not be empty', z.string().min(1), ''],
    ['Must have at least 10 characters', z.string().min(10), 'short'],
    ['Must have at most 5 characters', z.string().max(5), 'longer'],
    ['Must have at least 1 item', z.array(z.string()).min(1), []],
    ['Must have exactly 2 items', z.array(z.string()).length(2), []],
    ['Must be at least 1', z.number().min(1), 0],
    ['Must be more than 0', z.number().positive(), 0],
    ['Must be at most 365', z.number().max(365), 400],
    ['Must be less than 1', z.number().lt(1), 1],
    ['Must be a multiple of 5', z.number().multipleOf(5), 3],
    ['There is no such field', z.strictObject({}), { a: 1 }],
    ['Must be an email address', z.email(), 'x'],
    ['Must be a UUID', z.uuid(), 'x'],
    ['Must be a URL', z.url(), 'x'],
    ['Must be a date and time such as 2026-01-31T12:00:00Z', z.iso.datetime(), 'x'],
    ['Choose one', z.string().min(1, 'Choose one'), ''],
  ])('%s', (words, schema, value) => {
    const parsed = schema.safeParse(value, { error: issueWords });
    expect(parsed.error?.issues.map(({ message }) => message)).toEqual([words]);
  });
});
