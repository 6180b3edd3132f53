import type { AnyRouter } from '@tanstack/react-router';
import { queryClient } from '../api/query-client.ts';

const pauseMs = 100;

// Safari has no requestIdleCallback.
const whenIdle = (work: () => void): unknown =>
  typeof requestIdleCallback === 'function' ? requestIdleCallback(work) : setTimeout(work, pauseMs);

/** Set by users with a slow or metered connection. */
const savesData = () =>
  // as: only Chromium has this property.
  (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true;

/**
 * Loads the code of all pages, one after another, while the browser and the network are idle, so that a click waits
 * only for data.
 * @returns a function that stops it
 */
export function preloadPages(router: AnyRouter): () => void {
  if (savesData()) return () => {};
  const components = Object.values(router.routesById).map(({ options }) => options.component);
  const waiting = components.filter((component) => component?.preload !== undefined);
  let isStopped = false;
  const loadNext = () => {
    if (isStopped) return;
    if (queryClient.isFetching() > 0) return void setTimeout(() => whenIdle(loadNext), pauseMs);
    void waiting
      .shift()
      ?.preload?.()
      ?.then(() => whenIdle(loadNext));
  };
  whenIdle(loadNext);
  return () => {
    isStopped = true;
  };
}
