/**
 * Nobody wakes a call whose process has died, so each also comes back by itself: those of a project one at a time, so that
 * thousands that wait cost little.
 */
const paceMs = 250;
const longestMs = 10 * 60_000;
/** Further calls of a project only come back by themselves. */
const longestLine = 10_000;

/**
 * The executions of each project whose calls wait for others to end, first come first served.
 *
 * @param wake makes the execution with this workflow run ask again; false if it is not running
 */
export function createCallLines(wake: (temporalId: string) => Promise<boolean>) {
  /** The order of the keys is that of the projects' turns. */
  const lines = new Map<string, Set<string>>();
  return {
    has: (projectId: string) => (lines.get(projectId)?.size ?? 0) > 0,
    /** One that is in the line already keeps its place. @returns when the call comes back by itself, beside a delay */
    join(projectId: string, temporalId: string): number {
      const line = lines.get(projectId) ?? new Set();
      lines.set(projectId, line);
      if (line.size < longestLine) line.add(temporalId);
      // Random, so that those beyond the longest time do not all come back at once.
      return Math.min(paceMs * line.size, longestMs) * (0.75 + Math.random() / 2);
    },
    leave(projectId: string, temporalId: string): void {
      lines.get(projectId)?.delete(temporalId);
    },
    /** Wakes one execution, of projects in turn, that may call now. */
    async wakeNext(mayCall: (projectId: string) => boolean): Promise<void> {
      for (const [projectId, line] of lines) {
        const [next] = line;
        if (next !== undefined && !mayCall(projectId)) continue;
        lines.delete(projectId);
        if (next === undefined) continue;
        line.delete(next);
        lines.set(projectId, line);
        // One that could not be woken, as while Temporal is down, comes back by itself.
        if (await wake(next).catch(() => true)) return;
      }
    },
  };
}
