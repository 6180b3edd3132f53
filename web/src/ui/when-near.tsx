import { useIsFetching } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';

/**
 * Draws `children` once they are close to the visible area. Waits while queries are loading, because the content above
 * still grows.
 *
 * @param className sets the height that `children` will have
 */
export function WhenNear({ className, children }: { className: string; children: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null);
  const [isNear, setIsNear] = useState(false);
  const isQuiet = useIsFetching() === 0;
  useEffect(() => {
    if (frame.current === null || !isQuiet || isNear) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setIsNear(true),
      { rootMargin: '50%' },
    );
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, [isQuiet, isNear]);
  return (
    <div ref={frame} className={className}>
      {isNear && children}
    </div>
  );
}
