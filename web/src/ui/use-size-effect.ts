import { type RefObject, useLayoutEffect } from 'react';

/**
 * Runs `effect` with the element when its size or that of its first child changes, and once before the first paint.
 *
 * @param effect must be the same function at every render
 */
export function useSizeEffect(
  element: RefObject<HTMLElement | null>,
  effect: (element: HTMLElement) => void,
) {
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    const observer = new ResizeObserver(() => effect(current));
    for (const watched of [current, current.firstElementChild]) if (watched) observer.observe(watched);
    return () => observer.disconnect();
  }, [element, effect]);
}
