import { cpuMsSince } from '../cpu-time.ts';

export interface RenderLimits {
  /** Milliseconds of CPU for one email (subject, HTML and text together), after the first 20. */
  cpuMs: number;
  /** About one unit per character or list element read or created. */
  workUnits: number;
  outputCharacters: number;
}

/** With these, a hostile template blocks the process for less than 250 ms; see `hostile-templates.test.ts`. */
export const defaultRenderLimits: Readonly<RenderLimits> = {
  cpuMs: 100,
  workUnits: 2_000_000,
  outputCharacters: 2 * 1024 * 1024,
};

export type RenderLimit = 'time' | 'work' | 'output' | 'nesting';

export class RenderLimitExceeded extends Error {
  override readonly name = 'RenderLimitExceeded';
  readonly limit: RenderLimit;

  constructor(limit: RenderLimit) {
    super(`The template exceeds the ${limit} limit of a rendering`);
    this.limit = limit;
  }
}

const stepsBetweenClockReads = 4;
/** CPU time is not read before: few renderings take longer, and reading it is expensive. */
const unwatchedMs = 20;

/**
 * Remaining budget for rendering one email. The clock alone is not enough: a filter on a large value runs to
 * its end, so each operation first pays for the size of its input. Counts CPU time, not wall time, so that a
 * busy machine does not fail a harmless rendering.
 */
export class RenderBudget {
  readonly limits: Readonly<RenderLimits>;
  private unitsLeft: number;
  private steps = 0;
  private nextLookAt: number;
  private cpuAtFirstLook: NodeJS.CpuUsage | undefined;
  private usedMs = 0;

  constructor(limits: Readonly<RenderLimits> = defaultRenderLimits) {
    this.limits = limits;
    this.unitsLeft = limits.workUnits;
    this.nextLookAt = performance.now() + unwatchedMs;
  }

  spend(units: number): void {
    this.unitsLeft -= units;
    if (!(this.unitsLeft >= 0)) throw new RenderLimitExceeded('work');
  }

  step(): void {
    this.spend(1);
    this.steps++;
    if (this.steps % stepsBetweenClockReads !== 0) return;
    const now = performance.now();
    if (now > this.nextLookAt) this.lookAtCpuTime(now);
  }

  turn<T>(work: () => T): T {
    this.cpuAtFirstLook = process.threadCpuUsage();
    this.nextLookAt = performance.now() + this.limits.cpuMs - this.usedMs;
    try {
      return work();
    } finally {
      this.usedMs += cpuMsSince(this.cpuAtFirstLook);
    }
  }

  private lookAtCpuTime(now: number): void {
    const usedMs = this.usedMs + (this.cpuAtFirstLook ? cpuMsSince(this.cpuAtFirstLook) : 0);
    this.cpuAtFirstLook ??= process.threadCpuUsage();
    if (usedMs >= this.limits.cpuMs) throw new RenderLimitExceeded('time');
    this.nextLookAt = now + Math.max(1, this.limits.cpuMs - usedMs);
  }
}
