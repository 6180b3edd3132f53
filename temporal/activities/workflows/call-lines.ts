/**
 * Nobody wakes a call whose process has died, so each also comes back by itself: those of a project one at a time, so that
 * thousands that wait cost little.
 */
const paceMs = 250;
const longestMs = 10 * 60_000;
/** Further calls of a project only come back by themselves. */
const longestLine = 10_000;

/** Executions, and when each came to its step, in that order. */
type Line = Map<string, Date>;

/**
 * The executions of each project whose calls wait for others to end. Those that came to their step first are served first,
 * also when another one took the turn of one that was woken, or another process woke it.
 *
 * @param wake makes the execution with this workflow run ask again; false if it is not running
 */
export function createCallLines(wake: (temporalId: string) => Promise<boolean>) {
  /** The order of the keys is that of the projects' turns. */
  const lines = new Map<string, Line>();
  return {
    has: (projectId: string) => (lines.get(projectId)?.size ?? 0) > 0,
    /** One that is in the line already keeps its place. @returns when the call comes back by itself, beside a delay */
    join(projectId: string, temporalId: string, since?: Date): number {
      const before: Line = lines.get(projectId) ?? new Map();
      const line = before.has(temporalId) ? before : withOne(before, temporalId, since);
      lines.set(projectId, line);
      // Random, so that those beyond the longest time do not all come back at once.
      return Math.min(paceMs * line.size, longestMs) * (0.75 + Math.random() / 2);
    },
    leave(projectId: string, temporalId: string): void {
      lines.get(projectId)?.delete(temporalId);
    },
    /** Wakes one execution, of projects in turn, that may call now. */
    async wakeNext(mayCall: (projectId: string) => boolean): Promise<void> {
      for (const [projectId, line] of lines) {
        const [next] = line.keys();
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

function withOne(line: Line, temporalId: string, since?: Date): Line {
  if (since === undefined) return line.size < longestLine ? line.set(temporalId, new Date()) : line;
  const last = line.size < longestLine ? undefined : [...line.values()].at(-1);
  return last !== undefined && last <= since ? line : inOrder([...line, [temporalId, since]]);
}

const inOrder = (waiting: [string, Date][]): Line =>
  new Map(waiting.toSorted(([, one], [, other]) => one.getTime() - other.getTime()).slice(0, longestLine));
