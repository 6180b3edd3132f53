import { expect, it } from 'vitest';
import { ConfigError } from '../core/config/load.ts';
import { describeFailure, LocalStackError, saysDiskFull } from './failure.ts';

const withCode = (code: string, message = 'failed') => Object.assign(new Error(message), { code });

it.for<[unknown, RegExp]>([
  [new LocalStackError('Say it so.'), /^Say it so\.$/],
  [new ConfigError('PORT: x'), /^The configuration is not valid:\n {2}PORT: x$/],
  [withCode('ENOSPC'), /^The disk that holds \/data is full\. .*DATA_DIR/],
  [new Error('write failed', { cause: withCode('ENOSPC') }), /^The disk that holds \/data is full/],
  [
    new Error('could not extend file "base/1": No space left on device'),
    /^The disk that holds \/data is full/,
  ],
  [
    withCode('EACCES', "EACCES: permission denied, open '/data/x'"),
    /^Permission denied \(EACCES: .*\/data\/x/,
  ],
  [new Error('first line\nsecond line'), /^Posthaste failed: first line\nThe details are in \/data\/log\.$/],
  ['a string', /^Posthaste failed: a string\n/],
])('describes %s', ([error, sentence]) => {
  expect(describeFailure(error, '/data', '/data/log')).toMatch(sentence);
});

it('recognizes a full disk in messages of Postgres, SQLite and Node', () => {
  const said = [
    'PANIC:  could not write to file "pg_wal/xlogtemp.1": No space left on device',
    '{"level":"ERROR","error":"database or disk is full (13)"}',
    'Error: ENOSPC: no space left on device, write',
  ];
  expect(said.every(saysDiskFull)).toBe(true);
  expect(saysDiskFull('LOG:  database system is ready to accept connections')).toBe(false);
});
