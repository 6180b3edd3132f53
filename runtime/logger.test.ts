import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createLogger, initialLevel } from './logger.ts';

const logger = fileURLToPath(new URL('./logger.ts', import.meta.url));

function nodeArguments(code: string): string[] {
  const script = `import { createLogger } from ${JSON.stringify(logger)}; const log = createLogger('info'); ${code}`;
  return ['--input-type=module', '-e', script];
}

/** Messages written by a process that ran the code with a logger `log`. */
async function messagesOf(code: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, nodeArguments(code));
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).msg);
}

const numbers = Array.from({ length: 2_000 }, (_, n) => `line ${n}`);
const logNumbers = `for (let n = 0; n < 2000; n += 1) log.info('line ' + n);`;

describe('lines on standard output', () => {
  it('are whole and in order when the process ends on its own', async () => {
    expect(await messagesOf(logNumbers)).toEqual(numbers);
  });

  it('are written before a flush is over', async () => {
    expect(await messagesOf(`${logNumbers} log.flush(() => process.exit(0));`)).toEqual(numbers);
  });

  it('are written when the process exits while blocks are on their way', async () => {
    expect(await messagesOf(`setTimeout(() => { ${logNumbers} process.exit(0); });`)).toEqual(numbers);
  });

  it('are written up to a fatal one before anything else', async () => {
    const code = `${logNumbers} log.fatal('the end'); process.reallyExit(0);`;
    expect(await messagesOf(code)).toEqual([...numbers, 'the end']);
  });

  it('do not wait for a block to fill', async () => {
    const child = spawn(process.execPath, nodeArguments(`log.info('alone'); process.stdin.resume();`));
    const [line] = await once(child.stdout, 'data');
    expect(JSON.parse(String(line))).toMatchObject({ msg: 'alone' });
    child.kill('SIGKILL');
  });
});

it.each([
  ['debug', 'debug'],
  ['silent', 'silent'],
  ['', 'info'],
  [undefined, 'info'],
  ['verbose', 'info'],
])('a process with the level %j starts to log at %s', (configured, level) => {
  expect(createLogger(initialLevel(configured)).level).toBe(level);
});
