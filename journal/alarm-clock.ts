/** A sleep that can be cut short. */
export interface AlarmClock {
  /** Ends the sleep that is under way, or makes the next one end at once. */
  ring(): void;
  /** Sleeps until rung, at most so long. */
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
