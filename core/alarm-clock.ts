export function createAlarmClock() {
  let hasRung = false;
  let wakeUp: (() => void) | undefined;
  return {
    /** Ends the current sleep early, or the next one if none is running. */
    ring() {
      hasRung = true;
      wakeUp?.();
    },
    /** Forgets rings that no sleep has heard. */
    silence() {
      hasRung = false;
    },
    async sleep(milliseconds: number) {
      if (!hasRung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, milliseconds);
          wakeUp = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      wakeUp = undefined;
      hasRung = false;
    },
  };
}
