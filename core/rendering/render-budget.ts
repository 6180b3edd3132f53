export interface RenderLimits {
  /** Milliseconds of CPU for one email (subject, HTML and text together), after the first 20. */
  cpuMs: number;
  /** Units of work; about one for each character or list element that is read or made. */
  workUnits: number;
  /** Characters of one rendered part. */
  outputCharacters: number;
}

/** With these, a hostile template holds the process for less than 250 ms; see `hostile-templates.test.ts`. */
export const defaultRenderLimits: Readonly<RenderLimits> = {
  cpuMs: 100,
  workUnits: 2_000_000,
  outputCharacters: 2 * 1024 * 1024,
};

export type RenderLimit = 'time' | 'work' | 'output' | 'nesting';

/** Stops a rendering that would go on for too long. Nothing else that happens while rendering is an error. */
export class RenderLimitExceeded extends Error {
  override readonly name = 'RenderLimitExceeded';
  readonly limit: RenderLimit;

  constructor(limit: RenderLimit) {
    super(`The template exceeds the ${limit} limit of a rendering`);
    this.limit = limit;
  }
}

const stepsBetweenClockReads = 4;
/** Until then the thread's CPU time is not asked for; hardly any rendering takes longer. */
const unwatchedMs = 20;

/**
 * What the rendering of one email may still use. The clock alone is not enough: a single filter on a large
 * value runs to its end, so every operation is paid for by the size of what it reads before it starts. And it
 * is the CPU time that counts, because a busy machine must not make an innocent rendering fail.
 */
export class RenderBudget {
  readonly limits: Readonly<RenderLimits>;
  private unitsLeft: number;
  private steps = 0;
  private nextLookAt: number;
  private cpuAtFirstLook: NodeJS.CpuUsage | undefined;
  /** Milliseconds of CPU of the turns that are over. */
  private usedMs = 0;

  constructor(limits: Readonly<RenderLimits> = defaultRenderLimits) {
    this.limits = limits;
    this.unitsLeft = limits.workUnits;
    this.nextLookAt = performance.now() + unwatchedMs;
  }

  /** Pays for work about to be done. */
  spend(units: number): void {
    this.unitsLeft -= units;
    if (!(this.unitsLeft >= 0)) throw new RenderLimitExceeded('work');
  }

  /** Called once for each node of a template and each filter: keeps to the clock. */
  step(): void {
    this.spend(1);
    this.steps++;
    if (this.steps % stepsBetweenClockReads !== 0) return;
    const now = performance.now();
    if (now > this.nextLookAt) this.lookAtCpuTime(now);
  }

  /** Runs one of several renderings between which others have the thread: only what the renderings take counts. */
  turn<T>(work: () => T): T {
    this.cpuAtFirstLook = process.threadCpuUsage();
    this.nextLookAt = performance.now() + this.limits.cpuMs - this.usedMs;
    try {
      return work();
    } finally {
      this.usedMs += this.msSinceFirstLook();
    }
  }

  private msSinceFirstLook(): number {
    const usage = process.threadCpuUsage(this.cpuAtFirstLook);
    return (usage.user + usage.system) / 1000;
  }

  private lookAtCpuTime(now: number): void {
    const usedMs = this.usedMs + (this.cpuAtFirstLook ? this.msSinceFirstLook() : 0);
    this.cpuAtFirstLook ??= process.threadCpuUsage();
    if (usedMs >= this.limits.cpuMs) throw new RenderLimitExceeded('time');
    this.nextLookAt = now + Math.max(1, this.limits.cpuMs - usedMs);
  }
}
