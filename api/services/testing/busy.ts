/** Keeps the thread busy for milliseconds of CPU time, as a large template does. */
export function busy(ms: number): void {
  const before = process.threadCpuUsage();
  for (;;) {
    const { user, system } = process.threadCpuUsage(before);
    if (user + system >= ms * 1000) return;
  }
}
