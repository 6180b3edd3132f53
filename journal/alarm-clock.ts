export interface AlarmClock {
  /** Ends the current sleep early, or the next one if none is running. */
  ring(): void;
  sleep(milliseconds: number): Promise<void>;
}

export function createAlarmClock(): AlarmClock {
  let hasRung = false;
  let wakeUp: (() => void) | undefined;
  return {
    ring() {
      hasRung = true;
      wakeUp?.();
    },
    async sleep(milliseconds) {
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
