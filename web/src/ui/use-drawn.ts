import { startTransition, useEffect, useState } from 'react';

/** Whether the first frame with the component is on the screen, for parts that need not be in it. */
export function useDrawn(): boolean {
  const [isDrawn, setIsDrawn] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(() => {
      // A frame is painted after its callbacks.
      timer = setTimeout(() => startTransition(() => setIsDrawn(true)));
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, []);
  return isDrawn;
}
