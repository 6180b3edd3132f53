import { z } from 'zod';

const everyNth = z.int().min(0).default(0);

export const faultSettingsSchema = z.object({
  /**
   * Milliseconds before every response. The message is accepted first, so its events may arrive before the response.
   */
  latencyMs: z.int().min(0).max(600_000).default(0),
  /** Every n-th call is throttled; 0 turns the fault off, as below. */
  throttleEvery: everyNth,
  /** Accepted, but the connection is cut instead of a response. */
  dropReplyEvery: everyNth,
  failEvery: everyNth,
});

export type FaultSettings = z.output<typeof faultSettingsSchema>;

export type Fate = 'answer' | 'throttle' | 'fail' | 'dropReply';

/**
 * Decides the fate of each `SendEmail` and `SendBulkEmail` call; a bulk call counts once. Replacing the settings resets
 * the counter. When several faults hit the same call, throttle wins over fail over drop.
 */
export class Faults {
  #settings: FaultSettings = faultSettingsSchema.parse({});
  #calls = 0;

  get settings(): FaultSettings {
    return this.#settings;
  }

  replace(settings: FaultSettings): void {
    this.#settings = settings;
    this.#calls = 0;
  }

  next(): { fate: Fate; latencyMs: number } {
    this.#calls += 1;
    const { throttleEvery, failEvery, dropReplyEvery, latencyMs } = this.#settings;
    const isHit = (every: number): boolean => every > 0 && this.#calls % every === 0;
    if (isHit(throttleEvery)) return { fate: 'throttle', latencyMs };
    if (isHit(failEvery)) return { fate: 'fail', latencyMs };
    return { fate: isHit(dropReplyEvery) ? 'dropReply' : 'answer', latencyMs };
  }
}
