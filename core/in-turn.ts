/** Runs a batch of long work when it is its turn. */
export type InTurn = <Result>(batch: () => Promise<Result>) => Promise<Result>;
