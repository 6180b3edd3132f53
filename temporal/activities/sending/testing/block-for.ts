/** Blocks the event loop, like a slow rendering. */
export function blockFor(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}
