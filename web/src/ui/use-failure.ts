import { useEffect, useRef, useState } from 'react';
import { sayError } from './toast.tsx';

/**
 * The error of an action, null without one. If the dialog of the action has closed by then, a toast shows the error.
 */
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
