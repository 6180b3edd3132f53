import { useEffect, useRef, useState } from 'react';
import { sayError } from './toast.tsx';

/** The error of an action, null without one. A toast says it when the dialog of the action is closed by then. */
export function useFailure(): [failure: unknown, fail: (error: unknown) => void] {
  const [failure, setFailure] = useState<unknown>(null);
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return [failure, (error) => (isShown.current || error === null ? setFailure(error) : sayError(error))];
}
