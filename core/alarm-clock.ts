import { pause } from './pause.ts';

export function createAlarmClock() {
  let alarm = new AbortController();
  const wind = () => {
    alarm = new AbortController();
  };
  return {
    /** Ends the current sleep early, or the next one if none is running. */
    ring: () => alarm.abort(),
    /** Forgets rings that no sleep has heard. Not for use during a sleep. */
    silence: wind,
    async sleep(milliseconds: number) {
      await pause(milliseconds, alarm.signal);
      wind();
    },
  };
}
