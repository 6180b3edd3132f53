import { describe, expect, it } from 'vitest';
import { isDatabaseAway, isTimedOut } from './database-away.ts';

function coded(code: string): Error {
  return Object.assign(new Error('x'), { code });
}

describe('whether the database is away', () => {
  it.each([
    ['refused', coded('ECONNREFUSED')],
    ['lost', coded('ECONNRESET')],
    ['shutting down', coded('57P01')],
    ['starting', coded('57P03')],
    ['ending an idle transaction', coded('25P03')],
    ['out of connections', coded('53300')],
    ['out of disk space', coded('53100')],
    ['read-only, as a standby is', coded('25006')],
    ['a broken connection', coded('08006')],
    ['ended', new Error('Connection terminated unexpectedly')],
    ['busy', new Error('timeout exceeded when trying to connect')],
    ['silent to a new connection', new Error('timeout expired')],
    ['silent', new Error('Query read timeout')],
    ['both addresses refused', new AggregateError([coded('ECONNREFUSED'), coded('ECONNREFUSED')])],
    ['wrapped', new Error('Query failed', { cause: new Error('x', { cause: coded('ECONNREFUSED') }) })],
    ['wrapped by the mapper', Object.assign(new Error('x'), { previous: coded('57P01') })],
  ])('%s: it is', (_name, error) => {
    expect(isDatabaseAway(error)).toBe(true);
  });

  it.each([
    ['a unique violation', coded('23505')],
    ['a syntax error', coded('42601')],
    ['a cancelled statement', coded('57014')],
    ['a missing file', coded('ENOENT')],
    ['any error', new Error('x')],
    ['no error', 'ECONNREFUSED'],
  ])('%s: it is not', (_name, error) => {
    expect(isDatabaseAway(error)).toBe(false);
  });

  it('does not loop on an error that is its own cause', () => {
    const error = new Error('x');
    error.cause = error;
    expect(isDatabaseAway(error)).toBe(false);
  });
});

describe('whether a statement took too long', () => {
  it.each([
    ['a statement', coded('57014')],
    ['a wait for a lock', coded('55P03')],
    ['wrapped', new Error('x', { cause: Object.assign(new Error('x'), { previous: coded('57014') }) })],
  ])('%s: it did', (_name, error) => {
    expect([isTimedOut(error), isDatabaseAway(error)]).toEqual([true, false]);
  });

  it.each([coded('40001'), coded('57P01'), new Error('x'), undefined])('%s: it did not', (error) => {
    expect(isTimedOut(error)).toBe(false);
  });
});
