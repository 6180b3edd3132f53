import { setTimeout as delay } from 'node:timers/promises';
import type { TestProcess } from '../setup/processes.ts';

const checkEveryMs = 500;

/** A process of the product that is restarted whenever it ends, as an orchestrator would. */
export interface Member {
  readonly name: string;
  readonly pid: number;
  /** Unexpected exits, with the last line that the process wrote. */
  readonly unexpectedExits: readonly string[];
  /** Resolves when the process has ended. */
  kill(): Promise<void>;
  stop(): Promise<void>;
  /** Resolves when the process accepts work. */
  untilReady(): Promise<void>;
  close(): Promise<void>;
}

export function keepRunning(name: string, start: () => Promise<TestProcess>): Member {
  const unexpectedExits: string[] = [];
  let current: TestProcess | undefined;
  let isWanted = true;
  let isClosing = false;

  const note = (output: string) =>
    unexpectedExits.push(`${name}: ${output.trim().split('\n').at(-1)?.slice(0, 300)}`);

  async function supervise(): Promise<void> {
    while (!isClosing) {
      if (current?.isRunning !== true) {
        if (current !== undefined && isWanted) note(current.output);
        isWanted = true;
        current = undefined;
        await start().then(
          (process) => {
            current = process;
          },
          (error: Error) => note(error.message),
        );
      }
      await delay(checkEveryMs);
    }
  }
  const supervised = supervise();

  return {
    name,
    get pid() {
      return current?.pid ?? 0;
    },
    unexpectedExits,
    async kill() {
      isWanted = false;
      await current?.kill();
    },
    async stop() {
      isWanted = false;
      await current?.stop();
    },
    async untilReady() {
      while (current?.isRunning !== true) await delay(50);
    },
    async close() {
      isClosing = true;
      await supervised;
      await current?.kill();
    },
  };
}
