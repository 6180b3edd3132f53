import { startTransition, useEffect, useState } from 'react';

/** Whether the first frame with the component has been painted; defers parts that this frame does not need. */
export function useDrawn(): boolean {
  const [isDrawn, setIsDrawn] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(() => {
      // A frame is painted after its callbacks have run, hence the timeout.
      timer = setTimeout(() => startTransition(() => setIsDrawn(true)));
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, []);
  return isDrawn;
}
