export interface Looking {
  /** Resolves to whether there was anything open. */
  look: () => Promise<boolean>;
  isIdle: () => boolean;
  /** Emails that the looks have sent so far. */
  sent: () => number;
  /** Rejects when looking has to end. */
  wait: (ms: number) => Promise<unknown>;
}

const lookEveryMs = 500;
/** While nothing that is open can be sent: it waits for its rate, or for events of the provider. */
const longestPauseMs = 30_000;

/** Looks whenever there is nothing else to do. */
export async function keepLooking({ look, isIdle, sent, wait }: Looking): Promise<never> {
  let [pauseMs, isOpen, sentBefore] = [lookEveryMs, false, 0];
  for (;;) {
    await wait(pauseMs);
    if (!isIdle()) continue;
    const isInVain = isOpen && sent() === sentBefore;
    pauseMs = isInVain ? Math.min(2 * pauseMs, longestPauseMs) : lookEveryMs;
    sentBefore = sent();
    isOpen = await look();
  }
}
