import { AsyncLocalStorage } from 'node:async_hooks';

/** Runs the work when it is its owner's turn; `signal` ends the wait. */
export type RunInTurn = <Result>(
  owner: string,
  work: () => Promise<Result>,
  signal?: AbortSignal,
) => Promise<Result>;

const current = new AsyncLocalStorage<() => void>();

/** Runs a request in a place that it gives back when it ends, or earlier, when it begins to wait for something else. */
export async function runInShortPlace<Result>(
  run: RunInTurn,
  owner: string,
  work: () => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  const left = Promise.withResolvers<void>();
  const inPlace = async () => {
    const result = current.run(left.resolve, work);
    await Promise.race([result, left.promise]);
    return { result };
  };
  const { result } = await run(owner, inPlace, signal);
  return result;
}

/**
 * To be called before a wait for anything but a short statement. A request that kept its place meanwhile would hold up
 * short reads for as long, and two requests that each held what the other waits for would never end.
 */
export const leaveShortPlace = (): void => current.getStore()?.();
