/** Blocks the event loop, like a slow rendering. @param ms of CPU time */
export function blockFor(ms: number): void {
  const before = process.threadCpuUsage();
  for (let used = 0; used < ms; ) {
    const { user, system } = process.threadCpuUsage(before);
    used = (user + system) / 1000;
  }
}
