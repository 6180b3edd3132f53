/** Milliseconds of CPU time that this thread has used since `before`, an answer of `process.threadCpuUsage()`. */
export function cpuMsSince(before: NodeJS.CpuUsage | undefined): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
